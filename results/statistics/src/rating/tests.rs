//! Laws of the leaderboard as a whole.

use crate::holm::Look;
use arena_engine::chance::Seed;
use arena_tournament::deals::{Deals, Scored, Seated};
use proptest::prelude::*;
use serde_json::Value;

use super::claims::{self, Method};
use super::covariance::Uncertain;
use super::difference::EloDifference;
use super::duels::Duels;

use super::*;
use crate::elo::Elo;
use crate::pairwise::Pairwise;
use arena_tournament::sample;

const NAMES: [&str; 5] = ["ann", "bob", "cyd", "dan", "eve"];

/// A match: deal, the bots by seat, and their points; the most points win.
type Played = (u32, Vec<usize>, Vec<i32>);

fn scored((deal, bots, points): &Played) -> Scored {
    let place = |mine: i32| 1 + points.iter().filter(|points| **points > mine).count() as u8;
    let seat = |points: &i32| Seated {
        place: place(*points),
        points: *points,
        fault: None,
        counts: Vec::new(),
    };
    Scored {
        deal: *deal,
        bots: bots.clone(),
        seats: points.iter().map(seat).collect(),
        transcript: 0,
    }
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
    collector
        .ratings(anchor, &pairwise.table(Look::Planned), Look::Planned)
        .with_leads(&order, &spec.names())
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
        let tables =
            (0..bots).flat_map(|i| (0..bots).filter(move |j| *j != i).map(move |j| (i, j)));
        for (i, j) in tables {
            let rest = (0..bots)
                .filter(|bot| *bot != i && *bot != j)
                .take(seats - 2);
            let table: Vec<usize> = [i, j].into_iter().chain(rest).collect();
            let points = table
                .iter()
                .map(|bot| chance.below(12) as i32 + 2 * (bots - bot) as i32)
                .collect();
            matches.push((deal, table, points));
        }
    }
    matches
}

fn over(ratings: &Ratings, name: &str) -> EloDifference {
    ratings
        .bots
        .iter()
        .find(|rating| rating.bot == name)
        .unwrap()
        .over
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
        assert_eq!((one.deals, one.groups), (12, 1));
        assert_eq!(
            (one.bots[0].bot.as_str(), one.anchor.as_deref()),
            ("ann", Some("ann")),
            "{one:?}"
        );
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
    assert_eq!(
        (
            above.anchor.as_deref(),
            above.anchor_is_given,
            plain.anchor_is_given
        ),
        (Some("cyd"), true, false)
    );
    assert_eq!(elo(&above, "cyd"), Some(0.0));
    let moved = elo(&plain, "cyd").unwrap();
    for name in &NAMES[..4] {
        assert!((elo(&plain, name).unwrap() - moved - elo(&above, name).unwrap()).abs() < 1e-9);
    }
    assert_eq!(plain.leads, above.leads);
    let lead = &plain.leads[2];
    assert_eq!((lead.bot.as_str(), lead.next.as_str()), ("cyd", "dan"));
    let (Some(Elo::Value(ahead)), [Some(low), Some(high)]) = (lead.over.elo, lead.over.interval)
    else {
        panic!("{lead:?}")
    };
    let dan = over(&above, "dan");
    assert!((ahead + elo(&above, "dan").unwrap()).abs() < 1e-9);
    assert!(
        (low + dan.interval[1].unwrap()).abs() < 1e-9
            && (high + dan.interval[0].unwrap()).abs() < 1e-9,
        "{lead:?} {dan:?}"
    );
}

#[test]
fn few_deals_have_no_intervals_and_unfinished_ones_do_not_count() {
    let mut matches = round_robin(3, 2, 9);
    let ratings = rated(3, 2, &matches, None);
    assert!(
        ratings
            .bots
            .iter()
            .all(|bot| bot.over.elo.is_some() && bot.over.interval == [None; 2])
    );
    let whole = ratings.bots;
    matches.push((9, vec![2, 0], vec![30, 0]));
    let ratings = rated(3, 2, &matches, None);
    assert_eq!(ratings.deals, 9);
    assert_eq!(ratings.bots, whole);
}

#[test]
fn groups_that_never_met_are_not_compared() {
    let matches: Vec<Played> = (0..12)
        .flat_map(|deal| {
            let more = |n: u32| i32::from(deal % n != 0);
            [
                (deal, vec![0, 1], vec![more(3), 0]),
                (deal, vec![3, 2], vec![more(2), 0]),
            ]
        })
        .map(|(deal, bots, points)| (deal, bots, if points[0] == 0 { vec![0, 1] } else { points }))
        .collect();
    let ratings = rated(5, 2, &matches, None);
    assert_eq!(ratings.groups, 3);
    let found: Vec<_> = ratings
        .bots
        .iter()
        .map(|bot| (bot.bot.as_str(), bot.group, bot.rank))
        .collect();
    assert_eq!(
        found,
        [
            ("ann", 1, Some(1)),
            ("bob", 1, Some(2)),
            ("cyd", 2, Some(1)),
            ("dan", 2, Some(1)),
            ("eve", 3, None)
        ]
    );
    assert_eq!(
        (elo(&ratings, "ann"), elo(&ratings, "cyd")),
        (Some(0.0), None)
    );
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
    // It won nothing on 20 deals: 0.025^(1/20) is 0.83157, which is 277.4 Elo.
    let bound = over(&ratings, "cyd");
    let Some(Elo::AtMost(most)) = bound.elo else {
        panic!("{bound:?}")
    };
    assert!(
        (most + 277.4).abs() < 0.1 && bound.interval == [None, Some(most)],
        "{bound:?}"
    );
    assert!(
        matches!(ratings.leads[1].over.elo, Some(Elo::AtLeast(least)) if least == -most),
        "{ratings:?}"
    );
}

/// The wins of the first bot, of four duels on each of thirty deals.
const VECTOR: [(usize, usize, &str); 6] = [
    (1, 0, "201202222222323002200122212310"),
    (2, 0, "123033421424242133322331123413"),
    (2, 1, "223334223221432341222312423232"),
    (3, 0, "433424433344223344243433334332"),
    (3, 1, "441333444133233413433213334333"),
    (3, 2, "132433133233133222123231111234"),
];

/// The duels of such a table, of four bots.
fn duels(table: &[(usize, usize, &str)]) -> Duels {
    let mut matches: Vec<Played> = Vec::new();
    for (one, other, wins) in table {
        for (deal, wins) in (1..).zip(wins.bytes().map(|digit| i32::from(digit - b'0'))) {
            matches.extend((0..4).map(|index| {
                (
                    deal,
                    vec![*one, *other],
                    vec![i32::from(index < wins), i32::from(index >= wins)],
                )
            }));
        }
    }
    let mut duels = Duels::new(4);
    sample::gathered(Deals::new(4, None), matches.iter().map(scored))
        .iter()
        .for_each(|deal| duels.add(deal));
    duels
}

/// The same by a program in Python with numpy and scipy.
#[test]
fn strengths_and_errors_are_those_of_another_program() {
    let uncertain = Uncertain::of(&duels(&VECTOR));
    for (found, expected) in
        uncertain
            .at
            .iter()
            .zip([-50.727_488, -88.360_197_63, 26.935_032_05, 112.152_653_58])
    {
        assert!((found * fit::ELO - expected).abs() < 1e-6, "{found}");
    }
    let misfit = &uncertain.misfit;
    assert!(
        (misfit.p - 0.024_632_347).abs() < 1e-8 && (misfit.variance - 0.003_946_357_5).abs() < 1e-9,
        "{misfit:?}"
    );
    assert!((misfit.dispersion / 4.0 - 0.25).abs() < 1e-12);
    let critical =
        [Method::MaxT, Method::Adaptive].map(|method| claims::critical(method, &uncertain));
    assert!(
        (critical[0] - 2.716).abs() < 0.03 && (critical[1] - 3.393_656).abs() < 1e-5,
        "{critical:?}"
    );
}

#[test]
fn claims_are_those_of_another_program() {
    let uncertain = Uncertain::of(&duels(&VECTOR));
    let ahead = |method| {
        let ahead = claims::by_ratings(method, &uncertain);
        let cells = (0..16).map(|cell| (cell / 4, cell % 4));
        cells
            .filter(|(bot, other)| ahead.is(*bot, *other))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        ahead(Method::MaxT),
        [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    );
    assert_eq!(ahead(Method::Adaptive), [(3, 0), (3, 1)]);
}

/// Four bots, all on 30 deals, or only these pairs of them; each of the pairs is won by the first in 28.
#[test]
fn what_only_two_bots_say_of_each_other_makes_neither_the_stronger_one() {
    let (many, few) = ("3".repeat(80), "3".repeat(6));
    let is_ahead = |others: [usize; 2]| {
        let [one, other] = others;
        let table = [
            (0, 1, many.as_str()),
            (one, 2, &few),
            (2, other, &few),
            (2, 3, "22"),
            (0, 3, "22"),
            (1, 3, "22"),
        ];
        claims::by_ratings(Method::Adaptive, &Uncertain::of(&duels(&table))).is(0, 1)
    };
    assert!(is_ahead([0, 1]), "0 beats 2, and 2 beats 1");
    assert!(!is_ahead([1, 0]), "1 beats 2, and 2 beats 0");
}

fn claimed(pairs: &[[usize; 2]]) -> Ratings {
    let won = |deal: u32| {
        if deal.is_multiple_of(15) {
            vec![0, 1]
        } else {
            vec![1, 0]
        }
    };
    let matches: Vec<Played> = (0..30)
        .flat_map(|deal| {
            pairs
                .iter()
                .map(move |pair| (deal, pair.to_vec(), won(deal)))
        })
        .collect();
    let doubled = matches.iter().flat_map(|(deal, bots, points)| {
        let turned = |list: &Vec<usize>| list.iter().rev().copied().collect::<Vec<usize>>();
        [
            (*deal, bots.clone(), points.clone()),
            (*deal, turned(bots), points.iter().rev().copied().collect()),
        ]
    });
    rated(4, 2, &doubled.collect::<Vec<_>>(), None)
}

#[test]
fn what_is_not_tested_is_not_claimed() {
    let names = |ratings: &Ratings| {
        ratings
            .claims
            .beats
            .iter()
            .map(|pair| pair.join(">"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let chain = claimed(&[[0, 1], [1, 2], [2, 3]]);
    assert_eq!(
        (chain.claims.method, names(&chain).as_str()),
        (Method::Pairs, "ann>bob bob>cyd cyd>dan")
    );
    assert_eq!(
        over(&chain, "dan").interval,
        [None; 2],
        "nothing tests a chain"
    );
    assert!(chain.contradictions.is_empty() && chain.claims.ahead.ranks(0) == [1, 4]);
    let all = claimed(&[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    assert!(all.claims.method == Method::MaxT && all.claims.beats.is_empty());
    assert!(all.claims.ahead.is(0, 3) && !all.claims.ahead.is(3, 0));
    let circle = claimed(&[[0, 1], [1, 2], [2, 0], [0, 3]]);
    assert_eq!(
        (circle.claims.method, names(&circle).as_str()),
        (Method::Pairs, "ann>bob ann>dan bob>cyd cyd>ann")
    );
    assert!(
        circle.claims.stronger.is_empty() && circle.contradictions.len() == 3,
        "{circle:?}"
    );
    let (one, score) = (&circle.contradictions[0], 28.0 / 30.0);
    assert!(
        (one.score - score).abs() < 1e-9 || (one.score - 1.0 + score).abs() < 1e-9,
        "{one:?}"
    );
}

#[test]
fn copies_are_not_ranked() {
    let mut matches = round_robin(3, 2, 40);
    // The fourth plays as the third does, and draws with it.
    let copies: Vec<Played> = matches
        .iter()
        .filter(|(_, bots, _)| bots.contains(&2))
        .map(|(deal, bots, points)| {
            (
                *deal,
                bots.iter()
                    .map(|bot| if *bot == 2 { 3 } else { *bot })
                    .collect(),
                points.clone(),
            )
        })
        .collect();
    matches.extend(copies);
    matches.extend((0..40).flat_map(|deal| {
        [
            (deal, vec![2, 3], vec![1, 1]),
            (deal, vec![3, 2], vec![1, 1]),
        ]
    }));
    let ratings = rated(4, 2, &matches, None);
    let ahead = |bot, other| ratings.claims.ahead.is(bot, other);
    assert_eq!(ratings.claims.method, Method::MaxT);
    assert!(
        !ahead(2, 3) && !ahead(3, 2) && ahead(0, 2) == ahead(0, 3),
        "{ratings:?}"
    );
    assert_eq!(
        over(&ratings, "cyd").elo.map(|elo| elo.number().round()),
        over(&ratings, "dan").elo.map(|elo| elo.number().round())
    );
}

/// Serde writes NaN and infinities as null, which only these may be.
fn check_finite(ratings: &Ratings) {
    let maybe = [
        "first_seat",
        "anchor",
        "rank",
        "elo",
        "interval",
        "interval[]",
    ];
    fn nulls(name: &str, value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Null => found.push(name.into()),
            Value::Array(items) => items
                .iter()
                .for_each(|item| nulls(&format!("{name}[]"), item, found)),
            Value::Object(fields) => fields
                .iter()
                .for_each(|(name, value)| nulls(name, value, found)),
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
    fn mirrored_results_have_mirrored_ratings(pairs in any_matches(4, 2), tables in any_matches(4, 3)) {
        for (seats, matches) in [(2, pairs), (3, tables)] {
            let mirrored: Vec<Played> = matches
                .iter()
                .map(|(deal, bots, points)| (*deal, bots.clone(), points.iter().map(|points| -points).collect()))
                .collect();
            let (one, other) = (rated(4, seats, &matches, Some(0)), rated(4, seats, &mirrored, Some(0)));
            for name in &NAMES[..4] {
                match (elo(&one, name), elo(&other, name)) {
                    (Some(one), Some(other)) => prop_assert!((one + other).abs() < 1e-6, "{one} {other}"),
                    (one, other) => prop_assert_eq!(one, other),
                }
            }
        }
    }

    #[test]
    fn two_bots_differ_by_the_elo_of_the_pair(matches in any_matches(2, 2)) {
        let spec = sample::tournament(&NAMES[..2], 2, 1);
        let mut pairwise = Pairwise::new(&spec);
        let planned = matches.iter().filter(|(deal, ..)| *deal == 0).count() as u64;
        let deals = sample::gathered(Deals::new(2, Some(planned)), matches.iter().map(scored));
        deals.iter().filter(|deal| deal.finished).for_each(|deal| pairwise.add(deal));
        let pair = &pairwise.table(Look::Planned)[0];
        let found = over(&rated(2, 2, &matches, Some(1)), "ann");
        if pair.estimate.is_some() && deals.iter().all(|deal| deal.blocks.iter().all(|block| block.finished == deal.finished)) {
            prop_assert_eq!(found.elo, pair.estimate.and_then(|estimate| estimate.elo));
        }
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
