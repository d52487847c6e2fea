//! Tests of placings by the rules of each format.

use super::{block, by_name, field, knockout, ladder, name, pair, play, round_robin, swiss};
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
    // A round counts once all its blocks are finished.
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
    let rounds = field.rounds_drawn(&before);
    assert_eq!(
        (rounds[0].byes.as_slice(), rounds[1].byes.len()),
        (&[name(0)][..], 0)
    );
    let first = &rounds[0].pairings[0];
    assert_eq!(
        (first.bots.clone(), first.score),
        ([1, 2].map(name), [0.5, 1.5])
    );
    assert_eq!(
        (first.winner.clone(), first.tie_break),
        (Some(name(2)), None)
    );
    let tie_break = |points| {
        let last = block(2, [0, 2], [2, 2], points);
        let rounds = field.rounds_drawn(&[before[0].clone(), last]);
        let last = &rounds[1].pairings[0];
        (last.winner.clone(), last.tie_break)
    };
    assert_eq!(tie_break([1, 0]), (Some(name(0)), Some(TieBreak::Points)));
    assert_eq!(tie_break([0, 1]), (Some(name(2)), Some(TieBreak::Points)));
    assert_eq!(tie_break([0, 0]), (Some(name(0)), Some(TieBreak::Seeding)));
    assert_eq!(
        placings.bracket,
        [
            vec![Some(0), None, Some(1), Some(2)],
            vec![Some(0), Some(2)],
            vec![Some(0)]
        ]
    );
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

#[test]
fn every_bot_is_in_each_round_once_or_has_a_bye() {
    for (format, of) in [(swiss(4), 4), (knockout(), 3), (ladder(6, 2), 6)] {
        let field = field(format, 7, 2, 2, 1);
        let (rounds, before) = play(&field, by_name);
        let drawn = field.rounds_drawn(&before);
        assert_eq!(drawn.len(), of);
        for (round, meetings) in drawn.iter().zip(&rounds) {
            let pairs: Vec<_> = round.pairings.iter().map(|one| one.bots.clone()).collect();
            let drawn = meetings.iter().map(|meeting| pair(meeting).map(name));
            assert_eq!(pairs, drawn.collect::<Vec<_>>());
            assert!(round.finished && round.pairings.iter().all(|one| one.winner.is_some()));
            let mut bots = [pairs.concat(), round.byes.clone()].concat();
            bots.sort_unstable();
            bots.dedup();
            assert_eq!(bots.len(), 2 * pairs.len() + round.byes.len());
            assert!(bots.len() == 7 || field.plan.format == knockout() && round.round > 1);
        }
        let begun = field.rounds_drawn(&before[..1]);
        assert_eq!((begun.len(), begun[0].finished), (1, false));
        let scores: f64 = begun[0].pairings.iter().flat_map(|one| one.score).sum();
        assert_eq!(scores, 2.0, "one block is finished");
        assert!(begun[0].pairings.iter().all(|one| one.winner.is_none()));
    }
    assert_eq!(field(round_robin(), 4, 2, 2, 1).rounds_drawn(&[]), []);
}
