//! Knockout: whoever loses a pairing is out.
//!
//! 1. The order of the file is the seeding: the first bot is seed 1.
//! 2. The bracket has as many places as the least power of two that holds all. Seed 1 stands opposite the last place,
//!    seed 2 opposite the last but one, and so on, such that two of the best 2, 4, 8, … can only meet in the final,
//!    from the semi-finals, from the quarter-finals on.
//! 3. Places that no bot takes are byes. They are the last ones, so the best seeds get them, in the first round only.
//! 4. A pairing plays the deals of its round in both seatings. More half-points win it (2 for a match won, 1 for a
//!    draw); if these are equal, more points in the game; if those are equal too, the better seed. So does a pairing
//!    without any finished block.
//! 5. Nobody plays for third place.

use std::collections::BTreeMap;

use super::field::{Block, Field, Meeting, Tally};

/// How many rounds there are until one bot is left.
pub fn rounds(field: &Field) -> u32 {
    field.entrants.len().next_power_of_two().trailing_zeros()
}

/// The pairings of a round, from the top of the bracket to its bottom.
pub fn meetings(field: &Field, round: u32, before: &[Block]) -> Vec<Meeting> {
    let places = survivors(field, round, before);
    let meeting = |pairing: &[Option<usize>]| {
        let bots = ascending(pairing[0]?, pairing[1]?);
        Some(Meeting { bots: bots.to_vec(), deals: field.deals_of(round) })
    };
    places.chunks(2).filter_map(meeting).collect()
}

/// How many pairings there are in all: each but the winner loses one.
pub fn pairings(field: &Field) -> u64 {
    (field.entrants.len() as u64).saturating_sub(1)
}

/// Who is still in before this round, by places of the bracket from top to bottom; two in a row meet. Only in the
/// first round some places may be empty, whose neighbours have a bye. After the last round, as the round that would
/// follow it, there is one place: the winner of the tournament.
pub fn survivors(field: &Field, round: u32, before: &[Block]) -> Vec<Option<usize>> {
    let tallies = field.tallies(round, before);
    let bots = field.entrants.len();
    let first = bracket(rounds(field)).into_iter().map(|seed| (seed < bots).then_some(seed)).collect();
    (1..round).fold(first, |places: Vec<_>, played| {
        let through = |pairing: &[Option<usize>]| match *pairing {
            [Some(one), Some(other)] => Some(winner(&tallies, played, ascending(one, other))),
            [one, other] => one.or(other),
            _ => pairing[0],
        };
        places.chunks(2).map(through).collect()
    })
}

/// The seeds, counted from 0, by the places of a bracket of so many rounds from top to bottom.
fn bracket(rounds: u32) -> Vec<usize> {
    (0..rounds).fold(vec![0], |places, _| {
        let last = places.len() * 2 - 1;
        places.into_iter().flat_map(|seed| [seed, last - seed]).collect()
    })
}

/// Who wins a pairing.
fn winner(tallies: &BTreeMap<(u32, [usize; 2]), Tally>, round: u32, pair: [usize; 2]) -> usize {
    let Tally { halves, points } = tallies.get(&(round, pair)).copied().unwrap_or_default();
    let second_is_better = (halves[1], points[1]) > (halves[0], points[0]);
    pair[usize::from(second_is_better)]
}

/// The two in ascending order, as blocks name them.
fn ascending(one: usize, other: usize) -> [usize; 2] {
    [one.min(other), one.max(other)]
}
