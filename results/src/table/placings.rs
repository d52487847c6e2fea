//! The tables of placings: how a tournament stands by the rules of its format.

use arena_tournament::placings::{Pairing, Placings, Remark, Row, TieBreak};

use super::{CellKind, Column, Columns, NOTHING, Table};
use crate::analysis::Analysis;
use crate::scalar::Scalar;

/// The columns of the placed bots, best first.
pub(crate) fn placed_columns(placings: &Placings, names: &[String]) -> Vec<Column> {
    let of = Columns(&placings.rows);
    let mut columns = vec![
        of.count("place", "#", &|row| row.place as u64),
        of.name("bot", &|row| names[row.bot].clone()),
    ];
    columns.extend(placings.columns.iter().enumerate().map(|(index, column)| {
        let cell = |row: &Row| {
            (
                column.text(row.cells[index]),
                vec![Scalar::number(Some(row.cells[index]))],
            )
        };
        of.both(&[&key(&column.title)], &column.title, &cell)
    }));
    columns
}

/// The columns of the pairings of all finished rounds.
pub(crate) fn pairing_columns(placings: &Placings, names: &[String]) -> Vec<Column> {
    let numbered = placings.rounds.iter().zip(1..);
    let pairings: Vec<(u64, &Pairing)> = numbered
        .flat_map(|(pairings, round)| pairings.iter().map(move |pairing| (round, pairing)))
        .collect();
    let of = Columns(&pairings);
    let score = |side: usize| {
        move |(_, pairing): &(u64, &Pairing)| match pairing.loser {
            Some(_) => (
                pairing.scores()[side].clone(),
                vec![Scalar::number(Some(pairing.score[side]))],
            ),
            None => (NOTHING.to_owned(), vec![Scalar::Missing]),
        }
    };
    let loser = |(_, pairing): &(u64, &Pairing)| match pairing.loser {
        Some(loser) => (
            names[loser].clone(),
            vec![Scalar::text(names[loser].clone())],
        ),
        None => ("bye".to_owned(), vec![Scalar::text("")]),
    };
    let tie_break = |(_, pairing): &(u64, &Pairing)| {
        let name = pairing.tie_break.map(TieBreak::name);
        let shown = name.map_or_else(String::new, |name| format!("by {name}"));
        (shown, vec![Scalar::text(name.unwrap_or_default())])
    };
    let is_tie = |(_, pairing): &(u64, &Pairing)| pairing.tie_break.is_some();
    let ties = if pairings.iter().any(is_tie) {
        "tie-break"
    } else {
        ""
    };
    vec![
        of.count("round", "round", &|(round, _)| *round),
        of.name("winner", &|(_, pairing)| names[pairing.winner].clone()),
        Column {
            kind: CellKind::Name,
            ..of.both(&["loser"], "loser", &loser)
        },
        of.both(&["score"], "score", &score(0)),
        of.both(&["against"], "against", &score(1)),
        Column {
            kind: CellKind::Mark,
            ..of.both(&["tie_break"], ties, &tie_break)
        },
    ]
}

/// The placed bots, and the pairings of the rounds, each if there are any.
pub(crate) fn placings(analysis: &Analysis) -> Vec<Table> {
    let Some(placings) = &analysis.placings else {
        return Vec::new();
    };
    let mut tables = vec![
        placed_columns(placings, &analysis.bots),
        pairing_columns(placings, &analysis.bots),
    ];
    tables.retain(|columns| columns.iter().any(|column| !column.cells.is_empty()));
    tables
        .into_iter()
        .map(|columns| Table::new(columns, Vec::new()))
        .collect()
}

/// Further sentences, with the names as `show` writes them.
pub(crate) fn placing_notes(placings: &Placings, show: impl Fn(usize) -> String) -> Vec<String> {
    placings
        .notes
        .iter()
        .map(|Remark { before, bot, after }| format!("{before}{}{after}", show(*bot)))
        .collect()
}

/// The name of a column for programs.
pub(super) fn key(title: &str) -> String {
    title.to_lowercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use arena_tournament::formats::Choice;
    use arena_tournament::formats::knockout::Knockout;
    use arena_tournament::formats::swiss::Swiss;

    use crate::analysis::Analysis;
    use crate::{csv, json, sample, text};

    /// The analysis of three bots by this format on one deal a round, where the earlier bot of the list wins.
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
            (&"swiss".into(), &0.into())
        );
    }

    #[test]
    fn a_knockout_is_shown_everywhere() {
        let analysis = analysis(Choice::Knockout(Knockout {}));
        let shown = text::standings(&analysis, 80, true);
        let expected = "    1  a|b     bye        –        –\n    1  =b      c        2.0      0.0\n    2  a|b     =b       2.0      \
                        0.0\n\nwinner: a|b\n";
        assert!(shown.contains(expected), "{shown}");
        let csv = "round,winner,loser,score,against,tie_break\n\
                   1,a|b,,,,\n1,'=b,c,2,0,\n2,a|b,'=b,2,0,\n";
        assert_eq!(csv::placings(&analysis), csv);
        let level = sample::of_format(Choice::Knockout(Knockout {}), &["a", "b"], 1, |_, _| {
            sample::scored([5, 5])
        });
        let shown = text::standings(&level, 80, true);
        assert!(
            shown.contains("    1  a       b        1.0      1.0  by seeding\n"),
            "{shown}"
        );
    }
}
