//! Merges the tables of a tournament file with the values of flags, tracks their locations, and collects problems.

use std::collections::BTreeSet;
use std::ops::Range;

use arena_tournament::complaint::Complaint;
use arena_tournament::formats;
use arena_tournament::key::Key;
use arena_tournament::keys;
use arena_tournament::suggest::{self, quoted};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue, ValueDeserializer};

use super::diagnostic::{At, Diagnostic, Source, UsageError};
use super::legal::{self, Wrong, expect};

/// Help for a flag whose value has no name.
pub const NAME_VALUE: &str = "write it as NAME=VALUE";
/// The first key in the paths of a bot that is described by flags alone.
pub const BOT: &str = "program";

/// A tournament file being read, with values replaced by flags.
pub struct Reader<'t> {
    source: Option<&'t Source>,
    /// The words of the flags. Each flag has a span beyond the end of the file's text.
    flags: Vec<&'t str>,
    table: DeTable<'t>,
    wrong: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    /// Parses a file, and the documents of flags with their words. Values of flags replace those of the file.
    pub fn new(
        source: Option<&'t Source>,
        flags: &'t [(String, Result<String, Complaint>)],
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
            let unnamed = || Complaint::new("", "this sets nothing", NAME_VALUE);
            let table = document.as_deref().map_err(Complaint::clone);
            match table.and_then(|text| DeTable::parse(text).map_err(|_| unnamed())) {
                Ok(table) => overlay(&mut reader.table, table.into_inner(), &(start..start)),
                Err(Complaint { what, help, .. }) => {
                    let at = At::Flag(words.clone());
                    reader.wrong.push(Diagnostic::new(at, what, help));
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

    /// Returns the location of the value at a path such as `bots.0.name`, or of its innermost parent that exists.
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

    /// Checks that the keys of all tables are declared, and that their values are valid.
    fn check_keys(&mut self) {
        let of_formats = formats::LISTED.iter().flat_map(|format| format.keys);
        let all: Vec<&Key> = keys::TOURNAMENT.iter().chain(of_formats).collect();
        let [clock, limits, bot, parameter] =
            [keys::CLOCK, keys::LIMITS, keys::BOT, keys::PARAMETER].map(Vec::from_iter);
        let mut tables = vec![
            (Some(&self.table), &all),
            (inner(&self.table, "clock"), &clock),
            (inner(&self.table, "limits"), &limits),
        ];
        let mut wrong = Vec::new();
        for table in self.tables("bots") {
            tables.extend([(Some(table), &bot), (inner(table, "clock"), &clock)]);
            let variables = inner(table, "env").into_iter().flatten();
            wrong.extend(
                variables
                    .filter_map(|(_, value)| expect(value, "a string", value.get_ref().is_str())),
            );
        }
        tables.extend(
            self.tables(keys::TUNE)
                .map(|table| (Some(table), &parameter)),
        );
        for (table, declared) in tables {
            let keys = table.into_iter().flatten();
            wrong.extend(keys.filter_map(|key| check_key(key, declared)));
        }
        for wrong in wrong {
            self.refuse(wrong);
        }
    }

    /// Returns the tables of a list of tables.
    fn tables(&self, key: &str) -> impl Iterator<Item = &DeTable<'t>> {
        let tables = self.table.get(key).and_then(|it| it.get_ref().as_array());
        tables
            .into_iter()
            .flatten()
            .filter_map(|it| it.get_ref().as_table())
    }

    /// Deserialises the whole file, unless its keys have problems.
    pub fn read<T: Deserialize<'t>>(&mut self) -> Option<T> {
        if !self.is_fine() {
            return None;
        }
        let table = Spanned::new(0..0, DeValue::Table(self.table.clone()));
        let read = T::deserialize(ValueDeserializer::from(table));
        // Keys and values have been checked, so the error can only be a missing key, or values of a test that contradict each other.
        read.map_err(|error| {
            let span = error.span().unwrap_or_default();
            self.refuse((span, error.message().to_owned(), String::new()));
        })
        .ok()
    }

    /// Records a problem with a part of the file or a flag.
    pub fn refuse(&mut self, (span, what, help): Wrong) {
        let at = self.at(span);
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

    /// Returns the value that was read, unless there are problems.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, UsageError> {
        match read {
            Some(read) if self.wrong.is_empty() => Ok(read),
            _ => Err(UsageError::all(self.source.cloned(), self.wrong)),
        }
    }
}

/// Replaces the values of a table with those of a flag, all of which get the flag's span. Bots replace bots with the same name.
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
    // Only flags have empty spans. Two flags with the same name are a mistake.
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

/// Checks a key of a table, and its value, against the keys declared for the table.
fn check_key(
    (name, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>),
    declared: &[&Key],
) -> Option<Wrong> {
    let written = name.get_ref().as_ref();
    if let Some(key) = declared.iter().find(|key| key.name == written) {
        return legal::check(key, value);
    }
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
    Some((name.span(), what, help))
}

/// Creates a diagnostic for a TOML syntax error.
fn syntax(text: &str, error: &toml::de::Error) -> Diagnostic {
    let mut span = error.span().unwrap_or_default();
    if span.start >= text.len() {
        // For a location beyond the text, point at the end of the last line.
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
