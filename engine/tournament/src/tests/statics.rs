//! Laws of round-robin and gauntlet, checked by counting their meetings.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{field, gauntlet, ids, name, round_robin, scheduled, seated, wrong};
use crate::field::Seatings;
use crate::schedule::Planned;
use crate::spec::Spec;

/// Counts the occurrences of each item.
fn tally<T: Ord>(all: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    all.into_iter()
        .for_each(|one| *counts.entry(one).or_default() += 1);
    counts
}

fn sorted(planned: &Planned) -> Vec<usize> {
    let mut bots = planned.seats.clone();
    bots.sort_unstable();
    bots
}

fn all(field: &Spec) -> Vec<Planned> {
    scheduled(field, &field.meetings(1, &[]))
}

/// Generates fields with any number of seats and bots, and with either seating rule.
fn tables() -> impl Strategy<Value = Spec> {
    let seatings = prop_oneof![
        Just(Seatings::Auto),
        Just(Seatings::Rotations),
        Just(Seatings::All)
    ];
    (2..5_usize, 0..4_usize, 1..4_u32, 0..100_u64, seatings).prop_map(
        |(seats, more, deals, seed, seatings)| {
            seated(
                field(round_robin(), seats + more, seats, deals, seed),
                seatings,
            )
        },
    )
}

proptest! {
    #[test]
    fn in_a_round_robin_everyone_meets_everyone_in_every_seat_equally_often(field in tables()) {
        let all = all(&field);
        let combinations = crate::field::choices(field.bots.len(), field.plan.seats) as usize;
        for deal in 1..=field.plan.deals {
            let here = || all.iter().filter(|planned| planned.deal == deal);
            let met = tally(here().map(sorted));
            prop_assert_eq!(met.len(), combinations);
            prop_assert!(met.values().all(|times| *times == field.field().orders()));
            let sat = tally(here().flat_map(|planned| planned.seats.clone().into_iter().enumerate()));
            prop_assert_eq!(sat.len(), field.plan.seats * field.bots.len());
            prop_assert!(sat.values().all(|times| *times == here().count() / field.bots.len()), "{:?}", sat);
        }
    }

    #[test]
    fn a_table_is_seated_in_as_many_different_orders_as_it_should(field in tables()) {
        let all = all(&field);
        let orders = tally(all.iter().map(|planned| (planned.deal, planned.seats.clone())));
        prop_assert!(orders.values().all(|times| *times == 1));
    }

    #[test]
    fn in_a_gauntlet_every_table_has_one_challenger(
        seats in 2..5_usize, others in 3..6_usize, challengers in 1..4_usize, deals in 1..4_u32,
    ) {
        let list: Vec<usize> = (0..challengers).map(|one| 2 * one).collect();
        let format = gauntlet(&list);
        let field = field(format, others + challengers, seats, deals, 5);
        prop_assert_eq!(wrong(&field), Vec::<String>::new());
        let all = all(&field);
        for planned in &all {
            prop_assert_eq!(planned.seats.iter().filter(|bot| list.contains(bot)).count(), 1);
        }
        let met = tally(all.iter().map(|planned| (planned.deal, sorted(planned))));
        let of_others = crate::field::choices(others, seats - 1) as usize;
        prop_assert_eq!(met.len(), challengers * of_others * deals as usize);
        prop_assert!(met.values().all(|times| *times == field.field().orders()));
    }

    /// Checks that the order drawn for a table depends on its bots, not on their positions in the file.
    #[test]
    fn bots_that_come_change_nothing_for_the_old_ones(bots in 4..7_usize, added in 1..3_usize, seed in 0..100_u64) {
        let old = field(round_robin(), bots, 4, 3, seed);
        let mut new = field(round_robin(), bots + added, 4, 3, seed);
        new.bots.reverse();
        let (old_ids, new_ids) = (ids(&old, &old.meetings(1, &[])), ids(&new, &new.meetings(1, &[])));
        prop_assert!(old_ids.is_subset(&new_ids));
    }
}

#[test]
fn two_seats_are_played_both_ways() {
    let field = field(round_robin(), 3, 2, 1, 3);
    let mut seats: Vec<_> = all(&field)
        .into_iter()
        .map(|planned| planned.seats)
        .collect();
    seats.sort_unstable();
    assert_eq!(seats, [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]);
}

#[test]
fn an_id_names_the_deal_and_the_bots_by_seat() {
    let field = field(round_robin(), 3, 2, 1, 3);
    let planned = Planned {
        deal: 7,
        seats: vec![2, 0],
    };
    assert_eq!(
        planned.id(&field.names()),
        format!("d7/{}/{}", name(2), name(0))
    );
}

#[test]
fn drawn_orders_differ_between_deals() {
    let field = field(round_robin(), 4, 4, 50, 3);
    let first: std::collections::BTreeSet<_> = all(&field)
        .into_iter()
        .map(|planned| (planned.deal, planned.seats))
        .filter(|(_, seats)| seats[0] == 0)
        .collect();
    let orders: std::collections::BTreeSet<_> = first.into_iter().map(|(_, seats)| seats).collect();
    assert_eq!(
        orders.len(),
        6,
        "all cyclic orders of four come up in 50 deals"
    );
}
