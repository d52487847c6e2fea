//! The columns of all result tables. Each is declared once; the terminal, HTML and CSV tables are made from these declarations.

mod notes;
mod pairs;
mod placings;
mod profile;
mod rated;
mod rounds;
mod standings;

pub(crate) use notes::{
    AHEAD, carried, facts, faults, finished_deals, heading, judged, orders, warnings,
};
pub(crate) use pairs::{pair_columns, pairs, pairs_of, to_paste};
pub(crate) use placings::{placed_columns, placing_notes, placings};
pub(crate) use profile::profiles;
pub(crate) use rated::{rated, rated_columns, rated_facts, season, season_columns};
pub(crate) use rounds::{round_columns, rounds};
pub(crate) use standings::{breakdown, columns, standings};

use crate::scalar::Scalar;
use arena_statistics::crosstable::{Cell, Crosstable};
use arena_statistics::elo::Elo;

/// Placeholder for a missing number.
pub(crate) const NOTHING: &str = "–";

/// A table for people, with explanations of its numbers.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Columns from left to right.
    pub(crate) columns: Vec<Column>,
    /// Explanations of the numbers, one sentence each.
    pub(crate) notes: Vec<String>,
}

/// A column of a table: cells for people, exact values for programs, or both.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Heading for people; empty if the column is for programs only.
    pub(crate) head: String,
    /// Cells from top to bottom, not yet escaped.
    pub(crate) cells: Vec<String>,
    /// Names of the exact values in CSV: none, one, or one for each end of an interval.
    pub(crate) keys: Vec<String>,
    /// Exact values from top to bottom, one for each key.
    pub(crate) exact: Vec<Vec<String>>,
    /// Kind of the cells.
    pub(crate) kind: CellKind,
    /// If a table is too wide, the column with the highest value is left out first; 0 means never.
    pub(crate) spare: u8,
    /// True if the column belongs to a second table for people, with details.
    detail: bool,
}

/// Kind of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// Numbers, which are never cut.
    Number,
    /// Marks, which are aligned left.
    Mark,
    /// Names of bots, which may be long.
    Name,
}

impl Table {
    /// Creates the table that people see from these columns.
    fn new(mut columns: Vec<Column>, notes: Vec<String>) -> Self {
        columns.retain(|column| !column.head.is_empty());
        Self { columns, notes }
    }

    /// Keeps only some rows, for people, and returns their number.
    pub(crate) fn retain_rows(&mut self, is_kept: &dyn Fn(usize) -> bool) -> usize {
        let mut kept = 0;
        for column in &mut self.columns {
            let mut row = 0..;
            column.cells.retain(|_| row.next().is_some_and(is_kept));
            kept = column.cells.len();
        }
        kept
    }
}

impl Column {
    /// Creates a column of numbers, for people only.
    pub(crate) fn number(head: &str, cells: Vec<String>) -> Self {
        Self {
            head: head.into(),
            cells,
            keys: Vec::new(),
            exact: Vec::new(),
            kind: CellKind::Number,
            spare: 0,
            detail: false,
        }
    }

    /// Creates a column of names, for people only.
    pub(crate) fn name(head: &str, cells: Vec<String>) -> Self {
        Self {
            kind: CellKind::Name,
            ..Self::number(head, cells)
        }
    }

    /// Creates a column of marks, for people only.
    pub(crate) fn mark(head: &str, cells: Vec<String>) -> Self {
        Self {
            kind: CellKind::Mark,
            ..Self::number(head, cells)
        }
    }

    fn spare(self, spare: u8) -> Self {
        Self { spare, ..self }
    }

    fn detail(self) -> Self {
        Self {
            detail: true,
            ..self
        }
    }
}

/// Ends of an interval, either of which may be open.
type Ends = [Option<f64>; 2];

/// Builder of columns from rows of one type. People do not see a column with an empty heading.
struct Columns<'a, T>(&'a [T]);

impl<T> Columns<'_, T> {
    /// Creates a column of cells with their exact values.
    fn both(
        &self,
        keys: &[&str],
        head: &str,
        cell: &dyn Fn(&T) -> (String, Vec<Scalar<'static>>),
    ) -> Column {
        let (cells, exact) = self.0.iter().map(cell).unzip::<_, _, _, Vec<_>>();
        let exact = exact
            .iter()
            .map(|row| row.iter().map(Scalar::csv).collect());
        Column {
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            exact: exact.collect(),
            ..Column::number(head, cells)
        }
    }

    /// Creates a column of names.
    fn name(&self, key: &str, name: &dyn Fn(&T) -> String) -> Column {
        let cell = |row: &T| (name(row), vec![Scalar::text(name(row))]);
        Column {
            kind: CellKind::Name,
            ..self.both(&[key], key, &cell)
        }
    }

    /// Creates a column of counts.
    fn count(&self, key: &str, head: &str, count: &dyn Fn(&T) -> u64) -> Column {
        self.both(&[key], head, &|row| {
            (count(row).to_string(), vec![Scalar::Count(count(row))])
        })
    }

    /// Creates a column of numbers.
    fn number(
        &self,
        key: &str,
        head: &str,
        show: fn(Option<f64>) -> String,
        of: &dyn Fn(&T) -> Option<f64>,
    ) -> Column {
        self.both(&[key], head, &|row| {
            (show(of(row)), vec![Scalar::number(of(row))])
        })
    }

    /// Creates a column of intervals, with both ends as shown and as exact values.
    fn interval(
        &self,
        keys: [&str; 2],
        show: fn(Ends) -> String,
        of: &dyn Fn(&T) -> Ends,
    ) -> Column {
        self.both(&keys, "95%", &|row| {
            (show(of(row)), of(row).map(Scalar::number).into())
        })
    }

    /// Creates a column of numbers for programs only.
    fn hidden(&self, key: &str, of: &dyn Fn(&T) -> Option<f64>) -> Column {
        self.both(&[key], "", &|row| {
            (String::new(), vec![Scalar::number(of(row))])
        })
    }
}

/// Returns the columns of a crosstable with these headings; `itself` fills the cells of a bot against itself.
pub(crate) fn crosstable(
    crosstable: &Crosstable,
    heads: &[String],
    itself: &str,
    show: &dyn Fn(&Cell) -> String,
) -> Vec<Column> {
    let column = |(index, head): (usize, &String)| {
        let cell = |(row, cells): (usize, &Vec<Option<Cell>>)| match &cells[index] {
            Some(cell) => show(cell),
            None if row == index => itself.to_owned(),
            None => NOTHING.to_owned(),
        };
        let cells = crosstable.cells.iter().enumerate();
        Column::number(head, cells.map(cell).collect())
    };
    let mut columns = vec![Column::name("bot", crosstable.bots.clone())];
    columns.extend(heads.iter().enumerate().map(column));
    columns
}

/// Returns both ends of an interval, or two open ends for `None`.
fn ends(interval: Option<[f64; 2]>) -> Ends {
    interval.map_or([None; 2], |ends| ends.map(Some))
}

/// Formats an interval of numbers that are never negative.
pub(crate) fn span(ends: Ends) -> String {
    let [Some(low), Some(high)] = ends else {
        return NOTHING.into();
    };
    // Show enough digits to tell the ends apart.
    let fewest = if high < 9.995 { 2 } else { 1 };
    let digits = (fewest..6)
        .find(|digits| fixed(low, *digits) != fixed(high, *digits))
        .unwrap_or(fewest);
    between(ends, "–", |end| fixed(end, digits))
}

/// Formats an interval of shares, in per cent.
pub(crate) fn percent_span(ends: Ends) -> String {
    between(ends, "–", |end| percent(Some(end)))
}

/// Formats an interval of points, with signs.
pub(crate) fn points_span(ends: Ends) -> String {
    between(ends, "…", |end| signed(end, 2))
}

/// Formats an interval of Elo points, either end of which may be open. If `elo` is a bound, returns the placeholder, because the bound is
/// the end of the interval. If `elo` is `None`, all matches were won or lost, on few deals.
pub(crate) fn elo_span(elo: Option<Elo>, ends: Ends) -> String {
    match elo {
        Some(Elo::AtLeast(_) | Elo::AtMost(_)) => NOTHING.into(),
        _ => between(ends, "…", |end| signed(end, 0)),
    }
}

/// Formats both ends with a separator; the placeholder if both are open.
fn between(ends: Ends, join: &str, show: impl Fn(f64) -> String) -> String {
    if ends == [None; 2] {
        return NOTHING.into();
    }
    let [low, high] = ends.map(|end| end.map(&show).unwrap_or_default());
    format!("{low}{join}{high}")
}

/// Formats Elo points. A bound is formatted only if it excludes 0.
pub(crate) fn elo(elo: Option<Elo>) -> String {
    match elo {
        Some(elo) if is_bound(elo) || matches!(elo, Elo::Value(_)) => signed_elo(elo, 0),
        _ => NOTHING.into(),
    }
}

/// Formats Elo points, or a bound on them, with `digits` decimals.
pub(crate) fn signed_elo(elo: Elo, digits: usize) -> String {
    match elo {
        Elo::Value(elo) => signed(elo, digits),
        Elo::AtLeast(elo) => format!("≥ {}", signed(elo, digits)),
        Elo::AtMost(elo) => format!("≤ {}", signed(elo, digits)),
    }
}

/// Returns true for a bound that excludes 0.
fn is_bound(elo: Elo) -> bool {
    match elo {
        Elo::Value(_) => false,
        Elo::AtLeast(least) => least > 0.0,
        Elo::AtMost(most) => most < 0.0,
    }
}

/// Formats a count with its noun, in the plural if needed.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    let ending = match count {
        1 => "",
        _ if thing.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{count} {thing}{ending}")
}

/// Formats names for a sentence, at most three of them.
pub fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).into(),
        [most @ .., last] if most.len() < 3 => format!("{} and {last}", most.join(", ")),
        [one, two, rest @ ..] => format!("{one}, {two} and {} others", rest.len()),
    }
}

/// Formats a 95 % interval as the end of a clause; empty if there is none.
pub(crate) fn within(interval: Option<[f64; 2]>, show: fn(Ends) -> String) -> String {
    interval.map_or_else(String::new, |ends| {
        format!(", 95% {}", show(ends.map(Some)))
    })
}

/// Formats a number with two decimals, or the placeholder.
pub(crate) fn decimal(number: Option<f64>) -> String {
    number.map_or_else(|| NOTHING.into(), |number| fixed(number, 2))
}

/// Formats a share in per cent, or the placeholder.
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| NOTHING.into(), |share| fixed(100.0 * share, 1))
}

/// Formats a number with `digits` decimals, without a sign if it rounds to zero.
pub(crate) fn fixed(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}

/// Formats a number with its sign and two decimals, or the placeholder.
pub(crate) fn signed_hundredths(number: Option<f64>) -> String {
    number.map_or_else(|| NOTHING.into(), |number| signed(number, 2))
}

/// Formats a number with `digits` decimals, and with a plus sign if it is positive.
pub fn signed(number: f64, digits: usize) -> String {
    let text = fixed(number, digits);
    let above = !text.starts_with('-') && text.chars().any(|c| matches!(c, '1'..='9'));
    if above { format!("+{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_never_negative() {
        assert_eq!(
            [fixed(-0.004, 2), fixed(-0.006, 2), fixed(3.0, 0)],
            ["0.00", "-0.01", "3"]
        );
        assert_eq!(
            [
                signed(-0.4, 0),
                signed(0.4, 0),
                signed(0.6, 0),
                signed(-2.0, 1)
            ],
            ["0", "0", "+1", "-2.0"]
        );
        let (level, least) = (Some(Elo::Value(0.0)), Some(Elo::AtLeast(3.0)));
        assert_eq!(
            [span([None; 2]), elo_span(level, [Some(-0.2), Some(3.0)])],
            [NOTHING, "0…+3"]
        );
        assert_eq!(
            [
                elo_span(level, [None, Some(3.0)]),
                elo_span(least, [Some(3.0), None])
            ],
            ["…+3", NOTHING]
        );
        assert_eq!(
            [
                elo(least),
                elo(Some(Elo::AtMost(-2.6))),
                elo(Some(Elo::AtLeast(-9.0)))
            ],
            ["≥ +3", "≤ -3", NOTHING]
        );
        assert_eq!(span([Some(0.7912), Some(0.7938)]), "0.791–0.794");
    }
}
