//! Bots for Crack the code.

pub mod board;
mod book;
pub mod consistent;
pub mod knowledge;
pub mod packed;
pub mod racer;
mod search;
pub mod solver;
pub mod strategic;
