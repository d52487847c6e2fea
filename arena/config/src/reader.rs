//! Merges the tables of a tournament file with the values of flags, tracks their locations, and collects problems.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use arena_tournament::complaint::Complaint;
use arena_tournament::formats;
use arena_tournament::key::{Key, Kind};
use arena_tournament::keys;
use arena_tournament::suggest::{self, quoted};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue, ValueDeserializer};

use super::diagnostic::{At, Diagnostic, Source, UsageError};
use super::flags::BOT;

/// A tournament file being read, with values replaced by flags.
pub struct Reader<'t> {
    source: Option<&'t Source>,
    /// Words of the flags. A span beyond the file's text stands for one of them.
    flags: Vec<&'t str>,
    table: DeTable<'t>,
    wrong: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    /// Parses a file and the documents of flags, each with its words, whose values replace those of the file.
    pub fn new(
        source: Option<&'t Source>,
        flags: &'t [(String, Option<String>)],
    ) -> Result<Self, UsageError> {
        let text = source.map_or("", |source| source.text.as_str());
        let (table, errors) = DeTable::parse_recoverable(text);
        let start = |error: &&toml::de::Error| error.span().unwrap_or_default().start;
        if let Some(error) = errors.iter().min_by_key(start) {
            let wrong = syntax(text, error);
            return Err(UsageError::all(source.cloned(), vec![wrong]));
        }
        let mut reader = Self {
            source,
            flags: flags.iter().map(|(words, _)| words.as_str()).collect(),
            table: table.into_inner(),
            wrong: Vec::new(),
        };
        for (number, (words, document)) in flags.iter().enumerate() {
            let start = text.len() + 1 + number;
            match document.as_deref().map(DeTable::parse) {
                Some(Ok(table)) => overlay(&mut reader.table, table.into_inner(), &(start..start)),
                _ => {
                    let at = At::Flag(words.clone());
                    let help = "write it as NAME=VALUE";
                    let wrong = Diagnostic::new(at, "this sets nothing", help);
                    reader.wrong.push(wrong);
                }
            }
        }
        if let Some((_, program)) = reader.table.remove_entry(BOT)
            && let DeValue::Table(program) = program.into_inner()
            && let Some(DeValue::Array(bots)) = reader.table.get_mut("bots").map(Spanned::get_mut)
            && let Some(DeValue::Table(bot)) = bots.first_mut().map(Spanned::get_mut)
        {
            bot.extend(program);
        }
        reader.check_keys();
        Ok(reader)
    }

    fn at(&self, span: Range<usize>) -> At {
        let end = self.source.map_or(0, |source| source.text.len());
        match span.start.checked_sub(end + 1) {
            Some(number) => At::Flag(self.flags[number].to_owned()),
            None => At::File(span),
        }
    }

    /// Returns the location of the value at a path such as `bots.0.name`, or of the innermost existing parent.
    pub fn place(&self, path: &str) -> At {
        let mut parts = path.split('.');
        let Some(mut found) = parts.next().and_then(|name| self.table.get(name)) else {
            return At::Nowhere;
        };
        for part in parts {
            let value = found.get_ref();
            let number = part.parse::<usize>();
            match number.map_or_else(|_| value.get(part), |number| value.get(number)) {
                Some(inner) => found = inner,
                None => break,
            }
        }
        self.at(found.span())
    }

    /// Returns the value of a top-level key.
    pub fn get(&self, key: &str) -> Option<&Spanned<DeValue<'t>>> {
        self.table.get(key)
    }

    /// Returns the table of a bot.
    pub fn bot(&self, number: usize) -> Option<&DeTable<'t>> {
        let bots = self.table.get("bots")?.get_ref();
        bots.get(number)?.get_ref().as_table()
    }

    /// Checks that the keys of all tables are declared, and that integers are in range.
    fn check_keys(&mut self) {
        let of_formats = formats::LISTED.iter().flat_map(|format| format.keys);
        let all: Vec<&Key> = keys::TOURNAMENT.iter().chain(of_formats).collect();
        let [clock, limits, bot] = [keys::CLOCK, keys::LIMITS, keys::BOT].map(Vec::from_iter);
        let mut tables = vec![
            (Some(&self.table), &all),
            (inner(&self.table, "clock"), &clock),
            (inner(&self.table, "limits"), &limits),
        ];
        for table in (0..).map_while(|number| self.bot(number)) {
            tables.extend([(Some(table), &bot), (inner(table, "clock"), &clock)]);
        }
        let mut wrong = Vec::new();
        for (table, declared) in tables {
            let keys = table.into_iter().flatten();
            wrong.extend(keys.filter_map(|key| self.check_key(key, declared)));
        }
        self.wrong.extend(wrong);
    }

    /// Checks a key of a table, and an integer value, against the keys declared for the table.
    fn check_key(
        &self,
        (name, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>),
        declared: &[&Key],
    ) -> Option<Diagnostic> {
        let written = name.get_ref().as_ref();
        let Some(key) = declared.iter().find(|key| key.name == written) else {
            // Several formats may declare the same key.
            let known: BTreeSet<&str> = declared.iter().map(|key| key.name).collect();
            let what = format!("there is no key {}", quoted(written));
            let tables = [("clock", keys::CLOCK), ("limits", keys::LIMITS)];
            let table = tables
                .iter()
                .find(|(_, keys)| keys.iter().any(|key| key.name == written));
            let help = table.map_or_else(
                || suggest::key(written, &Vec::from_iter(known)),
                |(table, _)| format!("write it under [{table}]"),
            );
            return Some(Diagnostic::new(self.at(name.span()), what, help));
        };
        let Kind::Whole(range) = &key.kind else {
            return None;
        };
        let (what, help) = check_whole(written, value.get_ref(), range)?;
        Some(Diagnostic::new(self.at(value.span()), what, help))
    }

    /// Deserialises the whole file, unless its keys have problems.
    pub fn read<T: Deserialize<'t>>(&mut self) -> Option<T> {
        if !self.is_fine() {
            return None;
        }
        let table = Spanned::new(0..0, DeValue::Table(self.table.clone()));
        let read = T::deserialize(ValueDeserializer::from(table));
        read.map_err(|error| self.explain(&error, "key", String::new()))
            .ok()
    }

    /// Records a serde error. `noun` is the word for a key of that table, and `about` describes the valid values.
    pub fn explain(&mut self, error: &toml::de::Error, noun: &str, about: String) {
        let at = error.span().map_or(At::Nowhere, |span| self.at(span));
        self.explained(at, error.message(), noun, about);
    }

    /// Like `explain`, with an error of another reader at a location in the file.
    pub fn explain_at(&mut self, span: Range<usize>, message: &str, noun: &str, about: String) {
        let at = self.at(span);
        self.explained(at, message, noun, about);
    }

    fn explained(&mut self, at: At, message: &str, noun: &str, about: String) {
        let ticked: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let (word, known) = ticked.split_first().unwrap_or((&"", &[]));
        let (found, wanted) = message.split_once(", expected ").unwrap_or((message, ""));
        let (what, help) = match found.split_once([':', '`']) {
            Some(("unknown field ", _)) => (
                format!("there is no {noun} {}", quoted(word)),
                suggest::key(word, known),
            ),
            Some(("unknown variant ", _)) => (
                format!("this cannot be {}", quoted(word)),
                suggest::value(word, known),
            ),
            Some(("invalid type" | "invalid value", found)) => (
                format!("this must be {}, not{found}", readable(wanted)),
                about,
            ),
            _ => (message.to_owned(), String::new()),
        };
        self.wrong.push(Diagnostic::new(at, what, help));
    }

    /// Records a problem with the value at a path.
    pub fn add(&mut self, path: &str, what: impl Into<String>, help: impl Into<String>) {
        self.complain(Complaint::new(path, what, help));
    }

    /// Records a complaint.
    pub fn complain(&mut self, complaint: Complaint) {
        let at = self.place(&complaint.at);
        let mut diagnostic = Diagnostic::new(at, complaint.what, complaint.help);
        if let Some((path, why)) = complaint.also {
            diagnostic = diagnostic.also(&self.place(&path), why);
        }
        self.wrong.push(diagnostic);
    }

    /// Returns true if there are no problems so far.
    pub fn is_fine(&self) -> bool {
        self.wrong.is_empty()
    }

    /// Returns the value read, unless there are problems.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, UsageError> {
        match read {
            Some(read) if self.wrong.is_empty() => Ok(read),
            _ => Err(UsageError::all(self.source.cloned(), self.wrong)),
        }
    }
}

/// Replaces the values of a table with those of a flag, all located at its span. Bots replace bots of the same name.
fn overlay<'t>(table: &mut DeTable<'t>, flag: DeTable<'t>, span: &Range<usize>) {
    for (name, value) in flag {
        let name = Spanned::new(span.clone(), name.into_inner());
        let at = |value| Spanned::new(span.clone(), value);
        match value.into_inner() {
            DeValue::Table(inner) => {
                let empty = at(DeValue::Table(DeTable::new()));
                if let DeValue::Table(table) = table.entry(name).or_insert(empty).get_mut() {
                    overlay(table, inner, span);
                }
            }
            DeValue::Array(bots) if name.get_ref() == "bots" => {
                let empty = at(DeValue::Array(DeArray::new()));
                if let DeValue::Array(all) = table.entry(name).or_insert(empty).get_mut() {
                    for bot in bots {
                        put_bot(all, bot.into_inner(), span);
                    }
                }
            }
            value => {
                // Inserting over an existing key would keep the old key's span.
                table.remove(name.get_ref().as_ref());
                table.insert(name, at(moved(value, span)));
            }
        }
    }
}

/// Returns the value with all its list elements located at this span.
fn moved<'t>(value: DeValue<'t>, span: &Range<usize>) -> DeValue<'t> {
    let DeValue::Array(values) = value else {
        return value;
    };
    let mut all = DeArray::new();
    for value in values {
        all.push(Spanned::new(span.clone(), moved(value.into_inner(), span)));
    }
    DeValue::Array(all)
}

fn put_bot<'t>(all: &mut DeArray<'t>, bot: DeValue<'t>, span: &Range<usize>) {
    let DeValue::Table(bot) = bot else { return };
    let mut table = DeTable::new();
    overlay(&mut table, bot, span);
    let new = Spanned::new(span.clone(), DeValue::Table(table));
    let name = |bot: &Spanned<DeValue<'t>>| {
        let name = bot.get_ref().get("name")?.get_ref().as_str();
        name.map(str::to_owned)
    };
    // Only flags have empty spans; two flags with the same name are a mistake.
    let is_namesake =
        |bot: &Spanned<DeValue<'t>>| !bot.span().is_empty() && name(bot) == name(&new);
    match all.iter_mut().find(|bot| is_namesake(bot)) {
        Some(namesake) => *namesake = new,
        None => all.push(new),
    }
}

/// Returns a table within a table, if it exists.
fn inner<'a, 't>(table: &'a DeTable<'t>, key: &str) -> Option<&'a DeTable<'t>> {
    table.get(key)?.get_ref().as_table()
}

/// Checks a number, and suggests a valid one.
fn check_whole(
    key: &str,
    value: &DeValue<'_>,
    range: &RangeInclusive<u64>,
) -> Option<(String, String)> {
    let Some(written) = value.as_integer() else {
        let what = format!("`{key}` must be a whole number, found {}", value.type_str());
        return Some((what, "write a number, without quotes".into()));
    };
    let number = i128::from_str_radix(written.as_str(), written.radix());
    let number = number.unwrap_or(i128::MAX);
    let (least, most) = (*range.start(), *range.end());
    let (bound, limit, more) = if number < least.into() {
        ("at least", least, "more")
    } else if number > most.into() {
        ("at most", most, "less")
    } else {
        return None;
    };
    let what = format!("`{key}` must be {bound} {limit}, not {written}");
    Some((what, format!("write {limit} or {more}")))
}

/// Returns the name of a type for people.
fn readable(wanted: &str) -> &str {
    match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number within its range",
        "a JSON number" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table",
        wanted => wanted,
    }
}

/// Creates a diagnostic for a TOML syntax error.
fn syntax(text: &str, error: &toml::de::Error) -> Diagnostic {
    let mut span = error.span().unwrap_or_default();
    if span.start >= text.len() {
        // Beyond the text, the only place to point at is the end of the last line.
        let end = text.trim_end().len();
        span = end..end;
    }
    let is_escape = ["escape", "unicode value"]
        .iter()
        .any(|word| error.message().contains(word));
    let help = if is_escape {
        "in double quotes \\ begins an escape: write paths with /, or in single quotes"
    } else {
        ""
    };
    Diagnostic::new(At::File(span), error.message(), help)
}
