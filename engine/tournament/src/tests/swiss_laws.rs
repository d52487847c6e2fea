//! Laws of the Swiss format, rule by rule.

use std::collections::BTreeMap;

use arena_engine::chance::Seed;
use proptest::prelude::*;

use super::{at_random, blocks, by_name, entrant, field, pair, play, swiss};
use crate::deals::Block;
use crate::formats::swiss::{bye, standings};
use crate::spec::Spec;

fn swiss_of(bots: usize, rounds: u32, seed: u64) -> Spec {
    field(swiss(rounds), bots, 2, 2, seed)
}

/// Returns a draw for every match.
fn tied(_: Seed, _: u32, _: [&str; 2]) -> ([u32; 2], [i64; 2]) {
    ([2, 2], [0, 0])
}

/// Returns the number of rounds until at most one bot can have won everything.
fn enough(bots: usize) -> u32 {
    bots.next_power_of_two().trailing_zeros()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn everyone_plays_every_round_but_for_the_bye(bots in 2..20_usize, rounds in 1..8_u32, seed in 0..1_000_u64) {
        let field = swiss_of(bots, rounds, seed);
        let (played, before) = play(&field, at_random);
        let mut byes = BTreeMap::<usize, u32>::new();
        for (round, meetings) in (1..).zip(&played) {
            let bye = bye(field.field(), round, &before);
            let mut all: Vec<usize> = meetings.iter().flat_map(|meeting| meeting.bots.clone()).chain(bye).collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..bots).collect::<Vec<_>>());
            bye.into_iter().for_each(|bot| *byes.entry(bot).or_default() += 1);
        }
        let most = rounds.div_ceil(bots as u32);
        prop_assert!(byes.values().all(|times| *times <= most), "{:?}", byes);
        let all: u32 = standings(field.field(), rounds + 1, &before).iter().map(|standing| standing.byes).sum();
        prop_assert_eq!(all, byes.values().sum::<u32>());
    }

    /// Checks that a bot that joins late changes no earlier round, has no score from earlier rounds, and then plays in every round.
    #[test]
    fn a_newcomer_plays_from_its_round_on(bots in 2..12_usize, rounds in 2..6_u32, seed in 0..1_000_u64) {
        let joined = 2 + seed as u32 % (rounds - 1);
        let without = swiss_of(bots, rounds, seed);
        let mut with = without.clone();
        with.bots.push(entrant("late", joined, None));
        let (all, before) = play(&with, at_random);
        let early = (joined - 1) as usize;
        prop_assert_eq!(&all[..early], &play(&without, at_random).0[..early]);
        let matches: usize = all.iter().map(Vec::len).sum();
        prop_assert_eq!(with.matches(), (matches * 2 * 2) as u64);
        for (round, meetings) in (1..).zip(&all) {
            let plays = meetings.iter().any(|meeting| meeting.bots.contains(&bots));
            prop_assert_eq!(plays || bye(with.field(), round, &before) == Some(bots), round >= joined);
        }
        let late = |round| standings(with.field(), round, &before).into_iter().find(|one| one.bot == bots).unwrap();
        prop_assert_eq!((late(joined).score, late(joined).buchholz), (0, 0));
        prop_assert!(with.extends(&without, joined - 1).is_ok() && with.check().is_empty());
        prop_assert!(with.extends(&without, joined).is_err());
    }

    /// Checks that a withdrawn bot changes no earlier round, keeps its score, and is then neither paired nor given a bye.
    #[test]
    fn a_withdrawn_bot_is_paired_no_more(bots in 3..12_usize, rounds in 2..6_u32, seed in 0..1_000_u64) {
        let last = 1 + seed as u32 % (rounds - 1);
        let with = swiss_of(bots, rounds, seed);
        let mut without = with.clone();
        without.bots[1].withdrawn = Some(last);
        let (all, before) = play(&without, at_random);
        prop_assert_eq!(&all[..last as usize], &play(&with, at_random).0[..last as usize]);
        let matches: usize = all.iter().map(Vec::len).sum();
        prop_assert_eq!(without.matches(), (matches * 2 * 2) as u64);
        let score = |round| standings(without.field(), round, &before).into_iter().find(|one| one.bot == 1).unwrap().score;
        prop_assert_eq!(score(last + 1), score(rounds + 1));
        for (round, meetings) in (1..).zip(&all).skip(last as usize) {
            prop_assert!(meetings.iter().all(|meeting| !meeting.bots.contains(&1)));
            prop_assert_ne!(bye(without.field(), round, &before), Some(1));
        }
        prop_assert!(without.extends(&with, last).is_ok() && without.check().is_empty());
        prop_assert!(without.extends(&with, last + 1).is_err());
    }

    /// Checks that the bye goes to the lowest of the bots with the fewest byes, for any number of bots.
    #[test]
    fn the_lowest_has_the_bye(half in 1..20_usize, seed in 0..1_000_u64) {
        let bots = 2 * half + 1;
        let rounds = (bots as u32 / 2).clamp(1, 6);
        let field = swiss_of(bots, rounds, seed);
        let (_, before) = play(&field, at_random);
        for round in 1..rounds {
            let standings = standings(field.field(), round, &before);
            let lowest = standings.iter().rev().min_by_key(|one| one.byes).unwrap();
            prop_assert_eq!(bye(field.field(), round, &before), Some(lowest.bot));
        }
    }

    /// Checks that no two bots meet twice while there are fewer rounds than half the bots: a pairing without repeats then always exists
    /// (Dirac 1952).
    #[test]
    fn nobody_meets_twice_if_that_is_possible(bots in 4..40_usize, seed in 0..1_000_u64) {
        let field = swiss_of(bots, (bots / 2) as u32 - 1, seed);
        for result in [at_random, by_name, tied] {
            let (played, _) = play(&field, result);
            let mut pairs: Vec<_> = played.iter().flatten().map(pair).collect();
            pairs.sort_unstable();
            let all = pairs.len();
            pairs.dedup();
            prop_assert_eq!(pairs.len(), all);
        }
    }

    /// Checks that two bots meet again only if no pairing of the round has fewer repeats, whichever eligible bot has the bye.
    #[test]
    fn repeats_are_as_few_as_can_be(bots in 2..9_usize, rounds in 1..12_u32, seed in 0..1_000_u64) {
        let field = swiss_of(bots, rounds, seed);
        for result in [at_random, by_name, tied] {
            let (played, before) = play(&field, result);
            let mut met = vec![vec![0_u32; bots]; bots];
            for (round, meetings) in (1..).zip(&played) {
                let pairs: Vec<[usize; 2]> = meetings.iter().map(pair).collect();
                let repeats: u32 = pairs.iter().map(|[one, other]| met[*one][*other]).sum();
                let all: Vec<usize> = (0..bots).collect();
                let least = if bots % 2 == 0 {
                    fewest(&all, &met)
                } else {
                    let standings = standings(field.field(), round, &before);
                    let byes = standings.iter().map(|one| one.byes).min().unwrap();
                    let may = standings.iter().filter(|one| one.byes == byes);
                    may.map(|one| fewest(&without(&all, one.bot), &met)).min().unwrap()
                };
                prop_assert_eq!(repeats, least);
                pairs.iter().for_each(|[one, other]| {
                    met[*one][*other] += 1;
                    met[*other][*one] += 1;
                });
            }
        }
    }

    /// Checks that no other pairing is better by the rules in their order: fewer repeats, then fewer leaders paired with lower bots, then
    /// closer scores.
    #[test]
    fn the_rules_are_kept_in_their_order(half in 1..5_usize, rounds in 2..6_u32, seed in 0..1_000_u64) {
        let bots = 2 * half;
        let field = swiss_of(bots, rounds, seed);
        let (played, before) = play(&field, at_random);
        let mut met = vec![vec![0_u32; bots]; bots];
        for (round, meetings) in (1..).zip(&played) {
            let mut score = vec![0; bots];
            standings(field.field(), round, &before).iter().for_each(|one| score[one.bot] = one.score);
            let first = *score.iter().max().unwrap();
            let cost = |[one, other]: [usize; 2]| {
                let led_down = u32::from((score[one] == first) != (score[other] == first));
                (met[one][other], led_down, score[one].abs_diff(score[other]).pow(2))
            };
            let drawn = meetings.iter().map(pair).map(cost).fold((0, 0, 0), sum);
            prop_assert_eq!(drawn, cheapest(&(0..bots).collect::<Vec<_>>(), &cost));
            meetings.iter().map(pair).for_each(|[one, other]| met[one][other] += 1);
        }
    }

    #[test]
    fn the_strongest_ends_first_and_alone(bots in 2..40_usize, seed in 0..1_000_u64) {
        let rounds = enough(bots);
        let field = swiss_of(bots, rounds, seed);
        let (_, before) = play(&field, by_name);
        let standings = standings(field.field(), rounds + 1, &before);
        // A bye is worth less than the win that it costs the strongest bot.
        prop_assume!(standings.iter().any(|one| one.bot == 0 && one.byes == 0));
        prop_assert_eq!(standings[0].bot, 0);
        let all = u64::from(rounds) * 8;
        prop_assert_eq!(standings[0].score, all);
        prop_assert!(standings[1].score < all, "{:?}", standings);
    }

    /// Checks that each round halves the number of bots that have won everything.
    #[test]
    fn the_group_of_the_leaders_halves(bots in 2..40_usize, seed in 0..1_000_u64) {
        let rounds = enough(bots);
        let field = swiss_of(bots, rounds, seed);
        let (_, before) = play(&field, by_name);
        let mut most = bots;
        for round in 1..=rounds {
            most = most.div_ceil(2);
            let standings = standings(field.field(), round + 1, &before);
            let leaders = standings.iter().filter(|standing| standing.score == u64::from(round) * 8).count();
            prop_assert!(leaders <= most, "{} after round {}", leaders, round);
        }
    }

    #[test]
    fn scores_add_up(bots in 2..16_usize, rounds in 1..6_u32, seed in 0..1_000_u64) {
        let field = swiss_of(bots, rounds, seed);
        let (_, before) = play(&field, at_random);
        let standings = standings(field.field(), rounds + 1, &before);
        let each = 8 * (bots / 2) as u64 + 4 * (bots % 2) as u64;
        prop_assert_eq!(standings.iter().map(|one| one.score).sum::<u64>(), u64::from(rounds) * each);
        prop_assert_eq!(standings.iter().map(|one| one.points).sum::<i64>(), 0);
        let sorted = standings.is_sorted_by_key(|one| std::cmp::Reverse((one.score, one.buchholz, one.points)));
        prop_assert!(sorted);
    }
}

fn without(bots: &[usize], bot: usize) -> Vec<usize> {
    bots.iter().copied().filter(|one| *one != bot).collect()
}

/// Returns the minimum number of repeats over all pairings of these bots.
fn fewest(left: &[usize], met: &[Vec<u32>]) -> u32 {
    let Some((first, rest)) = left.split_first() else {
        return 0;
    };
    let with = |at: usize| {
        let others = [&rest[..at], &rest[at + 1..]].concat();
        met[*first][rest[at]] + fewest(&others, met)
    };
    (0..rest.len()).map(with).min().unwrap_or(0)
}

type Cost = (u32, u32, u64);

fn sum(one: Cost, other: Cost) -> Cost {
    (one.0 + other.0, one.1 + other.1, one.2 + other.2)
}

/// Returns the minimum total cost over all pairings of these bots.
fn cheapest(left: &[usize], cost: &impl Fn([usize; 2]) -> Cost) -> Cost {
    let Some((first, rest)) = left.split_first() else {
        return (0, 0, 0);
    };
    let with = |at: usize| {
        let others = [&rest[..at], &rest[at + 1..]].concat();
        sum(cost([*first, rest[at]]), cheapest(&others, cost))
    };
    (0..rest.len()).map(with).min().unwrap_or_default()
}

#[test]
fn in_the_first_round_the_upper_half_meets_the_lower_in_order() {
    for bots in [8, 9] {
        let field = swiss_of(bots, 3, 4);
        let order = field.field().drawn("swiss");
        let wanted: Vec<[usize; 2]> = (0..4)
            .map(|place| [order[place], order[place + 4]])
            .collect();
        let drawn: Vec<[usize; 2]> = field.meetings(1, &[]).iter().map(pair).collect();
        let sorted = |pairs: Vec<[usize; 2]>| {
            pairs
                .into_iter()
                .map(|[a, b]| [a.min(b), a.max(b)])
                .collect::<Vec<_>>()
        };
        assert_eq!(drawn, sorted(wanted));
        assert_eq!(bye(field.field(), 1, &[]), order.get(8).copied());
    }
}

#[test]
fn buchholz_is_the_sum_of_the_scores_of_the_opponents() {
    let field = swiss_of(10, 4, 1);
    let (_, before) = play(&field, at_random);
    let standings = standings(field.field(), 5, &before);
    let score = |bot: usize| standings.iter().find(|one| one.bot == bot).unwrap().score;
    for one in &standings {
        let opponents: Vec<usize> = before
            .iter()
            .filter(|block| block.bots.contains(&one.bot) && block.deal % 2 == 1)
            .map(|block| block.bots[usize::from(block.bots[0] == one.bot)])
            .collect();
        assert_eq!(one.buchholz, opponents.into_iter().map(score).sum::<u64>());
    }
}

#[test]
fn a_round_that_lacks_results_is_drawn_again() {
    let field = swiss_of(11, 3, 3);
    let (rounds, before) = play(&field, at_random);
    let bye = bye(field.field(), 1, &[]);
    let first = pair(&rounds[0][0]);
    let rest: Vec<Block> = before
        .iter()
        .filter(|block| block.deal > 2 || block.pair() != first)
        .cloned()
        .collect();
    let byes = |one: &crate::formats::swiss::Standing| (one.byes > 0).then_some(one.bot);
    let standings = standings(field.field(), 2, &rest);
    assert_eq!(standings.iter().find_map(byes), bye);
    assert_eq!(field.placings(&rest).unwrap().finished, 0);
}

#[test]
fn the_order_of_blocks_and_later_ones_change_nothing() {
    let field = swiss_of(11, 5, 3);
    let (rounds, before) = play(&field, at_random);
    let mut some: Vec<Block> = rounds[..3]
        .iter()
        .flat_map(|meetings| blocks(&field, meetings, at_random))
        .collect();
    some.reverse();
    assert_eq!(field.meetings(4, &before), field.meetings(4, &some));
    assert_eq!(bye(field.field(), 4, &before), bye(field.field(), 4, &some));
}

#[test]
fn many_bots_are_paired() {
    let field = swiss_of(1_201, 10, 3);
    let (rounds, before) = play(&field, at_random);
    assert!(rounds.iter().all(|meetings| meetings.len() == 600));
    let pairs: std::collections::BTreeSet<_> = rounds.iter().flatten().map(pair).collect();
    assert_eq!(pairs.len(), 10 * 600);
    assert_eq!(field.placings(&before).unwrap().finished, 10);
}
