//! The material of charts: the ledger, its analysis, and sums by deal.

use std::collections::BTreeMap;

use crate::analysis::Analysis;
use arena_ledger::ledger::Ledger;
use arena_statistics::cluster::{Cluster, OnDeal};
use arena_statistics::histogram::Histogram;

/// The material of charts.
pub(super) struct Material<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) analysis: &'a Analysis,
}

impl Material<'_> {
    /// The bots as their indices in the tournament, best first by the standings.
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

/// Quantities by deal, each with a mean and an interval; matches come deal by deal.
pub(super) struct ByDeal {
    open: BTreeMap<usize, OnDeal>,
    pub(super) clusters: Vec<Cluster>,
    /// Of the means on deals.
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

    /// Takes in what a quantity came to in a match.
    pub(super) fn add(&mut self, quantity: usize, value: i64) {
        self.open.entry(quantity).or_default().add(value);
    }

    /// Ends a deal.
    pub(super) fn close(&mut self) {
        for (quantity, deal) in std::mem::take(&mut self.open) {
            self.clusters[quantity].add(&deal);
            self.means[quantity].add(deal.total as f64 / f64::from(deal.matches));
        }
    }
}
