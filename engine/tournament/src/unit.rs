//! Units of work for several machines: ranges of consecutive deals, each deal with all its tables.
//!
//! Any machine may play a unit, because a match is determined by its seed and its bots. All tables of a deal stay together, so that the
//! speed of a machine affects all bots of the deal alike.

use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::field::{Field, Meeting, deals};
use crate::schedule::{self, Planned};

/// Target number of matches per unit, as far as the limits on deals permit.
const TARGET_MATCHES: u64 = 512;
/// Minimum and maximum number of deals per unit. The last unit may be shorter.
const DEALS_PER_UNIT: RangeInclusive<u64> = 4..=64;

/// Consecutive deals of one round, with all their tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Unit {
    /// The first deal.
    pub first: u32,
    /// The last deal.
    pub last: u32,
}

impl Unit {
    /// Returns the deals of the unit.
    pub fn deals(self) -> RangeInclusive<u32> {
        self.first..=self.last
    }

    /// Returns the matches of the unit in playing order. All are in one heat: a program is restarted for each class of tables, and then
    /// plays at most one match per deal.
    pub fn matches(self, field: Field<'_>, meetings: &[Meeting]) -> Vec<Planned> {
        let here = within(meetings, &self.deals());
        schedule::of_deals(&deals(&here).collect::<Vec<u32>>(), field, &here)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last } = self;
        if first == last {
            write!(f, "deal {first}")
        } else {
            write!(f, "deals {first} to {last}")
        }
    }
}

/// Returns the average number of matches per deal.
pub fn matches_of_a_deal(field: Field<'_>, meetings: &[Meeting]) -> u64 {
    let tables: u64 = meetings
        .iter()
        .map(|meeting| meeting.deals.size_hint().0 as u64)
        .sum();
    let deals = deals(meetings).size_hint().0.max(1) as u64;
    (tables.saturating_mul(field.orders() as u64) / deals).max(1)
}

/// Splits a round's meetings into units of about 512 matches each, in deal order.
pub fn units(field: Field<'_>, meetings: &[Meeting]) -> impl Iterator<Item = Unit> + use<> {
    let (first, last) = deals(meetings).into_inner();
    let length = (TARGET_MATCHES / matches_of_a_deal(field, meetings))
        .clamp(*DEALS_PER_UNIT.start(), *DEALS_PER_UNIT.end()) as u32;
    let of = move |first: u32| {
        (first <= last).then(|| Unit {
            first,
            last: first.saturating_add(length - 1).min(last),
        })
    };
    std::iter::successors(of(first), move |unit| of(unit.last.checked_add(1)?))
}

/// Returns the units of a round's meetings, each with its matches.
pub fn planned(
    field: Field<'_>,
    meetings: &[Meeting],
) -> impl Iterator<Item = (Unit, Vec<Planned>)> {
    let mut by_start = meetings.to_vec();
    by_start.sort_by_key(|meeting| *meeting.deals.start());
    let mut to_come = by_start.into_iter().peekable();
    // Keep only the meetings in progress, because there may be many more meetings than a unit contains.
    let mut here: Vec<Meeting> = Vec::new();
    units(field, meetings).map(move |unit| {
        here.retain(|meeting| *meeting.deals.end() >= unit.first);
        here.extend(std::iter::from_fn(|| {
            to_come.next_if(|meeting| *meeting.deals.start() <= unit.last)
        }));
        (unit, unit.matches(field, &here))
    })
}

/// Returns the deals of part `number`, counted from 1, of `parts`. The sizes of parts differ by at most one deal, so some parts are empty
/// if there are more parts than deals.
pub fn shard(deals: u32, number: u32, parts: u32) -> RangeInclusive<u32> {
    let until =
        |number: u32| (u64::from(deals) * u64::from(number) / u64::from(parts.max(1))) as u32;
    until(number.saturating_sub(1)) + 1..=until(number)
}

/// Restricts the meetings to these deals.
pub fn within(meetings: &[Meeting], deals: &RangeInclusive<u32>) -> Vec<Meeting> {
    let part = |meeting: &Meeting| {
        let deals =
            *meeting.deals.start().max(deals.start())..=*meeting.deals.end().min(deals.end());
        (!deals.is_empty()).then(|| Meeting {
            bots: meeting.bots.clone(),
            deals,
        })
    };
    meetings.iter().filter_map(part).collect()
}
