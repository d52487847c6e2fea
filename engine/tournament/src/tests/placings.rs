//! Placings: how a tournament stands by the rules of its format.

use super::{block, by_name, field, knockout, ladder, pair, play, round_robin, swiss};
use crate::placings::TieBreak;

#[test]
fn a_swiss_tournament_is_placed_by_score() {
    let field = field(swiss(4), 7, 2, 2, 1);
    let (rounds, before) = play(&field, by_name);
    let start = field.placings(&[]).unwrap();
    assert_eq!(
        (start.title().as_str(), start.leader),
        ("swiss, 0 of 4 rounds finished", None)
    );
    assert_eq!(start.notes.len(), 1, "somebody has a bye");
    // A round counts once all its blocks are there.
    let first = 2 * rounds[0].len();
    assert_eq!(field.placings(&before[..first - 1]).unwrap().finished, 0);
    let placings = field.placings(&before[..first]).unwrap();
    assert_eq!((placings.finished, placings.rows[0].cells[0]), (1, 4.0));
    let last = field.placings(&before).unwrap();
    let titles: Vec<&str> = last
        .columns
        .iter()
        .map(|column| column.title.as_str())
        .collect();
    assert_eq!(titles, ["score", "Buchholz", "points", "byes"]);
    assert_eq!(
        (last.leader, last.rows[0].bot, last.rows.len()),
        (Some(0), 0, 7)
    );
    let cells: Vec<String> = last
        .columns
        .iter()
        .zip(&last.rows[0].cells)
        .map(|(column, cell)| column.text(*cell))
        .collect();
    assert_eq!(cells, ["16.0", "28.0", "+160", "0"]);
    assert!(last.notes.is_empty());
}

#[test]
fn bots_that_a_swiss_does_not_separate_share_a_place() {
    let field = field(swiss(1), 4, 2, 1, 1);
    let pairs: Vec<[usize; 2]> = field.meetings(1, &[]).iter().map(pair).collect();
    let places = |results: [([u32; 2], [i64; 2]); 2]| {
        let blocks = pairs.iter().zip(results);
        let blocks = blocks.map(|(pair, (halves, points))| block(1, *pair, halves, points));
        let placings = field.placings(&blocks.collect::<Vec<_>>()).unwrap();
        let places: Vec<usize> = placings.rows.iter().map(|row| row.place).collect();
        (places, placings.leader)
    };
    let won = ([3, 1], [4, 0]);
    assert_eq!(places([won, won]), (vec![1, 1, 3, 3], None));
    let level = ([2, 2], [4, 4]);
    let first = Some(pairs[0][0]);
    assert_eq!(places([won, level]), (vec![1, 2, 2, 4], first));
    assert_eq!(places([([3, 1], [5, 0]), won]), (vec![1, 2, 3, 4], first));
}

#[test]
fn a_knockout_is_placed_by_its_pairings() {
    let field = field(knockout(), 3, 2, 1, 1);
    let before = [
        block(1, [1, 2], [1, 3], [0, 0]),
        block(2, [0, 2], [2, 2], [1, 0]),
    ];
    let half = field.placings(&before[..1]).unwrap();
    assert_eq!((half.finished, half.of, half.leader), (1, 2, None));
    let placings = field.placings(&before).unwrap();
    let shown = |round: usize| {
        let pairings = placings.rounds[round].iter();
        pairings
            .map(|one| (one.winner, one.loser, one.scores().join(" : ")))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        shown(0),
        [
            (0, None, "0.0 : 0.0".to_owned()),
            (2, Some(1), "1.5 : 0.5".to_owned())
        ]
    );
    assert_eq!(shown(1), [(0, Some(2), "1.0 : 1.0".to_owned())]);
    let tie_break = |points| {
        let last = block(2, [0, 2], [2, 2], points);
        field.placings(&[before[0].clone(), last]).unwrap().rounds[1][0].tie_break
    };
    assert_eq!(placings.rounds[0][1].tie_break, None, "its score decides");
    assert_eq!(tie_break([1, 0]), Some(TieBreak::Points));
    assert_eq!(tie_break([0, 0]), Some(TieBreak::Seeding));
    assert_eq!(
        (placings.leader, placings.notes[0].before.as_str()),
        (Some(0), "winner: ")
    );
    let rows = placings
        .rows
        .iter()
        .map(|row| (row.place, row.bot, row.cells[0]));
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [(1, 0, 2.0), (2, 2, 1.0), (3, 1, 0.0)]
    );
}

#[test]
fn a_ladder_and_a_round_robin_have_no_placing_of_their_own() {
    for format in [ladder(25, 2), round_robin()] {
        assert_eq!(field(format, 5, 2, 1, 1).placings(&[]), None);
    }
}
