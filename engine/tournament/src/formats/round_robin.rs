//! Round-robin: every combination of bots that fits the table meets on every deal, in every seating.

use serde::{Deserialize, Serialize};

use crate::complaint::Complaint;
use crate::deals::Block;
use crate::field::{Field, Meeting, choices, combinations};
use crate::format::{Format, not_fewer};

/// The round-robin format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundRobin {}

impl Format for RoundRobin {
    const NAME: &'static str = "round-robin";
    const ABOUT: &'static str = "every combination of bots meets on every deal";

    fn meetings(&self, field: Field<'_>, _round: u32, _before: &[Block]) -> Vec<Meeting> {
        let everyone: Vec<usize> = (0..field.bots.len()).collect();
        let combinations = combinations(&everyone, field.seats);
        combinations
            .into_iter()
            .map(|bots| Meeting {
                bots,
                deals: 1..=field.deals,
            })
            .collect()
    }

    fn choices(&self, field: Field<'_>) -> u64 {
        choices(field.bots.len(), field.seats)
    }

    fn extends(&self, _was: &Self, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint> {
        not_fewer("deals", old.deals, new.deals)
    }
}
