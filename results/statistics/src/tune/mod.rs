//! Tuning: the search for the best setting of a bot's parameters, and the test of the result.

mod matrix;
mod process;
pub mod report;
pub mod search;
#[cfg(test)]
mod tests;
