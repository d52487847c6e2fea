//! The comparison of two bots by a sequential test, and its report.

mod comparison;
pub mod report;
pub(crate) mod results;

pub use self::comparison::Comparison;
pub use self::report::ComparisonReport;
