//! Bots for Code 777.

pub mod adaptive;
mod beliefs;
pub mod consistent;
mod declare;
pub mod guessing;
pub mod inference;
mod opponent;
