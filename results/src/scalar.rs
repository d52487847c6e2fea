//! Exact values, written as CSV and as JSON.

use std::borrow::Cow;

use arena_tournament::printable::unsafe_to_show;

/// Value in a row of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar<'a> {
    /// No value: an empty CSV cell, or JSON null.
    Missing,
    /// Signed integer.
    Integer(i64),
    /// Unsigned integer.
    Count(u64),
    /// Floating-point number.
    Number(f64),
    /// Boolean.
    Flag(bool),
    /// Text, which may come from bots.
    Text(Cow<'a, str>),
}

impl<'a> Scalar<'a> {
    pub(crate) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// Returns a count, or `Missing` if it is unknown.
    pub(crate) fn count(count: Option<u64>) -> Self {
        count.map_or(Self::Missing, Self::Count)
    }

    /// Returns a number, or `Missing` if it is unknown.
    pub(crate) fn number(number: Option<f64>) -> Self {
        number.map_or(Self::Missing, Self::Number)
    }

    /// Returns the value as a CSV cell, not yet quoted.
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

    /// Returns the value as JSON.
    pub(crate) fn json(&self) -> String {
        match self {
            Scalar::Missing => "null".into(),
            Scalar::Text(text) => json(text),
            _ => self.csv(),
        }
    }
}

/// Returns text as a JSON string.
pub(crate) fn json(text: &str) -> String {
    serde_json::to_string(text).expect("text can always be written as JSON")
}

/// Guards text from bots, so that no spreadsheet takes it for a formula. Adds a leading apostrophe to such text, and to text that begins
/// with an apostrophe or a control character. So dropping a leading apostrophe always restores the text.
///
/// A formula may follow blanks and invisible characters, and may be written in wide characters (OWASP 2023, "CSV Injection").
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
