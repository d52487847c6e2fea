//! The scores of each pair of bots against each other, deal by deal, or in batches of deals where there are many.

use std::collections::{BTreeMap, BTreeSet};

use arena_tournament::deals::{Deal, Scored};
use nalgebra::DMatrix;

use super::groups::Groups;
use crate::betting::EvenBet;
use crate::cluster::DuelsOnDeal;

/// Deals beyond this many share batches: the spread of this many batches is known to some per cent, and that is enough.
const MOST: u32 = 1000;
/// The chance that any bet on any pair is ever won without cause.
const ALPHA: f64 = 0.05;

/// The score of the first of two bots against the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Score {
    /// Half points, of two for each duel.
    pub half_points: u32,
    /// The duels, without those that both forfeited.
    pub duels: u32,
}

/// The scores of each pair of bots.
#[derive(Clone, Debug)]
pub(super) struct Duels {
    bots: usize,
    /// By batch, for two bots of which the first has the lower index.
    batches: BTreeMap<u32, BTreeMap<(u16, u16), Score>>,
    meetings: BTreeMap<(u16, u16), Meetings>,
    /// The number of deals.
    pub deals: u64,
}

/// The meetings of two bots.
#[derive(Clone, Debug)]
struct Meetings {
    /// With those that both forfeited.
    matches: u64,
    /// The deals with a score.
    deals: u64,
    /// Bets on who is the better one, deal by deal.
    bet: EvenBet,
}

impl Duels {
    /// None yet, of this many bots.
    pub(super) fn new(bots: usize) -> Self {
        Self {
            bots,
            batches: BTreeMap::new(),
            meetings: BTreeMap::new(),
            deals: 0,
        }
    }

    /// Takes in the blocks that count of a deal; deals come in order. A duel in which both forfeited has no score.
    pub(super) fn add(&mut self, deal: &Deal) {
        let mut duels: BTreeMap<(u16, u16), (u64, DuelsOnDeal)> = BTreeMap::new();
        for duel in deal
            .counted()
            .flat_map(|(_, matches)| matches)
            .flat_map(Scored::duels)
        {
            let (met, sums) = duels
                .entry((duel.bots[0] as u16, duel.bots[1] as u16))
                .or_default();
            *met += 1;
            sums.add(&duel);
        }
        self.deals += u64::from(duels.values().any(|(_, sums)| sums.half_points.matches > 0));
        for (pair, (met, DuelsOnDeal { half_points, .. })) in duels {
            let meetings = self
                .meetings
                .entry(pair)
                .or_insert_with(|| Meetings::new(self.bots));
            meetings.matches += met;
            if half_points.matches > 0 {
                meetings.deals += 1;
                meetings
                    .bet
                    .add(half_points.total as f64 / f64::from(2 * half_points.matches));
                let batch = self.batches.entry(deal.number % MOST).or_default();
                let score = batch.entry(pair).or_default();
                score.half_points += half_points.total as u32;
                score.duels += half_points.matches;
            }
        }
    }

    /// The number of bots.
    pub(super) fn bots(&self) -> usize {
        self.bots
    }

    /// The scores of each batch, with the indices of the two bots.
    pub(super) fn batches(
        &self,
    ) -> impl ExactSizeIterator<Item = impl Iterator<Item = ([usize; 2], Score)>> {
        let row = |(pair, score): (&(u16, u16), &Score)| {
            ([usize::from(pair.0), usize::from(pair.1)], *score)
        };
        self.batches
            .values()
            .map(move |batch| batch.iter().map(row))
    }

    /// For each bot what it scored against each other one, and the number of their duels.
    pub(super) fn totals(&self) -> [DMatrix<f64>; 2] {
        let mut won = DMatrix::zeros(self.bots, self.bots);
        let mut met = won.clone();
        for ([one, other], score) in self.batches().flatten() {
            let duels = f64::from(score.duels);
            let scored = f64::from(score.half_points) / 2.0;
            won[(one, other)] += scored;
            won[(other, one)] += duels - scored;
            met[(one, other)] += duels;
            met[(other, one)] += duels;
        }
        [won, met]
    }

    /// The duels of two bots on a deal, on average; 1 if there are none.
    pub(super) fn per_deal(&self) -> f64 {
        let deals: u64 = self.meetings.values().map(|meetings| meetings.deals).sum();
        let duels: u64 = self
            .batches()
            .flatten()
            .map(|(_, score)| u64::from(score.duels))
            .sum();
        if deals == 0 {
            1.0
        } else {
            duels as f64 / deals as f64
        }
    }

    /// True if each pair of bots met, and equally often.
    pub(super) fn is_complete(&self) -> bool {
        let counts: BTreeSet<u64> = self
            .meetings
            .values()
            .map(|meetings| meetings.matches)
            .collect();
        self.meetings.len() == self.bots * self.bots.saturating_sub(1) / 2 && counts.len() == 1
    }

    /// True if no cycle of bots met, of which these are the groups: nothing tests then what follows from several pairs.
    pub(super) fn is_forest(&self, groups: &Groups) -> bool {
        let pairs = self
            .meetings
            .values()
            .filter(|meetings| meetings.deals > 0)
            .count();
        pairs + groups.all().len() == self.bots
    }

    /// True if the bets on two bots are won by the first.
    pub(super) fn is_won(&self, bot: usize, other: usize) -> bool {
        let pair = (bot.min(other) as u16, bot.max(other) as u16);
        let better = self
            .meetings
            .get(&pair)
            .and_then(|meetings| meetings.bet.is_more());
        better == Some(bot < other)
    }
}

impl Meetings {
    /// None yet, of two of this many bots.
    fn new(bots: usize) -> Self {
        let pairs = bots * bots.saturating_sub(1) / 2;
        Self {
            matches: 0,
            deals: 0,
            bet: EvenBet::new(ALPHA / pairs.max(1) as f64),
        }
    }
}
