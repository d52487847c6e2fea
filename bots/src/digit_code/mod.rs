//! Bots for Digit Code.

pub mod consistent;
pub mod entropy;
pub mod hiding;
pub mod knowledge;
pub mod narrowing;
mod race;
