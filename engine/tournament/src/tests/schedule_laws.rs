//! Laws of the schedule: every match is played once, heat by heat and step by step, whatever the length of the tournament.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{at_random, field, fields, is_static, play, round_robin, scheduled, wrong};
use crate::schedule::{FIRST_HEAT, MAX_HEAT_DEALS, heats, of_deals, schedule};
use crate::unit::within;

proptest! {
    #[test]
    fn every_match_is_played_once_and_their_number_is_known(field in fields()) {
        prop_assert_eq!(wrong(&field), Vec::<String>::new());
        let rounds = if field.plan.seats == 2 { play(&field, at_random).0 } else { vec![field.meetings(1, &[])] };
        let mut ids = BTreeSet::new();
        let mut played = 0_u64;
        for meetings in &rounds {
            let places: u64 = meetings.iter().map(|meeting| meeting.deals.clone().count() as u64).sum();
            let scheduled = scheduled(&field, meetings);
            prop_assert_eq!(scheduled.len() as u64, places * field.field().orders() as u64);
            played += scheduled.len() as u64;
            ids.extend(scheduled.iter().map(|planned| planned.id(&field.names())));
        }
        prop_assert_eq!(ids.len() as u64, played, "no match is planned twice");
        prop_assert_eq!(field.matches(), played);
    }

    /// Checks the number of restarts. A process is restarted when it meets a deal again. In a two-seat round-robin, each heat restarts it
    /// once for each match that a bot has on a deal. With an odd number of bots, each heat restarts it twice more, because each bot then
    /// sits out two classes.
    #[test]
    fn programs_are_seldom_started_anew(bots in 2..12_usize, deals in 1..200_u32) {
        let field = field(round_robin(), bots, 2, deals, 1);
        let (mut seen, mut starts) = (vec![BTreeSet::new(); bots], vec![1; bots]);
        for planned in scheduled(&field, &field.meetings(1, &[])) {
            for bot in planned.seats {
                if !seen[bot].insert(planned.deal) {
                    seen[bot] = [planned.deal].into();
                    starts[bot] += 1;
                }
            }
        }
        let most = 2 * (bots - usize::from(bots % 2 == 0)) * heats(1, deals, MAX_HEAT_DEALS).count();
        prop_assert!(starts.iter().all(|starts| *starts <= most), "{starts:?}, not {most}");
    }

    #[test]
    fn a_longer_schedule_without_the_further_deals_is_the_shorter_one(field in fields(), more in 1..200_u32) {
        prop_assume!(is_static(&field));
        let mut longer = field.clone();
        longer.plan.deals += more;
        let whole = scheduled(&longer, &longer.meetings(1, &[])).into_iter();
        let cut: Vec<_> = whole.filter(|planned| planned.deal <= field.plan.deals).collect();
        prop_assert_eq!(cut, scheduled(&field, &field.meetings(1, &[])));
    }

    #[test]
    fn heats_follow_each_other(first in 1..50_u32, count in 0..5_000_u32) {
        let last = first + count - 1;
        let all: Vec<_> = heats(first, last, MAX_HEAT_DEALS).collect();
        let deals: Vec<u32> = all.iter().cloned().flatten().collect();
        prop_assert_eq!(deals, (first..=last).collect::<Vec<_>>());
        for (number, heat) in all.iter().enumerate().take(all.len().saturating_sub(1)) {
            prop_assert_eq!(heat.clone().count() as u32, (FIRST_HEAT << number.min(5)).min(MAX_HEAT_DEALS));
        }
    }
}

/// Checks that at any time, the match counts of two bots differ by little more than the matches of one deal. Bots sit out some classes, in
/// an order drawn for each deal.
#[test]
fn while_it_runs_everyone_has_about_as_many_matches() {
    for (bots, seats) in [(3, 2), (5, 2), (8, 2), (12, 2), (5, 3), (6, 4)] {
        let field = field(round_robin(), bots, seats, 300, 1);
        let meetings = field.meetings(1, &[]);
        let of_a_deal = field.matches() / 300;
        let mut played = vec![0_u64; bots];
        for planned in schedule(field.field(), &meetings) {
            planned.seats.iter().for_each(|bot| played[*bot] += 1);
            let (least, most) = (played.iter().min().unwrap(), played.iter().max().unwrap());
            assert!(
                most - least < 16 + of_a_deal.max(least / 8),
                "{bots} bots, {seats} seats: {played:?}"
            );
        }
        assert!(played.iter().all(|matches| *matches == played[0]));
    }
}

/// Checks that the match of a deal that a bot plays first is drawn at random, in every way of scheduling the deal.
#[test]
fn first_matches_are_drawn() {
    let field = field(round_robin(), 5, 2, 400, 1);
    let meetings = field.meetings(1, &[]);
    let (mut first, mut firsts) = (BTreeMap::new(), BTreeMap::<_, u32>::new());
    for planned in schedule(field.field(), &meetings).filter(|planned| planned.seats.contains(&0)) {
        first.entry(planned.deal).or_insert(planned);
    }
    for (deal, planned) in first {
        let mut backwards = within(&meetings, &(deal..=deal));
        backwards.reverse();
        let alone = of_deals(&[deal], field.field(), &backwards);
        assert_eq!(
            alone.iter().find(|planned| planned.seats.contains(&0)),
            Some(&planned)
        );
        *firsts.entry(planned.seats).or_default() += 1;
    }
    // Each count is expected to be 50, with a standard deviation of 6.6.
    assert!(
        firsts.len() == 8 && firsts.values().all(|count| (25..75).contains(count)),
        "{firsts:?}"
    );
}

#[test]
fn the_last_deal_that_can_be_numbered_ends_the_heats() {
    let last = heats(u32::MAX - 39, u32::MAX, MAX_HEAT_DEALS)
        .last()
        .unwrap();
    assert_eq!(last, u32::MAX - 7..=u32::MAX);
}

/// Finishes only if matches are not stored: 19 000 matches on each of four thousand million deals would not fit in memory.
#[test]
fn the_beginning_of_an_endless_schedule_comes_at_once() {
    let field = field(round_robin(), 20, 3, u32::MAX, 1);
    let meetings = field.meetings(1, &[]);
    let planned = schedule(field.field(), &meetings).nth(100_000).unwrap();
    assert!(planned.deal <= FIRST_HEAT, "{planned:?}");
    assert_eq!(field.matches(), 6 * 1_140 * u64::from(u32::MAX));
}
