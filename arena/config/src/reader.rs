//! The tables of a tournament file with the values of flags among them, where each stands, and what is wrong with them.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

use arena_tournament::complaint::Complaint;
use arena_tournament::key::{Key, Kind};
use arena_tournament::suggest::{self, quoted};
use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, ValueDeserializer};

use super::diagnostic::{At, Diagnostic, Source, UsageError};
use super::entrants::{BUILTIN, HUMAN};
use super::flags::{BOT, Flags};

/// A tournament file that is being read, in which flags have replaced values.
pub struct Reader<'t> {
    source: Option<&'t Source>,
    /// The words of the flags. A span beyond the text stands for one of them.
    flags: Vec<String>,
    table: DeTable<'t>,
    wrong: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    /// Parses a file and puts the flags into it. `numbers` holds the value of each flag as JSON.
    pub fn new(
        source: Option<&'t Source>,
        flags: &'t Flags,
        numbers: &'t [String],
        dir: &'t str,
    ) -> Result<Self, UsageError> {
        let text = source.map_or("", |source| source.text.as_str());
        let table = DeTable::parse(text).map_err(|error| {
            let wrong = syntax(text, &error);
            UsageError::all(source.cloned(), vec![wrong])
        })?;
        let mut reader = Self {
            source,
            flags: Vec::new(),
            table: table.into_inner(),
            wrong: Vec::new(),
        };
        for (bot, words) in flags.bots() {
            reader.put_bot(bot, words, dir);
        }
        for (flag, number) in flags.values.iter().zip(numbers) {
            let (above, name) = flag.path.rsplit_once('.').unwrap_or(("", &flag.path));
            let span = reader.flag(flag.text.clone());
            match (flag.path.as_str(), &flag.value) {
                ("bots", _) => {}
                ("rules", value) => {
                    for text in texts(value) {
                        reader.put_rule(text);
                    }
                }
                (_, Value::Array(_)) if above == BOT && name == "env" => {
                    reader.put_env(&flag.value, span);
                }
                (_, value) => {
                    let value = reader.value(value, number, &flag.text);
                    reader.put(above, name.into(), value, span);
                }
            }
        }
        Ok(reader)
    }

    /// The span that stands for a flag.
    fn flag(&mut self, words: String) -> Range<usize> {
        let start = self.source.map_or(0, |source| source.text.len()) + 1 + self.flags.len();
        self.flags.push(words);
        start..start
    }

    fn at(&self, span: Range<usize>) -> At {
        let end = self.source.map_or(0, |source| source.text.len());
        match span.start.checked_sub(end + 1) {
            Some(number) => At::Flag(self.flags[number].clone()),
            None => At::File(span),
        }
    }

    /// Converts a flag's value. Each text of a list has its own place.
    fn value(&mut self, value: &'t Value, number: &'t str, words: &str) -> DeValue<'t> {
        match value {
            Value::String(text) => DeValue::String(text.into()),
            Value::Array(_) => {
                let flag = words.split(' ').next().unwrap_or_default();
                let mut list = DeArray::new();
                for text in texts(value) {
                    let span = self.flag(format!("{flag} {text}"));
                    list.push(Spanned::new(span, DeValue::String(text.into())));
                }
                DeValue::Array(list)
            }
            _ => DeValue::parse(number)
                .map_or(DeValue::String(number.into()), |value| value.into_inner()),
        }
    }

    /// Puts a value in the place of what the file has under that key.
    fn put(&mut self, above: &str, name: Cow<'t, str>, value: DeValue<'t>, span: Range<usize>) {
        let table = match above {
            "" => Some(&mut self.table),
            BOT => match self.table.get_mut("bots").map(Spanned::get_mut) {
                Some(DeValue::Array(bots)) => bots.first_mut().and_then(as_table),
                _ => None,
            },
            above => {
                let name = Spanned::new(span.clone(), above.to_owned().into());
                let empty = Spanned::new(span.clone(), DeValue::Table(DeTable::new()));
                as_table(self.table.entry(name).or_insert(empty))
            }
        };
        if let Some(table) = table {
            // Inserted over another, a key would keep its place.
            table.remove(name.as_ref());
            table.insert(Spanned::new(span.clone(), name), Spanned::new(span, value));
        }
    }

    /// Puts a bot NAME=COMMAND, NAME=builtin:BOT, NAME=human or BOT in the place of its namesake, or at the end.
    fn put_bot(&mut self, bot: &'t str, words: String, dir: &'t str) {
        let span = self.flag(words);
        let (name, command) = match bot.split_once('=') {
            None if bot.trim() == HUMAN => (bot.trim(), HUMAN),
            None => (bot.trim(), ""),
            Some((name, command)) => (name.trim(), command.trim()),
        };
        let entries = match command.strip_prefix(BUILTIN) {
            Some(builtin) => vec![("name", name), ("builtin", builtin)],
            None if bot.contains('=') || command == HUMAN => {
                vec![("name", name), ("command", command), ("dir", dir)]
            }
            None => vec![("name", name), ("builtin", name)],
        };
        let mut table = DeTable::new();
        for (key, text) in entries {
            let text = Spanned::new(span.clone(), DeValue::String(text.into()));
            table.insert(Spanned::new(span.clone(), key.into()), text);
        }
        let table = Spanned::new(span.clone(), DeValue::Table(table));
        let key = Spanned::new(span.clone(), "bots".into());
        let none = Spanned::new(span, DeValue::Array(DeArray::new()));
        if let DeValue::Array(bots) = self.table.entry(key).or_insert(none).get_mut() {
            let is_it = |bot: &Spanned<DeValue<'_>>| {
                bot.get_ref()
                    .get("name")
                    .is_some_and(|other| other.get_ref().as_str() == Some(name))
            };
            match bots.iter_mut().find(|bot| is_it(bot)) {
                Some(namesake) => *namesake = table,
                None => bots.push(table),
            }
        }
    }

    /// Puts a rule NAME=VALUE among those of the file. A value that is no TOML is a word.
    fn put_rule(&mut self, rule: &'t str) {
        let words = format!("--rule {rule}");
        let span = self.flag(words);
        let word = rule.split_once('=').map(|(name, word)| {
            let word = DeValue::String(word.trim().into());
            (name.trim().into(), word)
        });
        let read: Vec<(Cow<'_, str>, DeValue<'_>)> = match DeTable::parse(rule) {
            Ok(table) => {
                let entries = table.into_inner().into_iter();
                entries
                    .map(|(name, value)| (name.into_inner(), value.into_inner()))
                    .collect()
            }
            Err(_) => word.into_iter().collect(),
        };
        if read.is_empty() {
            let (what, help) = (
                "this is not a rule",
                "write it as NAME=VALUE, such as rounds=1",
            );
            self.wrong
                .push(Diagnostic::new(&self.at(span.clone()), what, help));
        }
        for (name, value) in read {
            self.put("rules", name, value, span.clone());
        }
    }

    /// Puts variables NAME=VALUE into the environment of the only bot.
    fn put_env(&mut self, given: &'t Value, span: Range<usize>) {
        let mut env = DeTable::new();
        for text in texts(given) {
            let (name, value) = text.split_once('=').unwrap_or(("", text));
            if name.is_empty() {
                let at = At::Flag(format!("--env {text}"));
                let what = "this does not set a variable";
                self.wrong
                    .push(Diagnostic::new(&at, what, "write NAME=VALUE"));
            } else {
                let value = Spanned::new(span.clone(), DeValue::String(value.into()));
                env.insert(Spanned::new(span.clone(), name.into()), value);
            }
        }
        self.put(BOT, "env".into(), DeValue::Table(env), span);
    }

    /// Finds a value by its path, such as `bots.0.name`, or the innermost that is there of those around it: where its key stands, and it.
    fn find(&self, path: &str) -> Option<(Range<usize>, &Spanned<DeValue<'t>>, bool)> {
        let mut found: Option<(Range<usize>, &Spanned<DeValue<'t>>)> = None;
        for part in path.split('.') {
            let table = match found.as_ref().map(|(_, value)| value.get_ref()) {
                None => &self.table,
                Some(DeValue::Table(table)) => table,
                Some(DeValue::Array(list)) => {
                    match part.parse().ok().and_then(|number: usize| list.get(number)) {
                        Some(value) => found = Some((value.span(), value)),
                        None => return found.map(|(key, value)| (key, value, false)),
                    }
                    continue;
                }
                Some(_) => return found.map(|(key, value)| (key, value, false)),
            };
            match table.get_key_value(part) {
                Some((key, value)) => found = Some((key.span(), value)),
                None => return found.map(|(key, value)| (key, value, false)),
            }
        }
        found.map(|(key, value)| (key, value, true))
    }

    /// Where a value stands or is missing.
    pub fn place(&self, path: &str) -> At {
        self.find(path)
            .map_or(At::Nowhere, |(_, value, _)| self.at(value.span()))
    }

    /// Where a key stands or is missing.
    pub fn key_place(&self, path: &str) -> At {
        self.find(path)
            .map_or(At::Nowhere, |(key, ..)| self.at(key))
    }

    /// The value at a path, if it is there.
    pub fn get(&self, path: &str) -> Option<&Spanned<DeValue<'t>>> {
        self.find(path)
            .filter(|(.., is_there)| *is_there)
            .map(|(_, value, _)| value)
    }

    /// The names of the keys in the table at a path; those of the whole file at the empty path.
    pub fn keys(&self, path: &str) -> Vec<String> {
        self.table_at(path)
            .into_iter()
            .flat_map(|table| table.keys())
            .map(|key| key.get_ref().clone().into_owned())
            .collect()
    }

    fn table_at(&self, path: &str) -> Option<&DeTable<'t>> {
        if path.is_empty() {
            return Some(&self.table);
        }
        self.get(path)?.get_ref().as_table()
    }

    /// Checks that the keys of a table, if it is there, are declared, and that its whole numbers are within their ranges.
    pub fn check(&mut self, path: &str, declared: &[&Key]) {
        let mut wrong = Vec::new();
        for (name, value) in self.table_at(path).into_iter().flatten() {
            match declared.iter().find(|key| key.name == name.get_ref()) {
                None => {
                    let known: Vec<&str> = declared.iter().map(|key| key.name).collect();
                    let what = format!("there is no key {}", quoted(name.get_ref()));
                    let help = suggest::key(name.get_ref(), &known);
                    wrong.push(Diagnostic::new(&self.at(name.span()), what, help));
                }
                Some(key) => {
                    if let Kind::Whole(range) = &key.kind
                        && let Some((what, help)) = check_whole(key.name, value.get_ref(), range)
                    {
                        wrong.push(Diagnostic::new(&self.at(value.span()), what, help));
                    }
                }
            }
        }
        self.wrong.extend(wrong);
    }

    /// Deserialises the whole file.
    pub fn read<T: Deserialize<'t>>(&mut self) -> Option<T> {
        let table = DeValue::Table(self.table.clone());
        let value = Spanned::new(0..0, table);
        let read = T::deserialize(ValueDeserializer::from(value));
        read.map_err(|error| self.explain(&error, "key")).ok()
    }

    /// Notes an error of serde. `noun` is the word for a key of that table.
    pub fn explain(&mut self, error: &toml::de::Error, noun: &str) {
        let message = error.message();
        let ticked: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let (word, known) = ticked.split_first().unwrap_or((&"", &[]));
        let (what, help) = if message.starts_with("unknown field") {
            (
                format!("there is no {noun} {}", quoted(word)),
                suggest::key(word, known),
            )
        } else if message.starts_with("unknown variant") {
            (
                format!("this cannot be {}", quoted(word)),
                suggest::value(word, known),
            )
        } else if message.starts_with("missing field") {
            (message.to_owned(), format!("add a line {word} = ..."))
        } else if let Some((found, wanted)) = message
            .strip_prefix("invalid type: ")
            .and_then(|rest| rest.split_once(", expected "))
        {
            (
                format!("this must be {}, not {found}", readable(wanted)),
                String::new(),
            )
        } else if let Some((found, wanted)) = message
            .strip_prefix("invalid value: ")
            .and_then(|rest| rest.split_once(", expected "))
        {
            (
                format!("{} is out of range", found.replace('`', "")),
                format!("write {}", readable(wanted)),
            )
        } else {
            (message.to_owned(), String::new())
        };
        let at = error
            .span()
            .map_or(At::Nowhere, |span| self.at(span.clone()));
        self.wrong.push(Diagnostic::new(&at, what, help));
    }

    /// Notes something that is wrong with the value at a path.
    pub fn add(&mut self, path: &str, what: impl Into<String>, help: impl Into<String>) {
        let diagnostic = Diagnostic::new(&self.place(path), what, help);
        self.wrong.push(diagnostic);
    }

    /// Notes something that is wrong with the key at a path.
    pub fn add_to_key(&mut self, path: &str, what: impl Into<String>, help: impl Into<String>) {
        let diagnostic = Diagnostic::new(&self.key_place(path), what, help);
        self.wrong.push(diagnostic);
    }

    /// Notes a complaint.
    pub fn complain(&mut self, complaint: Complaint) {
        let at = self.place(&complaint.at);
        let mut diagnostic = Diagnostic::new(&at, complaint.what, complaint.help);
        if let Some((path, why)) = complaint.also {
            diagnostic = diagnostic.also(&self.place(&path), why);
        }
        self.wrong.push(diagnostic);
    }

    /// True if nothing wrong was found yet.
    pub fn is_fine(&self) -> bool {
        self.wrong.is_empty()
    }

    /// Returns what was read, unless anything is wrong.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, UsageError> {
        match read {
            Some(read) if self.wrong.is_empty() => Ok(read),
            _ => Err(UsageError::all(self.source.cloned(), self.wrong)),
        }
    }
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

fn as_table<'a, 't>(value: &'a mut Spanned<DeValue<'t>>) -> Option<&'a mut DeTable<'t>> {
    match value.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

/// Says what is wrong with a number, and what to write instead.
fn check_whole(
    key: &str,
    value: &DeValue<'_>,
    range: &RangeInclusive<u64>,
) -> Option<(String, String)> {
    let Some(written) = value.as_integer() else {
        let what = format!("`{key}` must be a whole number, found {}", value.type_str());
        return Some((what, "write a number, without quotes".into()));
    };
    let number = i128::from_str_radix(written.as_str(), written.radix()).ok();
    let number = number.unwrap_or(i128::MAX);
    let least = i128::from(*range.start());
    let most = i128::from(*range.end());
    let (bound, help) = if number < least {
        (
            format!("at least {least}"),
            format!("write {least} or more"),
        )
    } else if number > most {
        (format!("at most {most}"), format!("write {most} or less"))
    } else {
        return None;
    };
    Some((format!("`{key}` must be {bound}, not {written}"), help))
}

/// The name of a type for people.
fn readable(wanted: &str) -> &str {
    match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table",
        wanted => wanted,
    }
}

/// Text that is no TOML.
fn syntax(text: &str, error: &toml::de::Error) -> Diagnostic {
    let mut span = error.span().unwrap_or_default();
    if span.start >= text.len() {
        // There is nothing to point at but the end of the last line.
        let end = text.trim_end().len();
        span = end..end;
    }
    let (what, expected) = error
        .message()
        .split_once(", expected ")
        .unwrap_or((error.message(), "nothing"));
    let help = match expected {
        "nothing" => String::new(),
        expected => format!("expected {expected}"),
    };
    Diagnostic::new(&At::File(span), what, help)
}
