//! Rows of a table, as CSV and as JSON.

use super::{Column, Row};
use crate::csv;
use crate::scalar::{Scalar, json};

/// Returns the CSV header.
pub(super) fn header(columns: &[Column]) -> String {
    csv::line(columns.iter().map(|column| column.0.to_owned()))
}

/// Formats a row as a line of CSV.
pub(super) fn csv(_: &[Column], row: &Row) -> String {
    csv::line(row.iter().map(Scalar::csv))
}

/// Formats a row as a line of JSON.
pub(super) fn jsonl(columns: &[Column], row: &Row) -> String {
    let pair =
        |(column, cell): (&Column, &Scalar<'_>)| format!("{}:{}", json(column.0), cell.json());
    let pairs: Vec<String> = columns.iter().zip(row).map(pair).collect();
    format!("{{{}}}\n", pairs.join(","))
}
