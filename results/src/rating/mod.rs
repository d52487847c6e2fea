//! The leaderboard: one batch fit of all bots' strengths, with its intervals.

mod bradley_terry;
mod deals;
mod fit;
mod groups;
mod linear;
mod newton;
mod plackett_luce;
mod prior;
mod sums;
