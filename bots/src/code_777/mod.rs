//! Bots for Code 777.

pub mod adaptive;
mod beliefs;
pub mod consistent;
pub mod guessing;
pub mod inference;
mod knowledge;
mod opponent;
