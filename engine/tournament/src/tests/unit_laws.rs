//! Laws of units and shards: together they hold every match of a tournament once, for every format.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use proptest::prelude::*;

use super::{at_random, fields, play, scheduled};
use crate::field::deals;
use crate::schedule::{Planned, schedule};
use crate::unit::{planned, shard, units, within};

/// Returns `true` if these are the same matches, in any order.
fn same(one: &[Planned], other: &[Planned]) -> bool {
    let sorted = |all: &[Planned]| all.iter().cloned().collect::<BTreeSet<_>>();
    one.len() == other.len() && sorted(one) == sorted(other)
}

proptest! {
    #[test]
    fn every_match_is_in_one_unit(field in fields()) {
        let rounds = if field.plan.seats == 2 { play(&field, at_random).0 } else { vec![field.meetings(1, &[])] };
        for meetings in &rounds {
            let units: Vec<_> = units(field.field(), meetings).collect();
            let deals: Vec<u32> = units.iter().flat_map(|unit| unit.deals()).collect();
            let all: BTreeSet<u32> = meetings.iter().flat_map(|meeting| meeting.deals.clone()).collect();
            prop_assert!(deals.is_sorted_by(|one, next| one < next) && all.iter().all(|deal| deals.contains(deal)));
            prop_assert!(units.iter().all(|unit| (1..=64).contains(&unit.deals().count())));
            let planned: Vec<_> = planned(field.field(), meetings).collect();
            let anew = units.iter().map(|unit| (*unit, unit.matches(field.field(), meetings)));
            prop_assert!(anew.zip(&planned).all(|(anew, planned)| anew.0 == planned.0 && same(&anew.1, &planned.1)));
            prop_assert_eq!(planned.len(), units.len());
            let mut of_units: Vec<_> = units.iter().flat_map(|unit| unit.matches(field.field(), meetings)).collect();
            let mut of_round = scheduled(&field, meetings);
            of_units.sort_by_key(|planned| (planned.deal, planned.seats.clone()));
            of_round.sort_by_key(|planned| (planned.deal, planned.seats.clone()));
            prop_assert_eq!(of_units, of_round);
        }
    }

    #[test]
    fn every_deal_is_in_one_shard(deals in 0..3_000_u32, parts in 1..40_u32) {
        let shards: Vec<RangeInclusive<u32>> = (1..=parts).map(|number| shard(deals, number, parts)).collect();
        let all: Vec<u32> = shards.iter().cloned().flatten().collect();
        prop_assert_eq!(all, (1..=deals).collect::<Vec<_>>());
        let sizes = || shards.iter().map(|shard| shard.clone().count());
        prop_assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1);
    }

    #[test]
    fn shards_hold_every_match_once(field in fields(), parts in 1..9_u32) {
        let meetings = field.meetings(1, &[]);
        let last = *deals(&meetings).end();
        let of_shard = |number| within(&meetings, &shard(last, number, parts));
        let of_shards = (1..=parts).map(|number| schedule(field.field(), &of_shard(number)).count());
        prop_assert_eq!(of_shards.sum::<usize>(), schedule(field.field(), &meetings).count());
    }
}
