//! Round-robin: every combination of bots that fits the table meets on every deal, in every seating.

use super::field::{Field, Meeting, choices, combinations};

/// Every combination on all deals.
pub fn meetings(field: &Field) -> Vec<Meeting> {
    let everyone: Vec<usize> = (0..field.entrants.len()).collect();
    let combinations = combinations(&everyone, field.seats);
    combinations.into_iter().map(|bots| Meeting { bots, deals: 1..=field.deals }).collect()
}

/// How many tables a deal has, each of which is seated in several orders.
pub fn tables(field: &Field) -> u64 {
    choices(field.entrants.len(), field.seats)
}
