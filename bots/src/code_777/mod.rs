//! Bots for Code 777.

mod beliefs;
pub mod consistent;
pub mod guessing;
pub mod inference;
mod knowledge;
mod opponent;
