//! Ratings: one fit of all bots' strengths, on the same scale at every number of seats, and which bots are certainly stronger.
//!
//! Any two seats at a table are a duel. The ratings x are the numbers for which each bot's expected scores over its duels,
//! 1 / (1 + 10^(−d / 400)) for a difference d, add up to the score that it made. For two bots that is the Elo of their score.

pub mod claims;
pub mod collector;
mod covariance;
pub mod difference;
mod duels;
mod fit;
mod groups;
pub mod leaderboard;
pub(crate) mod max_t;
pub mod misfit;

pub use collector::Collector;
pub use leaderboard::{Rating, Ratings};

#[cfg(test)]
mod tests;
