//! The rows of a table, as CSV and as JSON.

use super::{Column, RowFormat};
use crate::csv;
use crate::scalar::{Scalar, json};

impl RowFormat {
    /// The line above all rows, if there is one.
    pub(super) fn header(self, columns: &[Column]) -> String {
        match self {
            Self::Csv => csv::line(columns.iter().map(|column| column.name().to_owned())),
            Self::Jsonl => String::new(),
        }
    }

    /// The line of a row.
    pub(super) fn row(self, columns: &[Column], row: &[Scalar<'_>]) -> String {
        match self {
            Self::Csv => csv::line(row.iter().map(Scalar::csv)),
            Self::Jsonl => {
                let pair = |(column, cell): (&Column, &Scalar<'_>)| format!("{}:{}", json(column.name()), cell.json());
                let pairs: Vec<String> = columns.iter().zip(row).map(pair).collect();
                format!("{{{}}}\n", pairs.join(","))
            }
        }
    }
}
