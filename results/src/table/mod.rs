//! Results as columns of text, from which every table for people is made: for the terminal, as Markdown and as HTML.

mod headline;
mod notes;
mod pairs;
mod ratings;

pub(crate) use headline::{breakdown, half_width, headline};
pub(crate) use notes::{beware, faults, heading, open};
pub(crate) use pairs::pairs;
pub(crate) use ratings::ratings;

/// What a table shows where there is no number.
pub(crate) const NOTHING: &str = "–";

/// A table with what its numbers mean.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Its columns.
    pub(crate) columns: Vec<Column>,
    /// What they mean, a sentence each.
    pub(crate) notes: Vec<String>,
}

/// One column of a table.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// What stands above it.
    pub(crate) head: String,
    /// Its cells from top to bottom, as strangers wrote them.
    pub(crate) cells: Vec<String>,
    /// When it is left out of a table that is too wide: the highest first, 0 never.
    pub(crate) spare: u8,
    /// What its cells are.
    pub(crate) kind: Kind,
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Numbers, which are never cut.
    Number,
    /// Marks, which begin at the left.
    Mark,
    /// Names of bots, which may be long.
    Name,
}

impl Column {
    /// A column of numbers.
    pub(crate) fn number(head: &str, spare: u8, cells: Vec<String>) -> Self {
        Self { head: head.into(), cells, spare, kind: Kind::Number }
    }

    /// A column of names.
    pub(crate) fn name(head: &str, cells: Vec<String>) -> Self {
        Self { head: head.into(), cells, spare: 0, kind: Kind::Name }
    }
}

/// A column of numbers for these rows.
fn numbers<T>(head: &str, rows: &[T], cell: impl Fn(&T) -> String) -> Column {
    Column::number(head, 0, rows.iter().map(cell).collect())
}

/// A column of names for these rows.
fn names<T>(head: &str, rows: &[T], cell: impl Fn(&T) -> String) -> Column {
    Column::name(head, rows.iter().map(cell).collect())
}

/// A number with two decimals.
pub(crate) fn decimal(number: Option<f64>) -> String {
    number.map_or_else(|| NOTHING.into(), |number| fixed(number, 2))
}

/// A share in per cent.
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| NOTHING.into(), |share| fixed(100.0 * share, 1))
}

/// A number with so many decimals, and without a sign where only zeros are left of it.
pub(crate) fn fixed(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    let zero = text.strip_prefix('-').filter(|rest| rest.chars().all(|c| matches!(c, '0' | '.')));
    zero.map_or(text.clone(), str::to_owned)
}

/// The same with a plus where it is above zero.
pub(crate) fn signed(number: f64, digits: usize) -> String {
    let text = fixed(number, digits);
    let above = !text.starts_with('-') && text.chars().any(|c| matches!(c, '1'..='9'));
    if above { format!("+{text}") } else { text }
}

/// Half of an interval, or nothing.
fn half(interval: Option<[f64; 2]>, digits: usize) -> String {
    interval.map_or_else(|| NOTHING.into(), |[low, high]| fixed((high - low) / 2.0, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_never_negative() {
        assert_eq!([fixed(-0.004, 2), fixed(-0.006, 2), fixed(3.0, 0)], ["0.00", "-0.01", "3"]);
        assert_eq!([signed(-0.4, 0), signed(0.4, 0), signed(0.6, 0), signed(-2.0, 1)], ["0", "0", "+1", "-2.0"]);
        assert_eq!(half(None, 1), NOTHING);
    }
}
