//! A finished match in short: who sat where, and what came of it. All statistics are made of these.

use arena_engine::fault::{Cause, Fault};
use arena_engine::outcome::Verdict;
use arena_engine::seat::Seat;
use serde::{Deserialize, Serialize};

/// A finished match in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scored {
    /// Its deal, counted from 1.
    pub deal: u32,
    /// The bot in each seat, as its index among the tournament's bots.
    pub bots: Vec<usize>,
    /// What each seat came to.
    pub seats: Vec<Seated>,
    /// The CRC-32 of its record: matches of the same bots on a deal that went alike have the same.
    pub transcript: u32,
}

/// What a seat came to in a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seated {
    /// 1 for the best seat; equal seats share a place.
    pub place: u8,
    /// Points by the official scoring of the game.
    pub points: i32,
    /// Why it forfeited, if it did.
    pub fault: Option<Cause>,
    /// How often each of the game's sources of points counted, in the game's order.
    pub counts: Vec<i32>,
}

impl Seated {
    /// What the seats came to by a verdict.
    pub fn all(verdict: &Verdict) -> Vec<Self> {
        let one = |seat: Seat| {
            let score = &verdict.outcome.seats[seat];
            Self {
                place: score.place,
                points: score.points,
                fault: verdict.faults[seat].as_ref().map(Fault::cause),
                counts: score.breakdown.iter().map(|(_, count)| count).collect(),
            }
        };
        Seat::all(verdict.outcome.seats.len()).into_iter().map(one).collect()
    }
}
