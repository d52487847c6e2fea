//! The rows of a table, as CSV and as JSON.

use super::RowFormat;
use crate::csv;
use crate::scalar::{Scalar, json};

impl RowFormat {
    /// The line above all rows, if there is one.
    pub(super) fn header(self, columns: &[&str]) -> String {
        match self {
            Self::Csv => csv::line(columns.iter().map(|name| (*name).to_owned())),
            Self::Jsonl => String::new(),
        }
    }

    /// The line of a row.
    pub(super) fn row(self, columns: &[&str], row: &[Scalar<'_>]) -> String {
        match self {
            Self::Csv => csv::line(row.iter().map(Scalar::csv)),
            Self::Jsonl => {
                let pair = |(name, cell): (&&str, &Scalar<'_>)| format!("{}:{}", json(name), cell.json());
                let pairs: Vec<String> = columns.iter().zip(row).map(pair).collect();
                format!("{{{}}}\n", pairs.join(","))
            }
        }
    }
}
