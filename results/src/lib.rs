//! Everything derived from the ledger of finished matches: official standings, crosstables, tables, charts and exports.
//!
//! The ledger is the only source of truth of a tournament. All results are computed from its rows in schedule order, so the same ledger
//! always produces the same bytes. The number of processes that filled it, and their order, make no difference.
//!
//! This crate does not depend on how matches are run.

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
pub mod rate;
pub mod report;
mod scalar;
pub mod status;
pub mod table;
pub mod text;
pub mod viewer;
pub mod written;

#[cfg(test)]
#[path = "tests/sample.rs"]
mod sample;
