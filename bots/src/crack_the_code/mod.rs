//! Bots for Crack the code.

pub mod packed;
pub mod solver;
