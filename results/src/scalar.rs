//! One exact value, as CSV and as JSON.

use std::borrow::Cow;

use arena_tournament::printable::unsafe_to_show;

/// A value in a row of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar<'a> {
    /// No value: empty, or null.
    Missing,
    /// A whole number that may be negative.
    Integer(i64),
    /// A whole number that is not.
    Count(u64),
    /// Any other number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// Text, which may come from bots.
    Text(Cow<'a, str>),
}

impl<'a> Scalar<'a> {
    /// Text.
    pub(crate) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// A count, if it is known.
    pub(crate) fn count(count: Option<u64>) -> Self {
        count.map_or(Self::Missing, Self::Count)
    }

    /// A number, if it is known.
    pub(crate) fn number(number: Option<f64>) -> Self {
        number.map_or(Self::Missing, Self::Number)
    }

    /// The value as CSV, not yet quoted.
    pub(crate) fn csv(&self) -> String {
        match self {
            Scalar::Missing => String::new(),
            Scalar::Integer(number) => number.to_string(),
            Scalar::Count(number) => number.to_string(),
            Scalar::Number(number) => number.to_string(),
            Scalar::Flag(flag) => flag.to_string(),
            Scalar::Text(text) => guarded(text),
        }
    }

    /// The value as JSON.
    pub(crate) fn json(&self) -> String {
        match self {
            Scalar::Missing => "null".into(),
            Scalar::Text(text) => json(text),
            _ => self.csv(),
        }
    }
}

/// Text as JSON.
pub(crate) fn json(text: &str) -> String {
    serde_json::to_string(text).expect("text can always be written as JSON")
}

/// Text from bots, which no spreadsheet will take for a formula: such text gets a leading apostrophe. So does text
/// that begins with an apostrophe or a control character; dropping one leading apostrophe restores every text.
///
/// A formula may hide behind blanks and what cannot be seen, and be written in wide characters (OWASP 2023, "CSV Injection").
pub fn guarded(text: &str) -> String {
    let seen = text.trim_start_matches(|c: char| c.is_whitespace() || unsafe_to_show(c));
    let formula = seen.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let odd = text.starts_with(|c: char| c == '\'' || c.is_control());
    if formula || odd {
        format!("'{text}")
    } else {
        text.into()
    }
}
