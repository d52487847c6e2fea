//! Tables of the tournament file, read by the declarations of their keys: values of the right kind, and where they stand.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use arena_engine::games;
use arena_tournament::clock::TimeControl;
use arena_tournament::complaint::Complaint;
use arena_tournament::key::{Key, Kind};
use arena_tournament::suggest::{self, quoted};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::{At, Diagnostic, Source, UsageError};
use super::flags::FlagValue;

/// What keys take, with help for values of other types.
pub const WHOLE: (&str, &str) = ("a whole number", "write a number, without quotes");
/// The same of true and false.
pub const TRUTH: (&str, &str) = ("true or false", "write true or false, without quotes");
/// The same of strings.
pub const TEXT: (&str, &str) = ("a string", "write it in quotes");

/// Everything that is known of a description while it is read: where its values stand, and what is wrong with it.
#[derive(Default)]
pub struct Reader {
    /// Where the names of keys stand, and their values, by the paths of the keys.
    places: BTreeMap<String, (At, At)>,
    diagnostics: Vec<Diagnostic>,
    /// True if bots that cannot be found are left out.
    pub keep_going: bool,
    /// The clock of the tournament, which bots have but for what they say of their own.
    pub clock: TimeControl,
    /// True if nobody has a limit for answers.
    pub no_clock: bool,
    /// True if a roster names the bots.
    pub pseudonyms: bool,
}

/// A table that has been read.
pub struct Section<'t> {
    /// The values of the declared keys that are there and right.
    pub values: Map<String, Value>,
    path: String,
    table: Option<&'t DeTable<'t>>,
    /// The declared keys with wrong values, for which there are diagnostics.
    wrong: BTreeSet<&'static str>,
    /// Keys that are not declared.
    unknown: Vec<String>,
}

impl Reader {
    /// Reads a table, if there is one; the values of flags go before those of the file.
    pub fn section<'t>(
        &mut self,
        path: &str,
        table: Option<&'t DeTable<'t>>,
        declared: impl IntoIterator<Item = &'static Key>,
        flags: &[FlagValue],
    ) -> Section<'t> {
        let declared: Vec<&Key> = declared.into_iter().collect();
        let known: Vec<&str> = declared.iter().map(|key| key.name).collect();
        let mut unknown = Vec::new();
        for key in table
            .into_iter()
            .flat_map(DeTable::keys)
            .filter(|key| !known.contains(&key.get_ref().as_ref()))
        {
            let what = format!("there is no key {}", quoted(key.get_ref()));
            self.add(Diagnostic::new(
                &At::File(key.span()),
                what,
                suggest::key(key.get_ref(), &known),
            ));
            unknown.push(key.get_ref().clone().into_owned());
        }
        let mut section = Section {
            values: Map::new(),
            path: path.to_owned(),
            table,
            wrong: BTreeSet::new(),
            unknown,
        };
        for key in declared {
            let at = section.at(key.name);
            let is_table = matches!(key.kind, Kind::Table | Kind::Tables);
            let flag = flags.iter().rfind(|flag| flag.path == at && !is_table);
            let value = match (flag, table.and_then(|table| table.get_key_value(key.name))) {
                (Some(flag), _) => {
                    self.put(&at, &At::Flag(flag.text.clone()));
                    self.of_flag(key, &at, flag)
                }
                (None, Some((name, value))) => {
                    self.places
                        .insert(at.clone(), (At::File(name.span()), At::File(value.span())));
                    if is_table {
                        continue;
                    }
                    self.of_file(key, &at, value)
                }
                (None, None) => continue,
            };
            match value {
                Ok(value) => drop(section.values.insert(key.name.to_owned(), value)),
                Err(diagnostic) => {
                    self.add(diagnostic);
                    section.wrong.insert(key.name);
                }
            }
        }
        section
    }

    fn of_flag(&mut self, key: &Key, at: &str, flag: &FlagValue) -> Result<Value, Diagnostic> {
        let place = At::Flag(flag.text.clone());
        match (&key.kind, &flag.value) {
            (Kind::Whole(range), Value::Number(number)) => within(
                key.name,
                &number.to_string(),
                number.as_u64(),
                &place,
                range,
            ),
            (Kind::Word(words), Value::String(word)) => one_of(key.name, word, words, &place),
            (_, value) => {
                for (number, text) in value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .enumerate()
                {
                    let place = At::Flag(format!("--{} {text}", key.flag.unwrap_or(key.name)));
                    self.put(&format!("{at}.{number}"), &place);
                }
                Ok(value.clone())
            }
        }
    }

    fn of_file(
        &mut self,
        key: &Key,
        at: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Value, Diagnostic> {
        let place = At::File(value.span());
        let mistyped = |wanted| Err(mistyped(key.name, value, wanted));
        match (&key.kind, value.get_ref()) {
            (Kind::Whole(range), DeValue::Integer(written)) => {
                let number = u64::from_str_radix(written.as_str(), written.radix()).ok();
                within(key.name, &written.to_string(), number, &place, range)
            }
            (Kind::Whole(_), _) => mistyped(WHOLE),
            (Kind::Text, _) => text(key.name, value).map(Value::String),
            (Kind::Word(words), _) => {
                text(key.name, value).and_then(|word| one_of(key.name, &word, words, &place))
            }
            (Kind::Truth, DeValue::Boolean(truth)) => Ok((*truth).into()),
            (Kind::Truth, _) => mistyped(TRUTH),
            (Kind::Texts, DeValue::Array(list)) => {
                for (number, value) in list.iter().enumerate() {
                    self.put(&format!("{at}.{number}"), &At::File(value.span()));
                }
                list.iter()
                    .map(|value| text(key.name, value).map(Value::String))
                    .collect()
            }
            (Kind::Texts, _) => mistyped(("a list of strings", "write it as [\"a\", \"b\"]")),
            (Kind::Table | Kind::Tables, _) => {
                unreachable!("tables are read as sections of their own")
            }
        }
    }

    /// The table under a key; none if there is none.
    pub fn table<'t>(&mut self, section: &Section<'t>, key: &str) -> Option<&'t DeTable<'t>> {
        let value = section.table?.get(key)?;
        if let DeValue::Table(table) = value.get_ref() {
            return Some(table);
        }
        let help = format!("write [{key}] with single brackets, and its keys below");
        self.add(mistyped(key, value, ("a table", &help)));
        None
    }

    /// The tables in a list under a key, with their places; none if one of them is no table.
    pub fn tables<'t>(
        &mut self,
        section: &Section<'t>,
        key: &str,
    ) -> Option<Vec<(&'t DeTable<'t>, At)>> {
        let Some(value) = section.table.and_then(|table| table.get(key)) else {
            return Some(Vec::new());
        };
        let help = format!("write [[{key}]] with two brackets, once for each, and its keys below");
        let wrong = |value| mistyped(key, value, ("a list of tables", &help));
        let DeValue::Array(list) = value.get_ref() else {
            self.add(wrong(value));
            return None;
        };
        let mut tables = Vec::new();
        for value in list.iter() {
            match value.get_ref() {
                DeValue::Table(table) => tables.push((table, At::File(value.span()))),
                _ => self.add(wrong(value)),
            }
        }
        (tables.len() == list.len()).then_some(tables)
    }

    /// Where the value of a key stands.
    pub fn place(&self, path: &str) -> At {
        self.places
            .get(path)
            .map_or(At::Nowhere, |(_, value)| value.clone())
    }

    /// Where a key itself stands.
    pub fn key_place(&self, path: &str) -> At {
        self.places
            .get(path)
            .map_or(At::Nowhere, |(key, _)| key.clone())
    }

    /// Lets a path lead to a place.
    pub fn put(&mut self, path: &str, at: &At) {
        self.places
            .insert(path.to_owned(), (at.clone(), at.clone()));
    }

    /// Notes something that is wrong.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Notes something that is wrong with the value of a key.
    pub fn complain(&mut self, complaint: Complaint) {
        let diagnostic =
            Diagnostic::new(&self.place(&complaint.at), complaint.what, complaint.help);
        self.diagnostics.push(match complaint.also {
            Some((path, why)) => diagnostic.also(&self.place(&path), why),
            None => diagnostic,
        });
    }

    /// What was read, unless anything is wrong.
    pub fn finish<T>(self, read: T, source: Option<Source>) -> Result<T, UsageError> {
        if self.diagnostics.is_empty() {
            Ok(read)
        } else {
            Err(UsageError::all(source, self.diagnostics))
        }
    }
}

impl<'t> Section<'t> {
    /// The path of one of its keys.
    pub fn at(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// The value of a key, if it is there and right.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        T::deserialize(self.values.get(key)?).ok()
    }

    /// True if a key is there, but its value is wrong.
    pub fn is_wrong(&self, key: &str) -> bool {
        self.wrong.contains(key)
    }

    /// True if a key is there.
    pub fn has(&self, key: &str) -> bool {
        self.is_wrong(key) || self.values.contains_key(key)
    }

    /// The declared keys that are there.
    pub fn given(&self) -> Vec<String> {
        self.values
            .keys()
            .cloned()
            .chain(self.wrong.iter().map(ToString::to_string))
            .collect()
    }

    /// True if one of these keys may have been meant by one that is not declared.
    pub fn is_misspelt(&self, keys: &[&str]) -> bool {
        self.unknown
            .iter()
            .any(|key| suggest::nearest(key, keys).is_some())
    }
}

fn within(
    key: &str,
    written: &str,
    number: Option<u64>,
    at: &At,
    range: &RangeInclusive<u64>,
) -> Result<Value, Diagnostic> {
    let (least, most) = (*range.start(), *range.end());
    if let Some(number) = number.filter(|number| range.contains(number)) {
        return Ok(number.into());
    }
    let below = number.map_or(written.starts_with('-'), |number| number < least);
    let (bound, help) = if below {
        (
            format!("at least {least}"),
            format!("write {least} or more"),
        )
    } else {
        (format!("at most {most}"), format!("write {most} or less"))
    };
    Err(Diagnostic::new(
        at,
        format!("`{key}` must be {bound}, not {written}"),
        help,
    ))
}

fn one_of(key: &str, word: &str, words: &[&str], at: &At) -> Result<Value, Diagnostic> {
    if words.contains(&word) || key == "game" && games::HIDDEN.contains(&word) {
        return Ok(word.into());
    }
    let what = match key {
        "game" | "format" => format!("there is no {key} {}", quoted(word)),
        _ => format!("`{key}` cannot be {}", quoted(word)),
    };
    Err(Diagnostic::new(at, what, suggest::value(word, words)))
}

/// A string under a key.
pub fn text(key: &str, value: &Spanned<DeValue<'_>>) -> Result<String, Diagnostic> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.clone().into_owned()),
        _ => Err(mistyped(key, value, TEXT)),
    }
}

/// That a value has another type than its key takes; what it takes comes with help.
fn mistyped(key: &str, value: &Spanned<DeValue<'_>>, (wanted, help): (&str, &str)) -> Diagnostic {
    let found = value.get_ref().type_str();
    Diagnostic::new(
        &At::File(value.span()),
        format!("`{key}` must be {wanted}, found {found}"),
        help,
    )
}
