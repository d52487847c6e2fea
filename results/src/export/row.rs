//! The rows of a table, as CSV and as JSON.

use super::RowFormat;
use crate::csv;
use crate::scalar::{Scalar, json};

/// Writes the rows of a table.
pub(super) struct RowWriter<'a> {
    format: RowFormat,
    columns: &'a [&'static str],
}

impl<'a> RowWriter<'a> {
    /// For a table of these columns.
    pub(super) fn new(format: RowFormat, columns: &'a [&'static str]) -> Self {
        Self { format, columns }
    }

    /// The line above all rows, if there is one.
    pub(super) fn header(&self) -> String {
        match self.format {
            RowFormat::Csv => csv::line(self.columns.iter().map(|name| (*name).to_owned())),
            RowFormat::Jsonl => String::new(),
        }
    }

    /// Adds a row to the text.
    pub(super) fn row(&self, row: &[Scalar<'_>], text: &mut Vec<u8>) {
        let line = match self.format {
            RowFormat::Csv => csv::line(row.iter().map(Scalar::csv)),
            RowFormat::Jsonl => {
                let pair = |(name, cell): (&&str, &Scalar<'_>)| format!("{}:{}", json(name), cell.json());
                let pairs: Vec<String> = self.columns.iter().zip(row).map(pair).collect();
                format!("{{{}}}\n", pairs.join(","))
            }
        };
        text.extend_from_slice(line.as_bytes());
    }
}
