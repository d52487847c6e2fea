//! Bots for Coda.

mod ascending;
pub mod bayesian;
pub mod concealing;
mod continuations;
pub mod decisions;
pub mod exact;
pub mod excluding;
mod hands;
pub mod inferring;
pub mod judge;
pub mod knowledge;
mod onlooker;
mod opponents;
mod playout;
pub mod rollouts;
