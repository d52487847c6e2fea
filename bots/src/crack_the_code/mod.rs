//! Bots for Crack the code.

mod book;
pub mod consistent;
pub mod knowledge;
pub mod racer;
pub mod solver;
pub mod strategic;
