//! What a format draws from, and what it draws: the plan with the entrants, and who meets on which deals.

use std::ops::RangeInclusive;

use crate::spec::{Entrant, Plan, Seatings};

/// The plan and the entrants, as formats and the schedule look at them.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// What decides the matches.
    pub plan: &'a Plan,
    /// Who takes part, in the order of the file.
    pub bots: &'a [Entrant],
}

/// Some bots that meet on some deals, in every seating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The bots, ascending, as indices into the entrants.
    pub bots: Vec<usize>,
    /// The deals, counted from 1.
    pub deals: RangeInclusive<u32>,
}

impl Field<'_> {
    /// In how many orders a table is seated on each deal.
    pub fn orders(self) -> usize {
        if self.plays_all_orders() { (1..=self.plan.seats).product() } else { self.plan.seats }
    }

    /// Whether a table is seated in all orders, and not only in the rotations of one.
    pub fn plays_all_orders(self) -> bool {
        match self.plan.seatings {
            Seatings::Auto => self.plan.seats <= 3,
            Seatings::Rotations => false,
            Seatings::All => true,
        }
    }
}
