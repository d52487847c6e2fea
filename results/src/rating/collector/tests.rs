//! Laws of the leaderboard as a whole.

use arena_tournament::deals::{Deals, Scored, Seated};
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::sample;

const NAMES: [&str; 5] = ["ann", "bob", "cyd", "dan", "eve"];

/// A match: deal, the bots by seat, and their points; the most points win.
type Played = (u32, Vec<usize>, Vec<i32>);

fn scored((deal, bots, points): &Played) -> Scored {
    let place = |mine: i32| 1 + points.iter().filter(|points| **points > mine).count() as u8;
    let seat = |points: &i32| Seated { place: place(*points), points: *points, fault: None, counts: Vec::new() };
    Scored { deal: *deal, bots: bots.clone(), seats: points.iter().map(seat).collect(), transcript: 0 }
}

fn collected(bots: usize, seats: usize, matches: &[Played]) -> Collector {
    let mut collector = Collector::new(&sample::tournament(&NAMES[..bots], seats, 1));
    // As many matches on each deal as on the first.
    let planned = matches.iter().filter(|(deal, ..)| *deal == 0).count() as u64;
    let deals = sample::gathered(Deals::new(seats, Some(planned)), matches.iter().map(scored));
    deals.iter().for_each(|deal| collector.add(deal));
    collector
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

fn strength(ratings: &Ratings, name: &str) -> f64 {
    ratings.bots.iter().find(|rating| rating.bot == name).and_then(|rating| rating.elo).unwrap()
}

#[test]
fn threads_and_the_order_of_matches_change_nothing_to_the_bit() {
    for seats in [2, 3, 4] {
        let mut matches = round_robin(5, seats, 12);
        let threads = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let ratings = |matches: &[Played]| collected(5, seats, matches).ratings(seed(), 150);
        let one = threads(1).install(|| ratings(&matches));
        let two = threads(2).install(|| ratings(&matches));
        // The first deal stays in front, since the plan is read off it.
        matches.reverse();
        let backwards = ratings(&matches);
        let text = |ratings: &Ratings| serde_json::to_string(ratings).unwrap();
        assert_eq!(text(&one), text(&two));
        assert_eq!(text(&one), text(&backwards));
        assert_eq!((one.deals, one.unfinished_deals, one.resamples, one.groups), (12, 0, 150, 1));
        assert!(one.bots.iter().all(|bot| bot.interval.is_some_and(|[low, high]| low < high)), "{one:?}");
        assert_eq!(one.bots[0].bot, "ann", "{one:?}");
        assert!((one.bots.iter().filter_map(|bot| bot.first).sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn few_deals_have_no_intervals_and_unfinished_ones_do_not_count() {
    let mut matches = round_robin(3, 2, 9);
    let ratings = collected(3, 2, &matches).ratings(seed(), 1000);
    assert_eq!((ratings.no_intervals, ratings.resamples), (Some(NoIntervals::TooFewDeals), 0));
    assert!(ratings.bots.iter().all(|bot| bot.elo.is_some() && bot.interval.is_none() && bot.ranks.is_none()));
    let whole = ratings.bots;
    matches.push((9, vec![2, 0], vec![30, 0]));
    let ratings = collected(3, 2, &matches).ratings(seed(), 1000);
    assert_eq!((ratings.deals, ratings.unfinished_deals), (9, 1));
    assert_eq!(ratings.bots, whole);
    // But where no deal is finished, they are all there is.
    let ratings = collected(3, 2, &matches[..1]).ratings(seed(), 1000);
    assert_eq!(ratings.bots.iter().filter(|bot| bot.elo.is_some()).count(), 2, "{ratings:?}");
    let ratings = collected(3, 2, &round_robin(3, 2, 12)).ratings(seed(), 50);
    assert_eq!(ratings.no_intervals, Some(NoIntervals::TooFewResamples));
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
    let ratings = collected(5, 2, &matches).ratings(seed(), 200);
    assert_eq!(ratings.groups, 3);
    let found: Vec<_> = ratings.bots.iter().map(|bot| (bot.bot.as_str(), bot.group, bot.rank)).collect();
    assert_eq!(
        found,
        [("ann", 1, Some(1)), ("bob", 1, Some(2)), ("cyd", 2, Some(1)), ("dan", 2, Some(1)), ("eve", 3, None)]
    );
    assert_eq!(ratings.gaps.len(), 2);
    assert!(ratings.bots.iter().all(|bot| bot.nash_weight.is_none()));
}

#[test]
fn a_bot_that_loses_everything_has_a_bound_and_no_interval() {
    let mut matches = round_robin(3, 2, 20);
    for (_, bots, points) in &mut matches {
        if let Some(seat) = bots.iter().position(|bot| *bot == 2) {
            points[seat] = -1;
        }
    }
    let ratings = collected(3, 2, &matches).ratings(seed(), 200);
    let last = &ratings.bots[2];
    assert_eq!((last.bot.as_str(), last.limit, last.interval), ("cyd", super::super::groups::Limit::AtMost, None));
    assert!(ratings.bots[0].interval.is_some() && ratings.gaps[1].interval.is_none(), "{ratings:?}");
}

#[test]
fn rock_paper_scissors_is_all_circle() {
    // Each bot beats the next one on most deals.
    let matches: Vec<Played> = (0..60)
        .flat_map(|deal| {
            (0..3).map(move |bot| {
                let won = !(deal + bot as u32).is_multiple_of(10);
                (deal, vec![bot, (bot + 1) % 3], vec![i32::from(won), i32::from(!won)])
            })
        })
        .collect();
    let ratings = collected(3, 2, &matches).ratings(seed(), 200);
    assert!(ratings.cyclic.share.unwrap() > 0.999 && ratings.cyclic.corrected.unwrap() > 0.99, "{:?}", ratings.cyclic);
    assert_eq!(ratings.cyclic.cycles[0].bots, ["ann", "bob", "cyd"]);
    assert!(ratings.bots.iter().all(|bot| (bot.nash_weight.unwrap() - 1.0 / 3.0).abs() < 1e-6), "{ratings:?}");
}

/// Serde writes NaN and infinities as null, which only these may be.
fn check_finite(ratings: &Ratings) {
    let maybe = ["no_intervals", "prior", "first_seat", "interval", "corrected", "share", "exploitability", "points"];
    let maybe_of_bots = ["rank", "elo", "ranks", "first", "nash_weight", "nash_skill", "more_deals"];
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
    let strange = |name: &&String| !maybe.contains(&name.as_str()) && !maybe_of_bots.contains(&name.as_str());
    assert_eq!(found.iter().find(strange), None, "{ratings:?}");
    for rating in ratings.bots.iter().filter(|rating| rating.rank.is_some()) {
        assert!(rating.elo.is_some_and(f64::is_finite), "{rating:?}");
    }
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
        check_finite(&collected(5, 2, &pairs).ratings(seed(), 100));
        check_finite(&collected(5, 3, &tables).ratings(seed(), 100));
    }

    #[test]
    fn names_do_not_count(pairs in any_matches(4, 2), tables in any_matches(4, 3)) {
        for (seats, matches) in [(2, pairs), (3, tables)] {
            let turned = |(deal, bots, points): &Played| {
                (*deal, bots.iter().map(|bot| (bot + 1) % 4).collect(), points.clone())
            };
            let turned: Vec<Played> = matches.iter().map(turned).collect();
            let [one, other] = [&matches, &turned].map(|matches| collected(4, seats, matches).ratings(seed(), 0));
            for bot in 0..4 {
                let elo = |ratings: &Ratings, bot: usize| {
                    ratings.bots.iter().find(|rating| rating.bot == NAMES[bot]).and_then(|rating| rating.elo)
                };
                match (elo(&one, bot), elo(&other, (bot + 1) % 4)) {
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
        let before = collected(4, 2, &matches).ratings(seed(), 0);
        matches.extend([(0, vec![0, loser], vec![1, 0]), (0, vec![loser, 0], vec![0, 1])]);
        let after = collected(4, 2, &matches).ratings(seed(), 0);
        prop_assert!(strength(&after, "ann") >= strength(&before, "ann") - 1e-6, "{before:?} {after:?}");
    }
}

/// Two pairs of bots of which each took something from the other, joined by a win: neither pair is the main field.
#[test]
fn names_do_not_count_where_two_fields_are_equally_great() {
    let strengths = |turn: usize| {
        let bots = |one: usize, other: usize| vec![(one + turn) % 4, (other + turn) % 4];
        let ties = [(0, bots(2, 0), vec![0, 0]), (1, bots(1, 3), vec![2, 2])];
        let matches: Vec<Played> = ties.into_iter().chain([(2, bots(0, 1), vec![0, 1])]).collect();
        let ratings = collected(4, 2, &matches).ratings(seed(), 0);
        let elo = |bot: usize| ratings.bots.iter().find(|rating| rating.bot == NAMES[(bot + turn) % 4])?.elo;
        (0..4).map(|bot| elo(bot).unwrap().round()).collect::<Vec<f64>>()
    };
    assert_eq!(strengths(0), strengths(1));
    assert_eq!(strengths(0), strengths(2));
}
