//! The pairing at the least cost is one, against trying all.

use proptest::prelude::*;

use crate::formats::matching::cheapest;

/// The least that pairing all of these can cost.
fn least(left: &[usize], cost: &impl Fn(usize, usize) -> i128) -> i128 {
    let Some((first, rest)) = left.split_first() else {
        return 0;
    };
    let with = |at: usize| {
        let others = [&rest[..at], &rest[at + 1..]].concat();
        cost(*first, rest[at]) + least(&others, cost)
    };
    (0..rest.len()).map(with).min().unwrap_or(0)
}

/// What this pairing costs, if it is one.
fn total(paired: &[usize], cost: impl Fn(usize, usize) -> i128) -> i128 {
    for (one, other) in paired.iter().enumerate() {
        assert_ne!(one, *other);
        assert_eq!(paired[*other], one);
    }
    paired
        .iter()
        .enumerate()
        .map(|(one, other)| cost(one, *other))
        .sum::<i128>()
        / 2
}

fn symmetric(costs: &[i128], things: usize) -> impl Fn(usize, usize) -> i128 {
    move |one, other| costs[one.min(other) * things + one.max(other)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn nothing_is_cheaper(
        half in 0..5_usize, greatest in 1..40_i128, costs in proptest::collection::vec(0..1_000_000_i128, 100),
    ) {
        let things = 2 * half;
        let costs: Vec<i128> = costs.iter().map(|cost| cost % greatest).collect();
        let cost = symmetric(&costs, things);
        let everything: Vec<usize> = (0..things).collect();
        prop_assert_eq!(total(&cheapest(things, &cost), &cost), least(&everything, &cost));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// A pairing that costs nothing is hidden among pairs that cost something: it has to be found.
    #[test]
    fn a_hidden_pairing_is_found(half in 1..40_usize, dear in 1..4_u32, seed in 0..1_000_u64) {
        let things = 2 * half;
        let mut chance = super::seed_of(seed).stream("hidden", 0);
        let mut order: Vec<usize> = (0..things).collect();
        chance.shuffle(&mut order);
        let mut costs: Vec<i128> = (0..things * things).map(|_| i128::from(chance.below(dear + 1).min(1))).collect();
        for two in order.chunks(2) {
            costs[two[0].min(two[1]) * things + two[0].max(two[1])] = 0;
        }
        let cost = symmetric(&costs, things);
        prop_assert_eq!(total(&cheapest(things, &cost), &cost), 0);
    }
}

#[test]
fn two_hundred_are_paired_by_place() {
    let square = |one: usize, other: usize| (one.abs_diff(other) as i128).pow(2);
    let paired = cheapest(200, square);
    assert_eq!(total(&paired, square), 100);
}
