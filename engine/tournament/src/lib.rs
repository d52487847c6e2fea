//! A tournament as a value: its description, pairings, schedule, and scores of finished matches.
//!
//! A tournament is described by a [`spec::Spec`]: the content of a tournament file, which the ledger stores and every other part reads.
//! Each format is one file in [`formats`]. Only [`deals`] decides when a deal is finished, and what a draw or a forfeit is worth.
//!
//! This crate does not deal with processes, clocks or files.

#![warn(missing_docs)]

pub mod change;
pub mod clock;
pub mod complaint;
pub mod deals;
pub mod difference;
pub mod entrant;
pub mod error_lines;
pub mod field;
pub mod format;
pub mod formats;
pub mod key;
pub mod keys;
pub mod placings;
pub mod played;
pub mod printable;
pub mod reply_text;
pub mod rounds;
#[cfg(any(test, feature = "sample"))]
#[path = "tests/sample.rs"]
pub mod sample;
pub mod schedule;
pub mod spec;
pub mod suggest;
pub mod test;
#[cfg(test)]
mod tests;
pub mod tune;
pub mod unit;
