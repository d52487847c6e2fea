//! Tests which bots are compared on which deals, and when one is ahead.

use arena_engine::chance::{Chance, Seed};
use arena_tournament::deals::{Deals, Seated};
use arena_tournament::formats::Choice;
use arena_tournament::formats::gauntlet::Gauntlet;
use arena_tournament::sample::{gathered, tournament};
use arena_tournament::spec::FirstPlan;

use super::*;

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Returns a match with these points by seat.
fn scored(deal: u32, bots: &[usize], points: &[i32]) -> Scored {
    let place = |mine: &i32| 1 + points.iter().filter(|other| *other > mine).count() as u8;
    let seat = |points: &i32| Seated {
        place: place(points),
        points: *points,
        fault: None,
        counts: Vec::new(),
    };
    Scored {
        deal,
        bots: bots.to_vec(),
        seats: points.iter().map(seat).collect(),
        transcript: 0,
    }
}

/// Returns both matches of two bots on a deal, with their points.
fn block(deal: u32, bots: [usize; 2], points: [i32; 2]) -> [Scored; 2] {
    let turned = scored(deal, &[bots[1], bots[0]], &[points[1], points[0]]);
    [scored(deal, &bots, &points), turned]
}

/// Returns the relation that these matches of a tournament show.
fn judged(spec: &Spec, matches: impl IntoIterator<Item = Scored>) -> Ahead {
    let mut collector = Collector::new(spec);
    let deals = Deals::new(2, spec.matches_per_deal());
    gathered(deals, matches)
        .iter()
        .for_each(|deal| collector.add(deal));
    collector.ahead()
}

/// Creates a gauntlet of these bots, of which the first few are the challengers.
fn gauntlet(bots: usize, challengers: usize, deals: u32) -> Spec {
    let mut spec = tournament(&NAMES[..bots], 2, deals);
    let challengers = NAMES[..challengers]
        .iter()
        .map(|name| (*name).into())
        .collect();
    spec.plan.format = Choice::Gauntlet(Gauntlet { challengers });
    spec
}

/// Returns all blocks of a gauntlet's challengers on a deal; `points` gives those of the first bot.
fn challenge(
    (bots, challengers): (usize, usize),
    deal: u32,
    points: impl Fn(usize, usize) -> [i32; 2],
) -> Vec<Scored> {
    let pairs = (0..challengers).flat_map(|one| (challengers..bots).map(move |other| [one, other]));
    pairs
        .flat_map(|[one, other]| block(deal, [one, other], points(one, other)))
        .collect()
}

#[test]
fn all_opponents_count_where_all_meet() {
    // The first and the second draw, and the first scores 6 more against the third.
    let matches = (1..=8).flat_map(|deal| {
        let ab = block(deal, [0, 1], [5, 5]);
        let ac = block(deal, [0, 2], [9, 1]);
        ab.into_iter().chain(ac).chain(block(deal, [1, 2], [3, 1]))
    });
    let ahead = judged(&tournament(&NAMES[..3], 2, 8), matches);
    let lead = ahead.lead(0, 1).unwrap();
    assert_eq!((lead.deals, lead.points, lead.interval), (8, 3.0, None));
    // With 8 equal differences the minimum p-value is 2^-7, times the three pairs.
    assert_eq!((lead.p, lead.p_adjusted), (1.0 / 128.0, 3.0 / 128.0));
    assert!(ahead.is(0, 1) && ahead.is(0, 2) && ahead.is(1, 2) && !ahead.is(2, 0));
    assert_eq!(ahead.ranks(), [[1, 1], [2, 2], [3, 3]]);
    assert_eq!(ahead.lead(1, 0).map(Lead::turned), Some(lead));
}

#[test]
fn in_a_gauntlet_each_side_is_compared_by_the_other() {
    let spec = gauntlet(4, 1, 10);
    let points = |deal: u32| move |_: usize, other: usize| [4, [0, 9, 1, (deal % 3) as i32][other]];
    let ahead = judged(
        &spec,
        (1..=10).flat_map(|deal| challenge((4, 1), deal, points(deal))),
    );
    // The challenger by its matches with each, the others by those with the challenger.
    assert_eq!(ahead.lead(0, 1).unwrap().points, -5.0);
    assert_eq!(ahead.lead(1, 2).unwrap().points, 8.0);
    assert!(ahead.is(1, 0) && ahead.is(0, 2) && ahead.is(1, 2) && !ahead.is(2, 3));
}

/// Rocks challenge papers and scissors. The results of rocks against either say nothing about two rocks, and papers are
/// ahead of scissors only by their results against the rocks.
#[test]
fn a_circle_makes_no_bot_ahead_of_its_equal() {
    for deals in [9, 40] {
        let spec = gauntlet(6, 2, deals);
        let matches = (1..=deals).flat_map(|deal| {
            let paper = |_: usize, other: usize| if other < 4 { [0, 3] } else { [3, 0] };
            challenge((6, 2), deal, paper)
        });
        let ahead = judged(&spec, matches);
        assert!(
            [(0, 1), (2, 3), (4, 5)]
                .iter()
                .all(|(one, other)| { !ahead.is(*one, *other) && !ahead.is(*other, *one) })
        );
        assert_eq!(ahead.lead(2, 4).unwrap().points, 3.0);
        assert_eq!(
            ahead.is(2, 0) && ahead.is(0, 4) && ahead.is(2, 4),
            deals == 40
        );
    }
}

#[test]
fn bots_with_other_opponents_are_not_compared() {
    let mut spec = tournament(&NAMES[..4], 2, 12);
    spec.plan.format = Choice::Swiss(arena_tournament::formats::swiss::Swiss { rounds: 1 });
    let matches = (1..=12).flat_map(|deal| {
        let first = block(deal, [0, 1], [8, 0]);
        first.into_iter().chain(block(deal, [2, 3], [5, 4]))
    });
    let ahead = judged(&spec, matches);
    let pairs: Vec<_> = ahead.leads().keys().copied().collect();
    assert_eq!(pairs, [[0, 1], [2, 3]]);
    assert!(ahead.is(0, 1) && ahead.is(2, 3));
    assert_eq!(ahead.ranks(), [[1, 3], [2, 4], [1, 3], [2, 4]]);
}

/// Returns both matches of two bots on each deal, of which the first has a small advantage, with luck.
fn duel(deals: u32, chance: &mut Chance, more: i32) -> Vec<Scored> {
    let points = |chance: &mut Chance| chance.below(7) as i32 + chance.below(7) as i32;
    let block = |deal| block(deal, [0, 1], [points(chance) + more, points(chance)]);
    (1..=deals).flat_map(block).collect()
}

#[test]
fn the_test_counts_once_and_the_evidence_at_any_time() {
    let mut chance = Seed::try_from(4).unwrap().stream("duel", 0);
    let matches = duel(40, &mut chance, 2);
    let planned = tournament(&NAMES[..2], 2, 40);
    let lead = judged(&planned, matches.clone()).lead(0, 1).unwrap();
    assert!(
        lead.decided && lead.p < 0.03 && lead.evidence < 50.0,
        "{lead:?}"
    );
    let mut extended = planned.clone();
    extended.first_plan = Some(FirstPlan {
        deals: 20,
        rounds: 1,
    });
    for (spec, matches) in [
        (&extended, matches.clone()),
        (&tournament(&NAMES[..2], 2, 60), matches.clone()),
        (&planned, matches[..78].to_vec()),
    ] {
        assert!(!judged(spec, matches).lead(0, 1).unwrap().decided);
    }
    let many = duel(200, &mut chance, 2);
    let ahead = judged(&tournament(&NAMES[..2], 2, 300), many.clone());
    assert!(ahead.is(0, 1) && ahead.lead(0, 1).unwrap().evidence >= 50.0);
    // A missing deal ends the evidence.
    let gap = many.into_iter().filter(|scored| scored.deal != 3);
    assert!(!judged(&tournament(&NAMES[..2], 2, 300), gap).is(0, 1));
}

#[test]
fn equal_bots_are_seldom_ahead_at_any_look() {
    let spec = tournament(&NAMES[..4], 2, 400);
    let ever = |index: &u64| {
        let mut chance = Seed::try_from(9).unwrap().stream("equal", *index);
        let mut collector = Collector::new(&spec);
        let mut found = false;
        for deal in 1..=100 {
            let pairs = (0..4).flat_map(|one| (one + 1..4).map(move |other| [one, other]));
            let mut points = || chance.below(20) as i32;
            let all = pairs.flat_map(|pair| block(deal, pair, [points(), points()]));
            gathered(spec.gather(), all)
                .iter()
                .for_each(|deal| collector.add(deal));
            found |= deal % 10 == 0 && collector.ahead().leads().values().any(|lead| lead.decided);
        }
        found
    };
    let wrong = (0..100).filter(ever).count();
    assert!(wrong <= 5, "{wrong} of 100");
}
