//! The comparison of two bots by a test that stops by itself, and its report.

mod comparison;
pub mod report;
mod results;

pub use self::comparison::{CompareError, Comparison, TestVerdict};
pub use self::report::ComparisonReport;
