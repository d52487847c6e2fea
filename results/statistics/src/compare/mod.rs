//! Comparison of two bots by a sequential test.

mod comparison;
pub mod results;

pub use self::comparison::Comparison;
