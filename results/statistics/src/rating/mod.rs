//! The leaderboard: one batch fit of all bots' strengths, with intervals over deals.
//!
//! A [`Collector`] takes in matches and keeps a short list of counts for each deal; its [`Ratings`] do not depend on the
//! order in which deals were finished.

mod batches;
mod bradley_terry;
pub mod collector;
pub mod fit;
mod groups;
pub mod leaderboard;
mod linear;
mod newton;
mod plackett_luce;
mod profile;
mod sums;

pub use collector::Collector;
pub use leaderboard::{Rating, Ratings};
