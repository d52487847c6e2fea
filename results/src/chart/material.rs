//! Inputs of charts: the ledger, its analysis, and sums by deal.

use std::collections::BTreeMap;

use crate::analysis::Analysis;
use arena_ledger::ledger::Ledger;
use arena_statistics::cluster::{Cluster, OnDeal};
use arena_statistics::histogram::Histogram;

/// Ledger and analysis that the charts are drawn from.
pub(super) struct Material<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) analysis: &'a Analysis,
}

impl Material<'_> {
    /// Returns the indices of the bots in the tournament, best first by the standings.
    pub(super) fn best_first(&self) -> Vec<usize> {
        let Analysis {
            standings, bots, ..
        } = self.analysis;
        standings
            .standings
            .iter()
            .filter_map(|row| bots.iter().position(|bot| *bot == row.bot))
            .collect()
    }
}

/// Sums of quantities by deal, from which each quantity gets a mean and an interval. Matches must be added deal by deal.
pub(super) struct ByDeal {
    open: BTreeMap<usize, OnDeal>,
    pub(super) clusters: Vec<Cluster>,
    /// Distribution of the means on deals, by quantity.
    pub(super) means: Vec<Histogram>,
}

impl ByDeal {
    pub(super) fn new(quantities: usize) -> Self {
        Self {
            open: BTreeMap::new(),
            clusters: vec![Cluster::default(); quantities],
            means: vec![Histogram::default(); quantities],
        }
    }

    /// Adds the value of a quantity in a match.
    pub(super) fn add(&mut self, quantity: usize, value: i64) {
        self.open.entry(quantity).or_default().add(value);
    }

    /// Ends the current deal.
    pub(super) fn close(&mut self) {
        for (quantity, deal) in std::mem::take(&mut self.open) {
            self.clusters[quantity].add(&deal);
            self.means[quantity].add(deal.total as f64 / f64::from(deal.matches));
        }
    }
}
