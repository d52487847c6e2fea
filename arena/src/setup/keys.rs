//! A table of the tournament file: what stands under its keys, and what is wrong with that.

use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::misfit::{self, Misfit};
use super::nearest::{self, instead};
use super::problem::{At, Problem};

/// The largest whole number that every reader of JSON holds.
pub const MOST: u64 = (1 << 53) - 1;

/// A value that may be given.
#[derive(Clone, Debug)]
pub enum Given<T> {
    /// It is left out.
    Absent,
    /// It is given, but cannot be read, which has been said.
    Wrong,
    /// It is given.
    Told(T, At),
}

impl<T> Given<T> {
    /// The value, or the default if it is left out.
    pub fn or(self, default: T) -> Option<T> {
        match self {
            Given::Absent => Some(default),
            Given::Wrong => None,
            Given::Told(value, _) => Some(value),
        }
    }

    /// The value, if it is given and can be read.
    pub fn told(&self) -> Option<&T> {
        if let Given::Told(value, _) = self { Some(value) } else { None }
    }

    /// Where it is given.
    pub fn at(&self) -> At {
        if let Given::Told(_, at) = self { at.clone() } else { At::Nowhere }
    }

    /// The value made into another.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Given<U> {
        match self {
            Given::Absent => Given::Absent,
            Given::Wrong => Given::Wrong,
            Given::Told(value, at) => Given::Told(make(value), at),
        }
    }

    /// Whether it is left out.
    pub fn is_absent(&self) -> bool {
        matches!(self, Given::Absent)
    }

    /// Whether it is given but cannot be read.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Given::Wrong)
    }
}

/// What a flag says in place of a key.
pub fn flag<T: std::fmt::Display>(name: &str, value: Option<T>) -> Option<(T, At)> {
    value.map(|value| {
        let at = At::Flag(format!("--{name} {value}"));
        (value, at)
    })
}

/// A table that is being read: what is asked for is known, and the rest is not.
pub struct Keys<'t> {
    table: &'t DeTable<'t>,
    known: Vec<&'static str>,
    wrong: Vec<Problem>,
}

impl<'t> Keys<'t> {
    /// Begins to read a table.
    pub fn new(table: &'t DeTable<'t>) -> Self {
        Self { table, known: Vec::new(), wrong: Vec::new() }
    }

    /// All that was wrong, and the keys that nobody asked for.
    pub fn finish(mut self) -> Vec<Problem> {
        for key in self.table.keys().filter(|key| !self.known.contains(&key.get_ref().as_ref())) {
            let cure = nearest::key(key.get_ref(), &self.known);
            let what = format!("there is no key {}", quoted(key.get_ref()));
            self.wrong.push(Problem::new(&At::File(key.span()), what, cure));
        }
        self.wrong
    }

    /// Notes something that is wrong.
    pub fn blame(&mut self, problem: Problem) {
        self.wrong.push(problem);
    }

    /// The key and the value under it.
    pub fn entry(&mut self, key: &'static str) -> Option<(&'t Spanned<DeString<'t>>, &'t Spanned<DeValue<'t>>)> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.table.get_key_value(key)
    }

    fn value(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Whether there is such a key, and where.
    pub fn place(&mut self, key: &'static str) -> At {
        self.entry(key).map_or(At::Nowhere, |(key, _)| At::File(key.span()))
    }

    fn mistyped<T>(&mut self, key: &str, value: &Spanned<DeValue<'_>>, wanted: &str, cure: &str) -> Given<T> {
        self.wrong.push(mistyped(key, value, wanted, cure));
        Given::Wrong
    }

    /// Whether one of these keys may have been meant by one that is not known.
    pub fn is_misspelt(&self, keys: &[&str]) -> bool {
        let unknown = self.table.keys().filter(|key| !self.known.contains(&key.get_ref().as_ref()));
        unknown.into_iter().any(|key| nearest::nearest(key.get_ref(), keys).is_some())
    }

    /// A whole number; the flag goes before the file.
    pub fn number(&mut self, key: &'static str, flag: Option<(u64, At)>, range: RangeInclusive<u64>) -> Given<u64> {
        let value = self.value(key);
        if let Some((number, at)) = flag {
            return self.within(key, &number.to_string(), Some(number), at, &range);
        }
        let Some(value) = value else { return Given::Absent };
        match value.get_ref() {
            DeValue::Integer(written) => {
                let number = u64::from_str_radix(written.as_str(), written.radix()).ok();
                self.within(key, &written.to_string(), number, At::File(value.span()), &range)
            }
            DeValue::String(text) if text.parse::<u64>().is_ok() => {
                self.mistyped(key, value, "a whole number", &format!("write it without quotes: {text}"))
            }
            _ => self.mistyped(key, value, "a whole number", "write a whole number here"),
        }
    }

    fn within(
        &mut self,
        key: &str,
        written: &str,
        number: Option<u64>,
        at: At,
        range: &RangeInclusive<u64>,
    ) -> Given<u64> {
        let (least, most) = (*range.start(), *range.end());
        if let Some(number) = number.filter(|number| range.contains(number)) {
            return Given::Told(number, at);
        }
        let below = number.map_or(written.starts_with('-'), |number| number < least);
        let (bound, cure) = if below {
            (format!("at least {least}"), format!("write {least} or more"))
        } else {
            (format!("at most {most}"), format!("write {most} or less"))
        };
        self.wrong.push(Problem::new(&at, format!("`{key}` is {bound}, not {written}"), cure));
        Given::Wrong
    }

    /// A text.
    pub fn text(&mut self, key: &'static str, flag: Option<(String, At)>) -> Given<String> {
        let value = self.value(key);
        if let Some((text, at)) = flag {
            return Given::Told(text, at);
        }
        let Some(value) = value else { return Given::Absent };
        match text(key, value) {
            Ok(text) => Given::Told(text, At::File(value.span())),
            Err(problem) => {
                self.wrong.push(problem);
                Given::Wrong
            }
        }
    }

    /// One of a few words.
    pub fn word<T: DeserializeOwned>(&mut self, key: &'static str, flag: Option<(String, At)>) -> Given<T> {
        let Given::Told(text, at) = self.text(key, flag) else {
            return if self.table.contains_key(key) { Given::Wrong } else { Given::Absent };
        };
        match misfit::word(&text) {
            Ok(value) => Given::Told(value, at),
            Err(misfit) => {
                let cure = match misfit {
                    Misfit::Unknown(known) => instead(&text, known, quoted),
                    Misfit::Other(why) => why,
                };
                self.wrong.push(Problem::new(&at, format!("`{key}` cannot be {}", quoted(&text)), cure));
                Given::Wrong
            }
        }
    }

    /// True or false.
    pub fn truth(&mut self, key: &'static str) -> Given<bool> {
        let Some(value) = self.value(key) else { return Given::Absent };
        match value.get_ref() {
            DeValue::Boolean(truth) => Given::Told(*truth, At::File(value.span())),
            _ => self.mistyped(key, value, "true or false", "write true or false, without quotes"),
        }
    }

    /// A list of texts, each with its place.
    pub fn texts(&mut self, key: &'static str) -> Given<Vec<(String, At)>> {
        let Some(value) = self.value(key) else { return Given::Absent };
        let DeValue::Array(list) = value.get_ref() else {
            return self.mistyped(key, value, "a list", "write a list of texts, such as [\"a\", \"b\"]");
        };
        let read = list.iter().map(|value| text(key, value).map(|text| (text, At::File(value.span()))));
        let mut texts = Vec::new();
        let found = self.wrong.len();
        for one in read {
            match one {
                Ok(text) => texts.push(text),
                Err(problem) => self.wrong.push(problem),
            }
        }
        if self.wrong.len() > found { Given::Wrong } else { Given::Told(texts, At::File(value.span())) }
    }

    /// A table.
    pub fn table(&mut self, key: &'static str) -> Given<&'t DeTable<'t>> {
        let Some(value) = self.value(key) else { return Given::Absent };
        match value.get_ref() {
            DeValue::Table(table) => Given::Told(table, At::File(value.span())),
            DeValue::Array(_) => self.mistyped(key, value, "one table", &format!("write [{key}] with single brackets")),
            _ => self.mistyped(key, value, "a table", &format!("write [{key}], and its keys below")),
        }
    }

    /// A list of tables, each with its place.
    pub fn tables(&mut self, key: &'static str) -> Given<Vec<(&'t DeTable<'t>, At)>> {
        let Some(value) = self.value(key) else { return Given::Absent };
        let cure = format!("write [[{key}]] with two brackets, once for each, and its keys below");
        let DeValue::Array(list) = value.get_ref() else {
            return self.mistyped(key, value, "a list of tables", &cure);
        };
        let mut tables = Vec::new();
        let found = self.wrong.len();
        for value in list.iter() {
            match value.get_ref() {
                DeValue::Table(table) => tables.push((table, At::File(value.span()))),
                _ => self.wrong.push(mistyped(key, value, "a list of tables", &cure)),
            }
        }
        if self.wrong.len() > found { Given::Wrong } else { Given::Told(tables, At::File(value.span())) }
    }
}

/// A text under a key.
pub fn text(key: &str, value: &Spanned<DeValue<'_>>) -> Result<String, Problem> {
    let cure = match value.get_ref() {
        DeValue::String(text) => return Ok(text.clone().into_owned()),
        DeValue::Integer(number) => format!("write it in quotes: \"{number}\""),
        DeValue::Boolean(truth) => format!("write it in quotes: \"{truth}\""),
        DeValue::Array(_) => "write one text in quotes, no list".into(),
        _ => "write a text in quotes".into(),
    };
    Err(mistyped(key, value, "a text", &cure))
}

/// That a value is of another type than it has to be.
pub fn mistyped(key: &str, value: &Spanned<DeValue<'_>>, wanted: &str, cure: &str) -> Problem {
    Problem::new(&At::File(value.span()), format!("`{key}` is {wanted}, not {}", kind(value.get_ref())), cure)
}

/// What sort of value this is.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// A word in quotes, with nothing in it that a terminal would obey, and not too long.
pub fn quoted(word: &str) -> String {
    const LONGEST: usize = 40;
    if word.chars().count() <= LONGEST {
        return format!("{word:?}");
    }
    let start: String = word.chars().take(LONGEST).collect();
    format!("{:?}", start + "…")
}
