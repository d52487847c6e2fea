//! Positions to train on: what a seat is sent at a decision with a clear best option, and what its options are worth.

use arena_protocol::message::{Start, Turn};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A decision with a clear best option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// What the seat is sent before its first turn, but for the number of the match and the clock.
    pub start: Start<Value>,
    /// Its turn as if it were the first, with all that it saw of the match.
    pub turn: Turn<Vec<Value>, Value, Value>,
    /// The kind of the best action.
    pub kind: String,
    /// Options, the best first; any other action counts as the last.
    pub options: Vec<Rated>,
}

/// An option and its worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rated {
    /// The action.
    pub action: Value,
    /// What it is, in words.
    pub words: String,
    /// Its share of winning.
    pub wins: f64,
    /// The standard error of its difference from the best option.
    pub error: f64,
}
