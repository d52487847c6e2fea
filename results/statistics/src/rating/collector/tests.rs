//! Laws of the leaderboard as a whole.

use arena_engine::chance::Seed;
use arena_tournament::deals::{Deals, Scored, Seated};
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::pairwise::Pairwise;
use arena_tournament::sample;

const NAMES: [&str; 5] = ["ann", "bob", "cyd", "dan", "eve"];

/// A match: deal, the bots by seat, and their points; the most points win.
type Played = (u32, Vec<usize>, Vec<i32>);

fn scored((deal, bots, points): &Played) -> Scored {
    let place = |mine: i32| 1 + points.iter().filter(|points| **points > mine).count() as u8;
    let seat = |points: &i32| Seated { place: place(*points), points: *points, fault: None, counts: Vec::new() };
    Scored { deal: *deal, bots: bots.clone(), seats: points.iter().map(seat).collect(), transcript: 0 }
}

/// The ratings by these matches above a bot, with bounds by the pairs.
fn rated(bots: usize, seats: usize, matches: &[Played], anchor: Option<usize>) -> Ratings {
    let spec = sample::tournament(&NAMES[..bots], seats, 1);
    let (mut collector, mut pairwise) = (Collector::new(&spec), Pairwise::new(&spec));
    // As many matches on each deal as on the first.
    let planned = matches.iter().filter(|(deal, ..)| *deal == 0).count() as u64;
    for deal in sample::gathered(Deals::new(seats, Some(planned)), matches.iter().map(scored)) {
        collector.add(&deal);
        pairwise.add(&deal);
    }
    let order: Vec<usize> = (0..bots).collect();
    collector.ratings(Reading { order: &order, anchor, pairs: &pairwise.table() })
}

fn seed() -> Seed {
    Seed::try_from(7).unwrap()
}

/// A round robin over deals: every pairing in both seatings, or every table of the seats in turn; the strength of a bot
/// is its index, backwards.
fn round_robin(bots: usize, seats: usize, deals: u32) -> Vec<Played> {
    let mut chance = seed().stream("round robin", seats as u64);
    let mut matches = Vec::new();
    for deal in 0..deals {
        let tables = (0..bots).flat_map(|i| (0..bots).filter(move |j| *j != i).map(move |j| (i, j)));
        for (i, j) in tables {
            let rest = (0..bots).filter(|bot| *bot != i && *bot != j).take(seats - 2);
            let table: Vec<usize> = [i, j].into_iter().chain(rest).collect();
            let points = table.iter().map(|bot| chance.below(12) as i32 + 2 * (bots - bot) as i32).collect();
            matches.push((deal, table, points));
        }
    }
    matches
}

fn over(ratings: &Ratings, name: &str) -> EloDifference {
    ratings.bots.iter().find(|rating| rating.bot == name).unwrap().over
}

/// A rating; none where there is no more than a bound.
fn elo(ratings: &Ratings, name: &str) -> Option<f64> {
    match over(ratings, name).elo {
        Some(Elo::Value(elo)) => Some(elo),
        _ => None,
    }
}

#[test]
fn the_order_of_matches_changes_nothing_to_the_bit() {
    for seats in [2, 3, 4] {
        let mut matches = round_robin(5, seats, 12);
        let one = rated(5, seats, &matches, None);
        // The first deal stays in front, since the plan is read off it.
        matches.reverse();
        let text = |ratings: &Ratings| serde_json::to_string(ratings).unwrap();
        assert_eq!(text(&one), text(&rated(5, seats, &matches, None)));
        assert_eq!((one.deals, one.unfinished_deals, one.groups), (12, 0, 1));
        assert_eq!((one.bots[0].bot.as_str(), one.anchor.as_deref()), ("ann", Some("ann")), "{one:?}");
        for Rating { bot, over, .. } in one.bots.iter().filter(|rating| rating.bot != "ann") {
            let (Some(Elo::Value(elo)), [Some(low), Some(high)]) = (over.elo, over.interval) else {
                panic!("{over:?}")
            };
            assert!(low < elo && elo < high, "{bot} {over:?}");
        }
    }
}

#[test]
fn ratings_stand_above_the_anchor_and_leads_above_the_next() {
    let matches = round_robin(4, 2, 20);
    let [plain, above] = [None, Some(2)].map(|anchor| rated(4, 2, &matches, anchor));
    assert_eq!((above.anchor.as_deref(), above.anchor_is_given, plain.anchor_is_given), (Some("cyd"), true, false));
    assert_eq!(elo(&above, "cyd"), Some(0.0));
    let moved = elo(&plain, "cyd").unwrap();
    for name in &NAMES[..4] {
        assert!((elo(&plain, name).unwrap() - moved - elo(&above, name).unwrap()).abs() < 1e-9);
    }
    assert_eq!(plain.leads, above.leads);
    let lead = &plain.leads[2];
    assert_eq!((lead.bot.as_str(), lead.next.as_str()), ("cyd", "dan"));
    let (Some(Elo::Value(ahead)), [Some(low), Some(high)]) = (lead.over.elo, lead.over.interval) else {
        panic!("{lead:?}")
    };
    let dan = over(&above, "dan");
    assert!((ahead + elo(&above, "dan").unwrap()).abs() < 1e-9);
    assert!(
        (low + dan.interval[1].unwrap()).abs() < 1e-2 && (high + dan.interval[0].unwrap()).abs() < 1e-2,
        "{lead:?} {dan:?}"
    );
}

#[test]
fn few_deals_have_no_intervals_and_unfinished_ones_do_not_count() {
    let mut matches = round_robin(3, 2, 9);
    let ratings = rated(3, 2, &matches, None);
    assert!(ratings.bots.iter().all(|bot| bot.over.elo.is_some() && bot.over.interval == [None; 2]));
    let whole = ratings.bots;
    matches.push((9, vec![2, 0], vec![30, 0]));
    let ratings = rated(3, 2, &matches, None);
    assert_eq!((ratings.deals, ratings.unfinished_deals), (9, 1));
    assert_eq!(ratings.bots, whole);
    // But where no deal is finished, they are all there is.
    let ratings = rated(3, 2, &matches[..1], None);
    assert_eq!(ratings.bots.iter().filter(|bot| bot.rank.is_some()).count(), 2, "{ratings:?}");
}

#[test]
fn groups_that_never_met_are_not_compared() {
    let matches: Vec<Played> = (0..12)
        .flat_map(|deal| {
            let more = |n: u32| i32::from(deal % n != 0);
            [(deal, vec![0, 1], vec![more(3), 0]), (deal, vec![3, 2], vec![more(2), 0])]
        })
        .map(|(deal, bots, points)| (deal, bots, if points[0] == 0 { vec![0, 1] } else { points }))
        .collect();
    let ratings = rated(5, 2, &matches, None);
    assert_eq!(ratings.groups, 3);
    let found: Vec<_> = ratings.bots.iter().map(|bot| (bot.bot.as_str(), bot.group, bot.rank)).collect();
    assert_eq!(
        found,
        [("ann", 1, Some(1)), ("bob", 1, Some(2)), ("cyd", 2, Some(1)), ("dan", 2, Some(1)), ("eve", 3, None)]
    );
    assert_eq!((elo(&ratings, "ann"), elo(&ratings, "cyd")), (Some(0.0), None));
    assert!(elo(&ratings, "bob").is_some());
}

#[test]
fn a_bot_that_loses_everything_has_a_bound_and_no_interval() {
    let mut matches = round_robin(3, 2, 20);
    for (_, bots, points) in &mut matches {
        if let Some(seat) = bots.iter().position(|bot| *bot == 2) {
            points[seat] = -1;
        }
    }
    let ratings = rated(3, 2, &matches, None);
    assert_eq!(ratings.anchor.as_deref(), Some("ann"));
    assert!(elo(&ratings, "bob").is_some());
    // It won nothing on 20 deals: 0.05^(1/20) is 0.86089, which is 316.7 Elo.
    let bound = over(&ratings, "cyd");
    let Some(Elo::AtMost(most)) = bound.elo else { panic!("{bound:?}") };
    assert!((most + 316.7).abs() < 0.1 && bound.interval == [None, Some(most)], "{bound:?}");
    assert!(matches!(ratings.leads[1].over.elo, Some(Elo::AtLeast(least)) if least == -most), "{ratings:?}");
}

/// Serde writes NaN and infinities as null, which only these may be.
fn check_finite(ratings: &Ratings) {
    let maybe = ["prior", "first_seat", "anchor", "rank", "elo", "interval", "interval[]"];
    fn nulls(name: &str, value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Null => found.push(name.into()),
            Value::Array(items) => items.iter().for_each(|item| nulls(&format!("{name}[]"), item, found)),
            Value::Object(fields) => fields.iter().for_each(|(name, value)| nulls(name, value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    nulls("", &serde_json::to_value(ratings).unwrap(), &mut found);
    let strange = |name: &&String| !maybe.contains(&name.as_str());
    assert_eq!(found.iter().find(strange), None, "{ratings:?}");
}

fn any_matches(bots: usize, seats: usize) -> impl Strategy<Value = Vec<Played>> {
    let table = Just((0..bots).collect::<Vec<_>>()).prop_shuffle();
    let one = (0..14_u32, table, prop::collection::vec(0..4, seats));
    let one = one.prop_map(move |(deal, mut bots, points)| {
        bots.truncate(seats);
        (deal, bots, points)
    });
    prop::collection::vec(one, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_played_all_numbers_are_finite(pairs in any_matches(5, 2), tables in any_matches(5, 3)) {
        check_finite(&rated(5, 2, &pairs, None));
        check_finite(&rated(5, 3, &tables, Some(3)));
    }

    #[test]
    fn names_do_not_count(pairs in any_matches(4, 2), tables in any_matches(4, 3)) {
        for (seats, matches) in [(2, pairs), (3, tables)] {
            let turned = |(deal, bots, points): &Played| {
                (*deal, bots.iter().map(|bot| (bot + 1) % 4).collect(), points.clone())
            };
            let turned: Vec<Played> = matches.iter().map(turned).collect();
            let (one, other) = (rated(4, seats, &matches, Some(0)), rated(4, seats, &turned, Some(1)));
            for bot in 0..4 {
                match (elo(&one, NAMES[bot]), elo(&other, NAMES[(bot + 1) % 4])) {
                    (Some(one), Some(other)) => prop_assert!((one - other).abs() < 1e-6, "{one} {other}"),
                    (one, other) => prop_assert_eq!(one, other),
                }
            }
        }
    }

    #[test]
    fn a_win_more_never_lowers_a_rating(pairs in any_matches(4, 2), loser in 1..4_usize) {
        let mut matches = round_robin(4, 2, 1);
        matches.extend(pairs.into_iter().map(|(_, bots, points)| (0, bots, points)));
        let before = rated(4, 2, &matches, Some(loser));
        matches.extend([(0, vec![0, loser], vec![1, 0]), (0, vec![loser, 0], vec![0, 1])]);
        let after = rated(4, 2, &matches, Some(loser));
        if let (Some(before), Some(after)) = (elo(&before, "ann"), elo(&after, "ann")) {
            prop_assert!(after >= before - 1e-6, "{before:?} {after:?}");
        }
    }
}
