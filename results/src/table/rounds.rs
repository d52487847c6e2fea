//! Table of rounds: pairings and their results.

use arena_tournament::placings::TieBreak;
use arena_tournament::rounds::{Pairing, Round};

use super::{CellKind, Column, Columns, NOTHING, Table};
use crate::scalar::Scalar;

/// A row of the table: the round, the bots with the winner first, and the pairing if it is not a bye.
struct Row<'a> {
    round: u32,
    bots: [Option<&'a str>; 2],
    /// The side of the pairing on which the first bot is.
    first: usize,
    /// The pairing; `None` for a bye.
    pairing: Option<&'a Pairing>,
    /// True if no deal of the pairing is finished.
    is_open: bool,
}

impl Row<'_> {
    fn result(&self) -> Option<&Pairing> {
        self.pairing.filter(|_| !self.is_open)
    }

    fn score(&self, side: usize) -> (String, Vec<Scalar<'static>>) {
        let side = (self.first + side) % 2;
        let score = self.result().map(|pairing| pairing.score[side]);
        let shown = score.map_or(NOTHING.to_owned(), |score| format!("{score:.1}"));
        (shown, vec![Scalar::number(score)])
    }

    fn points(&self, side: usize) -> (String, Vec<Scalar<'static>>) {
        let side = (self.first + side) % 2;
        let points = self.result().map(|pairing| pairing.points[side]);
        let shown = points.map_or(NOTHING.to_owned(), |points| points.to_string());
        (
            shown,
            vec![Scalar::number(points.map(|points| points as f64))],
        )
    }
}

fn rows(rounds: &[Round]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for round in rounds {
        rows.extend(round.pairings.iter().map(|pairing| {
            let first = usize::from(pairing.winner.as_ref() == Some(&pairing.bots[1]));
            Row {
                round: round.round,
                bots: [first, 1 - first].map(|side| Some(pairing.bots[side].as_str())),
                first,
                pairing: Some(pairing),
                is_open: !round.finished && pairing.score == [0.0, 0.0],
            }
        }));
        rows.extend(round.byes.iter().map(|bot| Row {
            round: round.round,
            bots: [Some(bot), None],
            first: 0,
            pairing: None,
            is_open: false,
        }));
    }
    rows
}

/// Returns the table of pairings for people.
pub(crate) fn rounds(rounds: &[Round]) -> Table {
    Table::new(round_columns(rounds), Vec::new())
}

/// Returns the columns of the pairings of these rounds, byes last in each.
pub(crate) fn round_columns(rounds: &[Round]) -> Vec<Column> {
    let rows = rows(rounds);
    let of = Columns(&rows);
    let name = |side: usize| {
        move |row: &Row<'_>| match row.bots[side] {
            Some(bot) => (bot.to_owned(), vec![Scalar::text(bot.to_owned())]),
            None => ("bye".to_owned(), vec![Scalar::text("")]),
        }
    };
    let winner = |row: &Row<'_>| {
        let name = row.pairing.and_then(|pairing| pairing.winner.clone());
        let name = name.unwrap_or_default();
        (String::new(), vec![Scalar::text(name)])
    };
    let tie_break = |row: &Row<'_>| {
        let name = row
            .pairing
            .and_then(|pairing| pairing.tie_break)
            .map(TieBreak::name);
        let shown = name.map_or_else(String::new, |name| format!("by {name}"));
        (shown, vec![Scalar::text(name.unwrap_or_default())])
    };
    let is_tie = |row: &Row<'_>| row.pairing.is_some_and(|one| one.tie_break.is_some());
    let ties = if rows.iter().any(is_tie) {
        "tie-break"
    } else {
        ""
    };
    let named = |key: &str, side: usize| Column {
        kind: CellKind::Name,
        ..of.both(&[key], key, &name(side))
    };
    vec![
        of.count("round", "round", &|row| row.round.into()),
        named("bot", 0),
        of.both(&["score"], "score", &|row| row.score(0)),
        of.both(&["points"], "points", &|row| row.points(0)),
        named("opponent", 1),
        of.both(&["opponent_score"], "score", &|row| row.score(1)),
        of.both(&["opponent_points"], "points", &|row| row.points(1)),
        of.both(&["winner"], "", &winner),
        Column {
            kind: CellKind::Mark,
            ..of.both(&["tie_break"], ties, &tie_break)
        },
    ]
}

#[cfg(test)]
mod tests {
    use arena_tournament::formats::Choice;
    use arena_tournament::formats::knockout::Knockout;
    use arena_tournament::formats::swiss::Swiss;

    use crate::{csv, json, report, sample, text};

    /// Lets the bot that is earlier in the list win.
    fn by_name([one, other]: [usize; 2]) -> [i32; 2] {
        if one < other { [9, 4] } else { [4, 9] }
    }

    #[test]
    fn a_knockout_is_shown_everywhere() {
        let names = ["a|b", "=b", "c"];
        let analysis = sample::of_format(
            Choice::Knockout(Knockout::default()),
            &names,
            1,
            |_, seats| sample::scored(by_name(seats)),
        );
        let csv = "round,bot,score,points,opponent,opponent_score,opponent_points,winner,tie_break\n\
                   1,'=b,2,18,c,0,8,'=b,\n1,a|b,,,,,,,\n2,a|b,2,18,'=b,0,8,a|b,\n";
        assert_eq!(csv::rounds(&analysis), csv);
        let bracket = [
            "a|b ────┐",
            "        ├ a|b 2.0 ┐",
            "                  │",
            "                  ├ a|b",
            "=b 2.0 ─┐         │",
            "        ├ =b 0.0 ─┘",
            "c 0.0 ──┘",
        ];
        let shown = text::placings(&analysis, 80);
        assert!(shown.contains(&bracket.join("\n")), "{shown}");
        let json: serde_json::Value =
            serde_json::from_str(&json::document(&analysis).unwrap()).unwrap();
        assert_eq!(json["rounds"][1]["pairings"][0]["winner"], "a|b");
        assert_eq!(json["placings"]["bracket"][2][0], "a|b");
    }

    #[test]
    fn a_match_for_third_place_is_shown_everywhere() {
        let choice = Choice::Knockout(Knockout { third_place: true });
        let analysis = sample::of_format(choice, &["a", "b", "c", "d"], 1, |_, seats| {
            sample::scored(by_name(seats))
        });
        let shown = text::placings(&analysis, 80);
        assert!(shown.contains("\nthird place: c 2.0 – d 0.0\n"), "{shown}");
        let page = report::live(&analysis).into_string();
        assert!(page.contains("<h3>Third place</h3>"), "{page}");
        let document = json::document(&analysis).unwrap();
        let document: serde_json::Value = serde_json::from_str(&document).unwrap();
        let placings = &document["placings"];
        assert_eq!(placings["third_place"], serde_json::json!(["c", "d"]));
        assert_eq!(placings["rows"][3]["place"], 4);
    }

    #[test]
    fn what_decided_a_pairing_is_marked() {
        let choice = Choice::Knockout(Knockout::default());
        let level = sample::of_format(choice, &["a", "b"], 1, |_, _| sample::scored([5, 5]));
        let shown = text::rounds(&level, 80);
        let expected = "    1  a      1.0      10  b           1.0      10  by seeding\n";
        assert!(shown.contains(expected), "{shown}");
        assert!(shown.contains("a 1.0* ┐"), "{shown}");
    }

    #[test]
    fn a_round_that_is_not_played_is_the_next_one() {
        let swiss = Choice::Swiss(Swiss { rounds: 3 });
        let mut analysis = sample::of_format(swiss, &["a", "b", "c"], 1, |_, seats| {
            sample::scored(by_name(seats))
        });
        assert_eq!(text::next_round(&analysis), "");
        let last = analysis.rounds.last_mut().unwrap();
        last.finished = false;
        last.pairings[0].score = [0.0; 2];
        let [one, other] = last.pairings[0].bots.clone();
        let bye = last.byes[0].clone();
        assert_eq!(
            text::next_round(&analysis),
            format!("round 3 of 3\n  {one} – {other}\n  {bye} has a bye\n")
        );
        let live = report::live(&analysis).into_string();
        assert!(live.contains("Round 3 of 3"), "{live}");
    }
}
