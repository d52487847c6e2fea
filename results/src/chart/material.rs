//! What charts are made of: the analysis, and what one pass over the ledger adds to it.

use super::ChartError;
use crate::analysis::Analysis;
use crate::ledger::Ledger;

/// What charts are made of.
pub(super) struct Material<'a> {
    pub(super) analysis: &'a Analysis,
}

impl<'a> Material<'a> {
    /// Goes through the ledger.
    pub(super) fn of(_ledger: &'a Ledger, analysis: &'a Analysis) -> Result<Self, ChartError> {
        Ok(Self { analysis })
    }
}
