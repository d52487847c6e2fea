//! One finished match, as the ledger keeps it.

use arena_engine::outcome::Verdict;
use arena_engine::seat::Seat;
use serde::{Deserialize, Serialize};

/// A finished match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// Its name in the tournament's schedule, the same whoever plays it and whenever.
    pub id: String,
    /// Its place in the schedule, counted from 0.
    pub number: u64,
    /// Its deal, counted from 1.
    pub deal: u32,
    /// The name of the bot in each seat.
    pub bots: Vec<String>,
    /// The record, as JSON text.
    pub record: String,
    /// How it ended.
    pub verdict: Verdict,
    /// What bots noted on their moves.
    pub notes: Vec<Note>,
    /// What is known of the bots that forfeited.
    pub evidence: Vec<Evidence>,
    /// How long it took.
    pub times: Times,
}

/// A bot's note on one of its moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Which reply of the record it belongs to, counted from 0.
    pub turn: u32,
    /// Who noted it.
    pub seat: Seat,
    /// What was noted.
    pub text: String,
}

/// What was heard and said around a bot's failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The seat that failed.
    pub seat: Seat,
    /// Which reply of the record was the failure, counted from 0.
    pub turn: u32,
    /// The last lines that the bot was sent.
    pub heard: Vec<String>,
    /// The last lines that it sent.
    pub said: Vec<String>,
    /// The end of its own log.
    pub stderr: String,
    /// How its process ended, if it did.
    pub exit: Option<String>,
}

/// How long a match took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// From its beginning to its end, in microseconds.
    pub wall_us: u64,
    /// The time that each seat took to move.
    pub moves: Vec<MoveTimes>,
}

/// How long the moves of one seat took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveTimes {
    /// Whose.
    pub seat: Seat,
    /// How many moves.
    pub count: u32,
    /// All of them together, in microseconds.
    pub total_us: u64,
    /// The longest, in microseconds.
    pub longest_us: u64,
}
