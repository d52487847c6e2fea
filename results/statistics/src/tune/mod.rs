//! Tuning: the search for the best setting of a bot's numbers, and the test of what it found.

mod process;
pub mod report;
pub mod search;
#[cfg(test)]
mod tests;
