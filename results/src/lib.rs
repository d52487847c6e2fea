//! The ledger of finished matches, and everything that is derived from it: official standings, crosstables, tables,
//! charts and exports.
//!
//! The ledger is the one source of truth of a tournament. All else here is a fold over its rows in order of the
//! schedule, so the same ledger always gives the same bytes, however many processes filled it and in what order.
//!
//! Nothing here knows how matches are run, or by whom.

pub mod analysis;
pub mod chart;
pub mod comparison;
#[cfg(test)]
mod comparison_tests;
pub mod csv;
pub mod export;
pub mod faults;
mod headline;
pub mod html;
pub mod json;
pub mod noted;
pub mod profile;
pub mod report;
mod scalar;
pub mod status;
pub mod table;
pub mod text;
pub mod viewer;

#[cfg(test)]
#[path = "tests/sample.rs"]
mod sample;
