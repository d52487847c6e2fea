//! Bots for Code 777.

pub mod consistent;
pub mod guessing;
pub mod inference;
mod knowledge;
mod minds;
mod table;
