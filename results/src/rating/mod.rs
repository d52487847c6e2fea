//! The leaderboard: one batch fit of all bots' strengths, with its intervals.

pub mod bootstrap;
mod bradley_terry;
pub mod cyclic;
mod deals;
mod fit;
mod groups;
mod linear;
pub mod nash;
mod newton;
mod plackett_luce;
mod prior;
mod sums;
