//! Laws of the ladder format: newcomers are placed, neighbours play most, and withdrawn bots do not play.

use arena_engine::chance::Seed;
use proptest::prelude::*;

use super::{at_random, block, by_name, entrant, field, ladder, pair, play};
use crate::deals::Block;
use crate::formats::ladder::order;
use crate::spec::Spec;

fn ladder_of(bots: usize, rounds: u32, pairs: u32, deals: u32, seed: u64) -> Spec {
    field(ladder(rounds, pairs), bots, 2, deals, seed)
}

/// Returns a result in which the stronger bot wins more often. The larger the difference of the numbers in the names, the more often it
/// wins, up to nine times in ten.
fn by_strength(seed: Seed, deal: u32, [one, other]: [&str; 2]) -> ([u32; 2], [i64; 2]) {
    let number = |name: &str| name[4..].parse::<i64>().unwrap();
    let percent = (50 + 12 * (number(other) - number(one))).clamp(5, 95) as u32;
    let mut chance = seed
        .child("result", deal.into())
        .stream(&format!("{one}/{other}"), 0);
    let wins = (0..2).filter(|_| chance.below(100) < percent).count() as u32;
    ([2 * wins, 4 - 2 * wins], [0, 0])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_round_has_as_many_pairs_as_asked_for_and_no_bot_too_often(
        bots in 2..14_usize, pairs in 1..30_u32, seed in 0..1_000_u64,
    ) {
        let field = ladder_of(bots, 6, pairs, 2, seed);
        for meetings in play(&field, at_random).0 {
            let all = bots * (bots - 1) / 2;
            prop_assert_eq!(meetings.len(), all.min(pairs as usize));
            let mut drawn: Vec<_> = meetings.iter().map(pair).collect();
            drawn.sort_unstable();
            drawn.dedup();
            prop_assert_eq!(drawn.len(), meetings.len(), "no pair twice in a round");
            let plays = |bot: usize| meetings.iter().filter(|meeting| meeting.bots.contains(&bot)).count();
            let needed = (2 * meetings.len()).div_ceil(bots);
            prop_assert!((0..bots).all(|bot| plays(bot) <= needed + 1));
        }
    }

    #[test]
    fn newcomers_play_at_once_and_leavers_no_more(
        bots in 3..12_usize, pairs in 1..8_u32, joined in 2..8_u32, left in 1..8_u32, seed in 0..1_000_u64,
    ) {
        let mut field = ladder_of(bots, 8, pairs, 2, seed);
        field.bots[1].withdrawn = Some(left);
        field.bots.push(entrant("bot-99", joined, None));
        let (rounds, _) = play(&field, at_random);
        let plays = |round: u32, bot: usize| rounds[round as usize - 1].iter().any(|meeting| meeting.bots.contains(&bot));
        for round in 1..=8 {
            prop_assert!(round <= left || !plays(round, 1), "it has left");
            prop_assert!(round >= joined || !plays(round, bots), "it has not joined");
        }
        let early: usize = rounds[..joined as usize - 1].iter().map(Vec::len).sum();
        let placed = early >= 8 * bots;
        prop_assert!(plays(joined, bots) || !placed, "others have been placed, so it comes first");
    }

    /// Checks that a late newcomer meets bots from all parts of the ladder, not only its neighbours.
    #[test]
    fn a_newcomer_meets_bots_all_over_the_ladder(seed in 0..1_000_u64) {
        let bots = 16;
        let mut field = ladder_of(bots, 14, 8, 2, seed);
        field.bots.push(entrant("bot-99", 11, None));
        let (rounds, before) = play(&field, by_name);
        let late = rounds[10..].iter().flatten().map(pair);
        let met: Vec<usize> = late.filter(|pair| pair[1] == bots).map(|pair| pair[0]).collect();
        let order = order(field.field(), 11, &before);
        let places: Vec<usize> = met[..4].iter().map(|bot| order.iter().position(|one| one == bot).unwrap()).collect();
        prop_assert!(places.iter().any(|place| *place <= 5) && places.iter().any(|place| *place >= 11), "{:?}", places);
    }

    #[test]
    fn the_order_goes_by_strength_when_the_stronger_always_wins(bots in 2..12_usize, seed in 0..1_000_u64) {
        let field = ladder_of(bots, 25, (bots / 2) as u32, 1, seed);
        let (_, before) = play(&field, by_name);
        prop_assert_eq!(order(field.field(), 26, &before), (0..bots).collect::<Vec<_>>());
    }

    #[test]
    fn the_order_of_blocks_and_later_ones_change_nothing(bots in 2..10_usize, seed in 0..1_000_u64) {
        let field = ladder_of(bots, 6, 3, 2, seed);
        let (_, before) = play(&field, at_random);
        let mut some: Vec<Block> = before.iter().filter(|block| block.deal <= 8).cloned().collect();
        some.reverse();
        prop_assert_eq!(field.meetings(5, &before), field.meetings(5, &some));
    }
}

/// Checks that deals go to pairs that are hard to tell apart: most to neighbours, and few to distant bots.
#[test]
fn neighbours_play_most() {
    for seed in 0..4 {
        let field = ladder_of(12, 150, 4, 3, seed);
        let (rounds, before) = play(&field, by_strength);
        let apart: Vec<usize> = rounds[50..]
            .iter()
            .flatten()
            .map(pair)
            .map(|[one, other]| other - one)
            .collect();
        let near = apart.iter().filter(|apart| **apart <= 2).count();
        assert!(
            near * 10 >= apart.len() * 8,
            "{near} of {} (drawn evenly, a third would be)",
            apart.len()
        );
        assert_eq!(
            order(field.field(), 151, &before),
            (0..12).collect::<Vec<_>>()
        );
    }
}

/// Checks that, of two pairs of neighbours, the pair at 2 to 2 plays before the pair at 4 to 0.
#[test]
fn the_least_resolved_pair_plays() {
    let field = ladder_of(4, 30, 1, 4, 2);
    let block = |deal, bots, halves| block(deal, bots, halves, [0, 0]);
    let mut before = Vec::new();
    for deal in 1..=80 {
        before.extend([[0, 2], [0, 3], [1, 2], [1, 3]].map(|bots| block(deal, bots, [4, 0])));
        before.push(block(deal, [0, 1], [4, 0]));
        before.push(block(
            deal,
            [2, 3],
            if deal % 2 == 0 { [1, 3] } else { [3, 1] },
        ));
    }
    assert_eq!(
        field
            .meetings(21, &before)
            .iter()
            .map(pair)
            .collect::<Vec<_>>(),
        [[2, 3]]
    );
}

/// Checks that neighbours with a slight difference play before the first and the last of three bots, even if the score of those two is
/// even.
#[test]
fn neighbours_play_before_distant_bots() {
    let field = ladder_of(3, 30, 1, 4, 2);
    let block = |deal, bots, halves| block(deal, bots, halves, [0, 0]);
    let mut before = Vec::new();
    for (deal, halves) in (1..).zip([[3, 1], [1, 3], [3, 1], [2, 2]]) {
        before.extend([
            block(deal, [0, 1], halves),
            block(deal, [1, 2], halves),
            block(deal, [0, 2], [2, 2]),
        ]);
    }
    assert_eq!(order(field.field(), 2, &before), [0, 1, 2]);
    assert_ne!(
        field
            .meetings(2, &before)
            .iter()
            .map(pair)
            .collect::<Vec<_>>(),
        [[0, 2]]
    );
}
