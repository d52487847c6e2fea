//! What finished matches come to: scores of seats, blocks, and deals. The only judge of when a deal is finished, and of what a
//! win, a draw, a bye and a forfeit are worth.
//!
//! A forfeit is a loss in wins, draws and losses, also if several forfeit. As a score between two bots, two that forfeited at the
//! same time share the point: half each.

use arena_engine::outcome::Cause;
use serde::{Deserialize, Serialize};

/// A finished match in short: who sat where, and what came of it. All statistics are made of these.
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

/// One deal, played by the same bots in every seating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The deal, counted from 1.
    pub deal: u32,
    /// The bots, ascending, as indices into the entrants.
    pub bots: Vec<usize>,
    /// How many of its matches are there.
    pub matches: u64,
    /// For each of two bots its half-points against the other one: 2 for a match won, 1 for a draw or a double forfeit. Empty
    /// at larger tables.
    pub halves: Vec<u32>,
    /// The game's points of each bot, over its matches.
    pub points: Vec<i64>,
    /// Whether it has been played in every seating.
    pub finished: bool,
}

/// All that is there of a deal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// Its number, counted from 1.
    pub number: u32,
    /// Its matches, in order of their bots.
    pub matches: Vec<Scored>,
    /// Its blocks, in order of their bots.
    pub blocks: Vec<Block>,
    /// Whether all its matches are there.
    pub finished: bool,
}
