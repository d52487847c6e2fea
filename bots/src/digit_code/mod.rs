//! Bots for Digit Code.

pub mod candidates;
pub mod consistent;
pub mod entropy;
pub mod knowledge;
mod race;
