//! A row of a table, as CSV and as JSON.

use std::borrow::Cow;

use super::Format;
use crate::csv;

/// A value in a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// No value: empty, or null.
    Missing,
    /// A number that may be negative.
    Integer(i64),
    /// A number that is not.
    Count(u64),
    /// True or false.
    Flag(bool),
    /// Text, which may come from strangers.
    Text(Cow<'a, str>),
}

impl<'a> Cell<'a> {
    /// Text, if there is any.
    pub(super) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// A number, if it is known.
    pub(super) fn known(number: Option<u64>) -> Self {
        number.map_or(Self::Missing, Self::Count)
    }

    /// As CSV, not yet quoted.
    fn csv(&self) -> String {
        match self {
            Cell::Missing => String::new(),
            Cell::Integer(number) => number.to_string(),
            Cell::Count(number) => number.to_string(),
            Cell::Flag(flag) => flag.to_string(),
            Cell::Text(text) => csv::text(text),
        }
    }

    /// As JSON.
    fn json(&self) -> String {
        match self {
            Cell::Missing => "null".into(),
            Cell::Text(text) => json(text),
            _ => self.csv(),
        }
    }
}

/// How the rows of a table are written.
pub(super) struct Form<'a> {
    format: Format,
    columns: &'a [&'static str],
}

impl<'a> Form<'a> {
    /// For a table of these columns.
    pub(super) fn new(format: Format, columns: &'a [&'static str]) -> Self {
        Self { format, columns }
    }

    /// What stands above all rows.
    pub(super) fn header(&self) -> String {
        match self.format {
            Format::Csv => csv::line(self.columns.iter().map(|name| (*name).to_owned())),
            Format::Jsonl => String::new(),
        }
    }

    /// Adds a row to the text.
    pub(super) fn row(&self, row: &[Cell<'_>], text: &mut Vec<u8>) {
        let line = match self.format {
            Format::Csv => csv::line(row.iter().map(Cell::csv)),
            Format::Jsonl => {
                let pair = |(name, cell): (&&str, &Cell<'_>)| format!("{}:{}", json(name), cell.json());
                let pairs: Vec<String> = self.columns.iter().zip(row).map(pair).collect();
                format!("{{{}}}\n", pairs.join(","))
            }
        };
        text.extend_from_slice(line.as_bytes());
    }
}

fn json(text: &str) -> String {
    serde_json::to_string(text).expect("text can always be written as JSON")
}
