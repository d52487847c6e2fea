//! Tables of placings by the rules of a tournament's format.

use arena_tournament::placings::{Placings, Remark, Row};

use super::{Column, Columns, Table};
use crate::analysis::Analysis;
use crate::scalar::Scalar;

/// Returns the columns of the placed bots, best first.
pub(crate) fn placed_columns(placings: &Placings<String>) -> Vec<Column> {
    let of = Columns(&placings.rows);
    let mut columns = vec![
        of.count("place", "#", &|row| row.place as u64),
        of.name("bot", &|row| row.bot.clone()),
    ];
    columns.extend(placings.columns.iter().enumerate().map(|(index, column)| {
        let cell = |row: &Row<String>| {
            (
                column.text(row.cells[index]),
                vec![Scalar::number(Some(row.cells[index]))],
            )
        };
        of.both(&[&key(&column.title)], &column.title, &cell)
    }));
    columns
}

/// Returns the table of placed bots, best first; `None` if the format has no order of its own.
pub(crate) fn placings(analysis: &Analysis) -> Option<Table> {
    let placings = analysis.placings.as_ref()?;
    let columns = placed_columns(placings);
    Some(Table::new(columns, Vec::new()))
}

/// Returns remarks on the placings, with names formatted by `show`.
pub(crate) fn placing_notes(
    placings: &Placings<String>,
    show: impl Fn(&str) -> String,
) -> Vec<String> {
    placings
        .notes
        .iter()
        .map(|Remark { before, bot, after }| format!("{before}{}{after}", show(bot)))
        .collect()
}

/// Returns the name of a column in output for programs.
pub(super) fn key(title: &str) -> String {
    title.to_lowercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use arena_tournament::formats::Choice;
    use arena_tournament::formats::swiss::Swiss;

    use crate::analysis::Analysis;
    use crate::{csv, json, sample, text};

    /// Analyses three bots in this format. On the one deal of each round, the bot earlier in the list wins.
    fn analysis(format: Choice) -> Analysis {
        let points = |[one, other]: [usize; 2]| if one < other { [9, 4] } else { [4, 9] };
        sample::of_format(format, &["a|b", "=b", "c"], 1, |_, seats| {
            sample::scored(points(seats))
        })
    }

    #[test]
    fn a_swiss_tournament_is_shown_everywhere() {
        let analysis = analysis(Choice::Swiss(Swiss { rounds: 3 }));
        let shown = text::standings(&analysis, 80, true);
        let expected = "swiss, 3 of 3 rounds finished\n\n#  bot  score  Buchholz  points  byes\n─────────────────────────────────────\n1  a|b    5.0       7.0     +20     1\n";
        assert!(shown.contains(expected), "{shown}");
        let csv = csv::standings(&analysis);
        assert!(csv.lines().next().is_some_and(|line| {
            line.ends_with(",place,swiss_score,swiss_buchholz,swiss_points,swiss_byes")
        }));
        assert_eq!(
            csv::placings(&analysis).lines().nth(1),
            Some("1,a|b,5,7,20,1")
        );
        let json: serde_json::Value =
            serde_json::from_str(&json::document(&analysis).unwrap()).unwrap();
        assert_eq!(
            (&json["placings"]["format"], &json["placings"]["leader"]),
            (&"swiss".into(), &"a|b".into())
        );
    }
}
