//! Tests the table of pairs with synthetic matches.

use arena_engine::chance::Seed;
use arena_engine::fault::Cause;
use arena_tournament::deals::{Deals, SeatResult};
use proptest::prelude::*;

use super::*;
use crate::ahead;
use crate::elo::Elo;
use arena_tournament::sample::tournament;

/// Returns a match with these points by seat. More points are better, and the seats in `faults` forfeited.
fn scored(deal: u32, bots: &[usize], points: &[i32], faults: &[usize]) -> Scored {
    let place = |mine: &i32| 1 + points.iter().filter(|other| *other > mine).count() as u8;
    let seat = |(seat, points): (usize, &i32)| SeatResult {
        place: place(points),
        points: *points,
        fault: faults.contains(&seat).then_some(Cause::Crash),
        counts: Vec::new(),
    };
    Scored {
        deal,
        bots: bots.into(),
        seats: points.iter().enumerate().map(seat).collect(),
        transcript: 0,
    }
}

/// Returns the table of pairs after these matches, given the numbers of bots, of seats and of matches per block.
fn table(
    bots: usize,
    seats: usize,
    seatings: usize,
    matches: impl IntoIterator<Item = Scored>,
) -> Vec<Pair> {
    let spec = tournament(&["a", "b", "c", "d", "e"][..bots], seats, 1);
    let mut pairwise = Pairwise::new(&spec);
    let mut ahead = ahead::Collector::new(&spec);
    let mut deals = Deals::new(seatings, None);
    for scored in matches {
        let ended = deals.add(scored);
        ended.iter().for_each(|deal| pairwise.add(deal));
        ended.iter().for_each(|deal| ahead.add(deal));
    }
    let last = deals.end();
    last.iter().for_each(|deal| pairwise.add(deal));
    last.iter().for_each(|deal| ahead.add(deal));
    pairwise.table(&ahead.ahead())
}

/// Returns the pair of two bots after these matches.
fn pair(matches: &[Scored]) -> Pair {
    let table = table(2, 2, 2, matches.iter().cloned());
    table.into_iter().next().unwrap_or_default()
}

/// Returns the pair of two bots after blocks in which the first bot won by these differences, in the first seat and in the second.
fn two(blocks: &[[i32; 2]]) -> Pair {
    let block = |([first, second], deal): (&[i32; 2], u32)| {
        [
            scored(deal, &[0, 1], &[*first, 0], &[]),
            scored(deal, &[1, 0], &[0, *second], &[]),
        ]
    };
    pair(&blocks.iter().zip(1..).flat_map(block).collect::<Vec<_>>())
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-6 * (1.0 + expected.abs()),
        "{found}, not {expected}"
    );
}

fn finite(pair: &Pair) {
    let text = format!("{pair:?}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn blocks_are_counted_by_their_half_points() {
    let pair = two(&[[-1, -1], [0, -1], [3, -1], [0, 0], [1, 0], [5, 1], [2, 2]]);
    assert_eq!(pair.pentanomial, Some([1, 1, 2, 1, 2]));
    assert_eq!(
        (pair.wins, pair.draws, pair.losses, pair.matches),
        (6, 4, 4, 14)
    );
    assert_eq!(pair.deals, 7);
    let estimate = pair.estimate.unwrap();
    near(estimate.score, 16.0 / 28.0);
    let [low, high] = pair.score_interval.unwrap();
    // Computed with the recursion in numpy, with bisection: 0, ¼, ½, ½, ¾, 1, 1.
    near(low, 0.256_759);
    near(high, 0.839_867);
}

#[test]
fn leads_are_tested_by_deal() {
    let differences = [3, -1, 2, 0, 4, -2, 1, 3, 0, 2, -1, 1];
    let lead = two(&differences.map(|d| [d + 7, -7])).lead.unwrap();
    // Two matches on each deal.
    near(lead.points, 0.5);
    // Of 1024 patterns of signs, 84 have a sum further from 0 and 42 one equally far. The t test yields 0.0892.
    assert!((lead.p - 0.0894).abs() < 0.0001, "{}", lead.p);
    let [low, high] = lead.interval.unwrap();
    assert!(
        (-0.15..-0.05).contains(&low) && (1.0..1.15).contains(&high),
        "{low} {high}"
    );
    assert_eq!((lead.p_adjusted, lead.ahead), (lead.p, None));
}

#[test]
fn degenerate_pairs_have_bounds_and_no_nonsense() {
    let none = two(&[]);
    assert_eq!((none.estimate, none.lead), (None, None));
    for blocks in [
        vec![[1, 1]],
        vec![[1, 1]; 40],
        vec![[-3, -3]; 4],
        vec![[0, 0]; 6],
        vec![[1, 0]; 3],
        vec![[1, 1], [0, 1]],
    ] {
        finite(&two(&blocks));
    }
    let won = two(&[[1, 1]; 40]);
    assert!(
        matches!(won.estimate.unwrap().elo, Some(Elo::AtLeast(elo)) if (elo - 405.0).abs() < 5.0),
        "{won:?}"
    );
    let lead = won.lead.unwrap();
    assert_eq!((lead.points, lead.interval), (1.0, None));
    near(lead.p, 2.0_f64.powi(-40));
    assert_eq!(two(&[[0, 0]; 6]).lead.unwrap().p, 1.0);
    near(two(&[[2, 1]]).lead.unwrap().p, 0.5);
    assert_eq!(
        (
            two(&[[1, 0]; 2]).score_interval,
            won.score_interval.unwrap()[1]
        ),
        (None, 1.0)
    );
    let forfeited: Vec<Scored> = (1..=9)
        .flat_map(|deal| [[0, 1], [1, 0]].map(|bots| scored(deal, &bots, &[0, 0], &[0, 1])))
        .collect();
    assert_eq!(
        (pair(&forfeited).estimate, pair(&forfeited).score_interval),
        (None, None)
    );
}

#[test]
fn unfinished_blocks_are_left_out() {
    let mut matches = vec![
        scored(1, &[0, 1], &[9, 0], &[]),
        scored(2, &[1, 0], &[0, 4], &[]),
    ];
    let before = pair(&matches);
    assert_eq!(
        (before.matches, before.deals, before.estimate),
        (2, 0, None)
    );
    matches.push(scored(2, &[0, 1], &[1, 2], &[]));
    let after = pair(&matches);
    assert_eq!((after.matches, after.deals), (3, 1));
    assert_eq!(after.lead.unwrap().points, 1.5);
}

#[test]
fn matches_that_both_forfeited_are_left_out_and_counted() {
    let half = pair(&[
        scored(1, &[0, 1], &[0, 0], &[0, 1]),
        scored(1, &[1, 0], &[9, 0], &[0, 1]),
    ]);
    assert_eq!(
        (half.both_forfeited, half.deals, half.pentanomial),
        (2, 0, Some([0; 5]))
    );
    let pair = pair(&[
        scored(1, &[0, 1], &[0, 0], &[0, 1]),
        scored(1, &[1, 0], &[9, 0], &[0]),
    ]);
    assert_eq!((pair.wins, pair.both_forfeited, pair.deals), (1, 1, 1));
    assert_eq!(
        (pair.estimate.map(|one| one.score), pair.pentanomial),
        (Some(1.0), Some([0; 5]))
    );
}

#[test]
fn at_larger_tables_all_blocks_of_a_deal_are_one_unit() {
    let mut matches = Vec::new();
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for deal in 1..=5 {
        for third in [2, 3] {
            for order in orders {
                let bots = order.map(|seat| [0, 1, third][seat]);
                // Bot 0 scores the deal's number more than bot 1, but loses to all others.
                let points = bots.map(|bot| [deal as i32, 0, 30, 40][bot]);
                matches.push(scored(deal, &bots, &points, &[]));
            }
        }
    }
    let table = table(4, 3, 6, matches);
    assert_eq!(
        table
            .iter()
            .map(|pair| (pair.first, pair.second))
            .collect::<Vec<_>>(),
        [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)],
        "2 and 3 did not meet, but met the same others"
    );
    assert_eq!(
        (table[0].matches, table[0].deals, table[0].pentanomial),
        (60, 5, None)
    );
    // The leads are 1, 2, …, 5 in each match.
    near(table[0].lead.unwrap().points, 3.0);
    assert_eq!((table[1].matches, table[5].matches), (30, 0));
    assert_eq!(table[5].lead.unwrap().points, -10.0);
    assert!(table[1].lead.unwrap().p_adjusted > table[1].lead.unwrap().p);
    table.iter().for_each(finite);
}

#[test]
fn the_order_within_a_deal_changes_nothing() {
    let mut chance = Seed::try_from(3).unwrap().stream("order", 0);
    let mut deals: Vec<Vec<Scored>> = (1..=8)
        .map(|deal| {
            let pairs = [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]];
            pairs
                .map(|bots| {
                    scored(
                        deal,
                        &bots,
                        &[chance.below(9) as i32, chance.below(9) as i32],
                        &[],
                    )
                })
                .into()
        })
        .collect();
    let table = |deals: &[Vec<Scored>]| table(3, 2, 2, deals.iter().flatten().cloned());
    let before = table(&deals);
    deals.iter_mut().for_each(|deal| chance.shuffle(deal));
    assert_eq!(table(&deals), before);
}

proptest! {
    #[test]
    fn no_value_is_undefined_or_infinite(
        seats in 2..=4_usize,
        seatings in 1..=4_usize,
        matches in prop::collection::vec((0..4_u32, 0..5_usize, prop::array::uniform4((-3..3_i32, 0..8_u8)), any::<bool>()), 0..60),
    ) {
        let (mut deal, mut all) = (1, Vec::new());
        for (step, shift, results, extreme) in matches {
            deal += step / 3;
            let bots: Vec<usize> = (0..seats).map(|seat| (seat + shift) % 5).collect();
            let scale = if extreme { i32::MAX / 3 } else { 1 };
            let points: Vec<i32> = results[..seats].iter().map(|(points, _)| points * scale).collect();
            let faults: Vec<usize> = (0..seats).filter(|seat| results[*seat].1 == 0).collect();
            all.push(scored(deal, &bots, &points, &faults));
        }
        for pair in table(5, seats, if seats == 2 { 2 } else { seatings }, all) {
            finite(&pair);
            prop_assert_eq!(pair.matches, pair.wins + pair.draws + pair.losses + pair.both_forfeited);
            if let Some(estimate) = pair.estimate {
                if let Some([low, high]) = pair.score_interval {
                    prop_assert!(0.0 <= low && low <= estimate.score && estimate.score <= high && high <= 1.0);
                }
                prop_assert!((0.0..=1.0).contains(&estimate.los));
            }
        }
    }
}
