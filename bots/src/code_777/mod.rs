//! Bots for Code 777.

mod beliefs;
pub mod counting;
pub mod inference;
mod opponent;
