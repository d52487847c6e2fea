//! Which matches a tournament consists of: one file for each format, all pure functions of the field.

pub mod balanced;
pub mod field;
pub mod gauntlet;
pub mod knockout;
pub mod ladder;
mod matching;
pub mod places;
pub mod plan;
pub mod round_robin;
pub mod schedule;
pub mod swiss;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

/// The names of the formats; the first is the default.
pub const NAMES: &[&str] = &["round-robin", "gauntlet", "balanced", "swiss", "knockout", "ladder"];

/// Who meets whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Every combination of bots that fits the table.
    #[default]
    RoundRobin,
    /// Every combination with exactly one of the challengers.
    Gauntlet {
        /// The challengers, as indices into the list of bots.
        challengers: Vec<usize>,
    },
    /// So many tables a deal, drawn so that everyone sits and meets as equally often as can be.
    Balanced {
        /// Tables a deal.
        tables: u32,
    },
    /// Rounds in which bots of about equal score meet; two seats.
    Swiss {
        /// How many rounds.
        rounds: u32,
    },
    /// Rounds that only the winners of pairings survive; two seats.
    Knockout,
    /// Rounds that go to the pairs that are least resolved; two seats.
    Ladder {
        /// How many rounds.
        rounds: u32,
        /// How many pairs play in each.
        pairs: u32,
    },
}

/// In how many orders the bots of a table are seated on each deal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seatings {
    /// All orders for two and three seats, rotations for four.
    #[default]
    Auto,
    /// The rotations of an order drawn for the deal and the bots: as many as seats.
    Rotations,
    /// All orders: 2, 6 or 24.
    All,
}
