//! The material of charts: the ledger, its analysis, and sums by deal.

use std::collections::BTreeMap;

use crate::analysis::Analysis;
use crate::ledger::Ledger;
use crate::stats::cluster::{Cluster, OnDeal};
use crate::stats::student;

/// The material of charts.
pub(super) struct Material<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) analysis: &'a Analysis,
}

impl Material<'_> {
    /// The bots as their indices in the tournament, best first by the standings.
    pub(super) fn best_first(&self) -> Vec<usize> {
        let index: BTreeMap<&str, usize> =
            self.analysis.bots.iter().enumerate().map(|(i, bot)| (bot.as_str(), i)).collect();
        self.analysis.standings.standings.iter().filter_map(|row| index.get(row.bot.as_str()).copied()).collect()
    }
}

/// Quantities by deal, each with a mean and an interval; matches come deal by deal.
pub(super) struct ByDeal {
    open: BTreeMap<usize, OnDeal>,
    clusters: Vec<Cluster>,
}

impl ByDeal {
    pub(super) fn new(quantities: usize) -> Self {
        Self { open: BTreeMap::new(), clusters: vec![Cluster::default(); quantities] }
    }

    /// Takes in what a quantity came to in a match.
    pub(super) fn add(&mut self, quantity: usize, value: i64) {
        self.open.entry(quantity).or_default().add(value);
    }

    /// Says that no more matches of this deal come.
    pub(super) fn close(&mut self) {
        for (quantity, deal) in std::mem::take(&mut self.open) {
            self.clusters[quantity].add(&deal);
        }
    }

    /// The mean of a quantity per match; none without matches.
    pub(super) fn mean(&self, quantity: usize) -> Option<f64> {
        self.clusters[quantity].mean()
    }

    /// The ends of its 95 % t interval over deals; none for fewer than two deals, and where all deals are equal.
    pub(super) fn interval(&self, quantity: usize) -> Option<[f64; 2]> {
        let cluster = &self.clusters[quantity];
        let error = cluster.variance().filter(|variance| *variance > 0.0)?.sqrt();
        let half = student::half_width(cluster.deals() as f64 - 1.0) * error;
        cluster.mean().map(|mean| [mean - half, mean + half])
    }

    /// On how many deals it was seen.
    pub(super) fn deals(&self, quantity: usize) -> u64 {
        self.clusters[quantity].deals()
    }
}
