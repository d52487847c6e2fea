//! Tournaments on many machines over a queue: real servers, real workers, and everything that can go wrong between them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod access;
mod kills;
mod losses;
mod results;
mod tournaments;
