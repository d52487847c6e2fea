//! Laws of the balanced format: all bots play, and all pairs meet, as equally often as possible.

use proptest::prelude::*;

use super::field;
use crate::field::{Meeting, choices};
use crate::formats::Choice;
use crate::formats::balanced::Balanced;
use crate::spec::Spec;

fn tournament(bots: usize, seats: usize, tables: u32, deals: u32, seed: u64) -> Spec {
    field(super::balanced(tables), bots, seats, deals, seed)
}

/// Counts the seats of each bot in these meetings.
fn sits<'a>(bots: usize, meetings: impl IntoIterator<Item = &'a Meeting>) -> Vec<usize> {
    let mut sits = vec![0; bots];
    meetings
        .into_iter()
        .flat_map(|meeting| &meeting.bots)
        .for_each(|bot| sits[*bot] += 1);
    sits
}

/// Counts the meetings of each pair of bots.
fn meets<'a>(bots: usize, meetings: impl IntoIterator<Item = &'a Meeting>) -> Vec<usize> {
    let mut met = vec![vec![0; bots]; bots];
    for meeting in meetings {
        for (at, one) in meeting.bots.iter().enumerate() {
            meeting.bots[at + 1..]
                .iter()
                .for_each(|other| met[*one][*other] += 1);
        }
    }
    (0..bots)
        .flat_map(|one| met[one][one + 1..].to_vec())
        .collect()
}

fn spread(counts: &[usize]) -> usize {
    counts.iter().max().unwrap() - counts.iter().min().unwrap()
}

/// Generates tournaments of any size. Some have more tables than can be disjoint, up to all possible tables.
fn sizes() -> impl Strategy<Value = Spec> {
    (
        3..6_usize,
        0..6_usize,
        1..30_u32,
        0..1_000_u64,
        0..1_000_u64,
    )
        .prop_map(|(seats, more, deals, part, seed)| {
            let most = choices(seats + more, seats).min(40);
            tournament(seats + more, seats, (1 + part % most) as u32, deals, seed)
        })
}

proptest! {
    #[test]
    fn everyone_sits_equally_often_on_every_deal_and_on_all_so_far(field in sizes()) {
        let meetings = field.meetings(1, &[]);
        for deal in 1..=field.plan.deals {
            let here = meetings.iter().filter(|meeting| *meeting.deals.start() == deal);
            prop_assert!(spread(&sits(field.bots.len(), here)) <= 1);
            let so_far = meetings.iter().filter(|meeting| *meeting.deals.start() <= deal);
            prop_assert!(spread(&sits(field.bots.len(), so_far)) <= 1);
        }
    }

    #[test]
    fn tables_are_of_different_bots_and_differ(field in sizes()) {
        let meetings = field.meetings(1, &[]);
        let Choice::Balanced(Balanced { tables }) = field.plan.format else { unreachable!() };
        prop_assert_eq!(meetings.len(), tables as usize * field.plan.deals as usize);
        for (at, meeting) in meetings.iter().enumerate() {
            prop_assert_eq!(meeting.bots.len(), field.plan.seats);
            prop_assert!(meeting.bots.is_sorted_by(|one, next| one < next));
            prop_assert!(!meetings[..at].contains(meeting));
        }
    }
}

/// Checks the spread of meeting counts after many deals, in fields of all sizes.
#[test]
fn pairs_meet_about_equally_often() {
    let check = |bots: usize, seats: usize, tables: u32, deals: u32| {
        let field = tournament(bots, seats, tables, deals, 1);
        let met = meets(bots, &field.meetings(1, &[]));
        let (least, most) = (met.iter().min().unwrap(), met.iter().max().unwrap());
        assert!(
            most - least <= 3,
            "{bots} bots, {tables} tables of {seats}: {least} to {most}"
        );
    };
    for bots in [5, 8, 13, 20, 32] {
        for seats in [3, 4, 5] {
            check(bots, seats, (bots / seats) as u32, 200);
            check(bots, seats, 1, 600);
        }
    }
    check(60, 4, 15, 100);
    check(6, 3, 9, 100);
    check(10, 4, 25, 100);
}

#[test]
fn another_seed_draws_other_tables() {
    let of = |seed| tournament(12, 4, 3, 20, seed).meetings(1, &[]);
    assert_ne!(of(1), of(2));
}
