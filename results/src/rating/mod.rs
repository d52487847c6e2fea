//! The leaderboard: one batch fit of all bots' strengths, with intervals over deals, and what else the matches tell of
//! who is stronger.
//!
//! A [`Collector`] takes in matches and keeps a short list of counts for each deal; its [`Ratings`] do not depend on the
//! order in which deals were finished, nor on the number of threads.

pub mod bootstrap;
mod bradley_terry;
pub mod classic;
pub mod collector;
pub mod cyclic;
mod deal_counts;
pub mod fit;
pub mod groups;
pub mod leaderboard;
mod linear;
pub mod nash;
pub mod needed;
mod newton;
mod plackett_luce;
pub mod points_model;
pub mod prior;
mod sums;

pub use collector::Collector;
pub use leaderboard::{Rating, Ratings};
