//! Tests of standings computed by hand.

use arena_engine::outcome::Verdict;
use arena_tournament::played::Played;

use arena_tournament::formats::Choice;
use arena_tournament::formats::gauntlet::Gauntlet;
use arena_tournament::formats::ladder::Ladder;

use super::*;
use arena_tournament::sample::{decided, gathered, small, tournament, verdict};

/// Returns the standings of these matches, each given as deal, bots and verdict.
fn tallied(spec: &Spec, matches: &[(u32, [&str; 2], Verdict)]) -> Standings {
    let played =
        |(deal, bots, verdict): &(u32, [&str; 2], Verdict)| decided(*deal, bots, verdict.clone());
    standings(spec, &matches.iter().map(played).collect::<Vec<_>>())
}

#[test]
fn points_decide_and_forfeits_lose() {
    let matches = [
        (0, ["a", "b"], verdict(&[(1, 12), (2, 8)], &[])),
        (0, ["b", "a"], verdict(&[(1, 10), (1, 10)], &[])),
        (1, ["a", "b"], verdict(&[(2, 30), (1, 4)], &[0])),
        (1, ["b", "a"], verdict(&[(1, 20), (2, 6)], &[])),
    ];
    let standings = tallied(&tournament(&["b", "a"], 2, 2), &matches);
    assert!(standings.complete && standings.unfinished_deals == 0);

    let a = &standings.standings[0];
    assert_eq!(
        (a.rank, a.bot.as_str(), a.points, a.points_per_match),
        (1, "a", 58, Some(14.5))
    );
    assert_eq!((a.matches, a.wins, a.draws, a.losses), (4, 1, 1, 2));
    assert_eq!(a.breakdown.0[0], ("hits".to_owned(), 58));
    assert_eq!(
        (a.forfeits.total, a.forfeits.by_cause[&Cause::Crash]),
        (1, 1)
    );
    // The means of the deals, 11 and 18, are too few for an interval; b has 9 and 12.
    assert_eq!((a.interval, a.interval_deals, a.ranks), (None, 2, [1, 2]));

    let b = &standings.standings[1];
    assert_eq!(
        (b.rank, b.points, b.wins, b.draws, b.losses),
        (2, 42, 2, 1, 1)
    );
    let against = standings.crosstable.cells[1][0].clone().unwrap();
    assert_eq!(
        (against.matches, against.score, against.points),
        (4, Some(0.625), Some(-4.0))
    );
}

#[test]
fn equal_bots_share_a_rank_and_stand_by_wins_then_name() {
    let even = || verdict(&[(1, 10), (1, 10)], &[]);
    let matches = [
        (0, ["c", "d"], even()),
        (0, ["d", "c"], even()),
        (0, ["b", "a"], verdict(&[(1, 11), (2, 9)], &[])),
        (0, ["a", "b"], verdict(&[(1, 11), (2, 9)], &[])),
        (0, ["e", "b"], verdict(&[(2, 1), (1, 10)], &[])),
    ];
    let standings = tallied(&tournament(&["f", "e", "d", "c", "b", "a"], 2, 1), &matches);
    let order: Vec<(usize, &str)> = standings
        .standings
        .iter()
        .map(|row| (row.rank, row.bot.as_str()))
        .collect();
    assert_eq!(
        order,
        [(1, "b"), (1, "a"), (1, "c"), (1, "d"), (5, "e"), (6, "f")]
    );
    assert_eq!(
        (
            standings.standings[5].points_per_match,
            standings.standings[5].interval
        ),
        (None, None)
    );
}

#[test]
fn unfinished_deals_are_counted_and_left_out_of_what_is_by_deal() {
    let mut matches = Vec::new();
    for (deal, points) in [(0, 10), (1, 12), (2, 20)] {
        matches.push((deal, ["a", "b"], verdict(&[(1, points), (2, 0)], &[])));
        matches.push((deal, ["b", "a"], verdict(&[(2, 0), (1, 0)], &[])));
    }
    matches.push((3, ["a", "b"], verdict(&[(1, 1000), (2, 0)], &[])));
    let standings = tallied(&tournament(&["a", "b"], 2, 5), &matches);
    assert_eq!(
        (
            standings.standings[0].interval_deals,
            standings.unfinished_deals
        ),
        (3, 1)
    );
    assert_eq!(
        (standings.complete, standings.played, standings.planned),
        (false, 7, 10)
    );
}

#[test]
fn points_of_real_matches_are_those_of_their_breakdown() {
    let (tournament, played) = small();
    for row in standings(&tournament, &played).standings {
        let worth = [1, 3, 5, 1];
        let points: i64 = row
            .breakdown
            .0
            .iter()
            .zip(worth)
            .map(|((_, count), worth)| count * worth)
            .sum();
        assert_eq!(points, row.points);
    }
}

/// Returns the standings of these matches.
fn standings(spec: &Spec, matches: &[Played]) -> Standings {
    let names = spec.names();
    let scored = |played: &Played| played.scored(&names).unwrap();
    let mut tally = Tally::new(spec);
    let mut blocks = Vec::new();
    for deal in gathered(spec.gather(), matches.iter().map(scored)) {
        tally.add(&deal);
        blocks.extend(deal.finished_blocks().cloned());
    }
    tally
        .ranked(spec.placings(&blocks).as_ref(), None)
        .standings
}

#[test]
fn in_a_gauntlet_who_won_everything_is_first_and_who_lost_everything_last() {
    let mut spec = tournament(&["base", "good", "best", "bad", "worst"], 2, 3);
    spec.plan.format = Choice::Gauntlet(Gauntlet {
        challengers: vec!["base".to_owned()],
    });
    let mut matches = Vec::new();
    for deal in 0..3 {
        let upset = deal == 0;
        let [good, bad] = [upset, !upset].map(|is_won| match is_won {
            true => "base",
            false => "other",
        });
        for (winner, other) in [
            ("other", "best"),
            ("base", "worst"),
            (good, "good"),
            (bad, "bad"),
        ] {
            let [base, rival] = match winner {
                "base" => [(1, 9), (2, 1)],
                _ => [(2, 1), (1, 9)],
            };
            matches.push((deal, ["base", other], verdict(&[base, rival], &[])));
            matches.push((deal, [other, "base"], verdict(&[rival, base], &[])));
        }
    }
    let standings = tallied(&spec, &matches);
    let order: Vec<&str> = standings
        .standings
        .iter()
        .map(|row| row.bot.as_str())
        .collect();
    assert_eq!(order, ["best", "good", "base", "bad", "worst"]);
}

#[test]
fn who_won_everything_stands_above_those_it_beat_even_without_elo() {
    let mut spec = tournament(&["ann", "bob", "cid", "dee"], 2, 3);
    spec.plan.format = Choice::Ladder(Ladder {
        rounds: 3,
        pairs: 2,
    });
    let mut matches = Vec::new();
    for deal in 0..3 {
        for (winner, loser) in [("ann", "cid"), ("dee", "cid"), ("bob", "cid")] {
            // Bob meets no other bot, and meets this one only once.
            if winner == "bob" && deal > 0 {
                continue;
            }
            let (won, lost) = ((1, 9), (2, 1));
            matches.push((deal, [winner, loser], verdict(&[won, lost], &[])));
            matches.push((deal, [loser, winner], verdict(&[lost, won], &[])));
        }
    }
    let standings = tallied(&spec, &matches);
    let rank = |bot: &str| {
        let mut rows = standings.standings.iter();
        rows.find(|row| row.bot == bot).unwrap().rank
    };
    assert!(rank("bob") < rank("cid"), "{:?}", standings.standings);
}
