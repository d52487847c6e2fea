//! Every two bots against each other, deal by deal.

use std::collections::BTreeMap;

use arena_tournament::deals::{Deal, Duel, Scored, Versus};
use arena_tournament::field::Field;

use crate::stats::cluster::{Cluster, OnDeal};
use crate::stats::elo::Estimate;
use crate::stats::pair::{self, Pair};

/// The sums of every two bots against each other so far.
#[derive(Clone, Debug)]
pub struct Pairwise {
    bots: usize,
    /// True if blocks are two matches of two bots, so that they have a pentanomial.
    in_pairs: bool,
    pairs: Vec<Sums>,
}

/// The sums of one pair.
#[derive(Clone, Debug, Default)]
struct Sums {
    wins: u64,
    draws: u64,
    losses: u64,
    both_forfeited: u64,
    /// The half points of whoever sat in the earlier seat, over all matches.
    earlier: u64,
    blocks: u64,
    unfinished: u64,
    pentanomial: [u64; 5],
    half_points: Cluster,
    points: Cluster,
}

/// The sums of the first of two bots on a deal.
#[derive(Clone, Copy, Debug, Default)]
struct PairOnDeal {
    half_points: OnDeal,
    points: OnDeal,
}

impl Pairwise {
    /// No match yet, of these bots.
    pub fn new(field: Field<'_>) -> Self {
        let bots = field.bots.len();
        let pairs = vec![Sums::default(); bots * bots.saturating_sub(1) / 2];
        Self { bots, in_pairs: (field.seats, field.orders()) == (2, 2), pairs }
    }

    /// Takes in a deal; each must come once.
    ///
    /// # Panics
    /// If a bot's index is not below the number of bots.
    pub fn add(&mut self, deal: &Deal) {
        let mut finished: BTreeMap<usize, PairOnDeal> = BTreeMap::new();
        for (block, matches) in deal.tables() {
            let mut pairs: BTreeMap<usize, PairOnDeal> = BTreeMap::new();
            for duel in matches.iter().flat_map(Scored::duels) {
                let index = index(self.bots, duel.bots[0], duel.bots[1]);
                self.pairs[index].count(&duel);
                pairs.entry(index).or_default().add(&duel);
            }
            for (index, sums) in pairs {
                let pair = &mut self.pairs[index];
                if !block.finished {
                    pair.unfinished += 1;
                    continue;
                }
                pair.blocks += 1;
                if let Some(count) = pair.pentanomial.get_mut(sums.half_points.total as usize) {
                    *count += 1;
                }
                finished.entry(index).or_default().join(&sums);
            }
        }
        for (index, sums) in finished {
            self.pairs[index].half_points.add(&sums.half_points);
            self.pairs[index].points.add(&sums.points);
        }
    }

    /// All pairs, in order of the first and then the second bot, by the matches so far.
    pub fn table(&self) -> Vec<Pair> {
        let pairs = (0..self.bots).flat_map(|first| (first + 1..self.bots).map(move |second| (first, second)));
        let mut table: Vec<Pair> =
            pairs.zip(&self.pairs).map(|((first, second), sums)| sums.pair(first, second)).collect();
        for pair in &mut table {
            pair.pentanomial = pair.pentanomial.filter(|_| self.in_pairs);
            pair.estimate = pair.estimate.map(|estimate| match &pair.pentanomial {
                Some(counts) => pair::widened(estimate, counts),
                // It is a measure of pairs of games between two.
                None => Estimate { normalised: None, normalised_interval: [None, None], ..estimate },
            });
        }
        pair::adjust(&mut table);
        table
    }
}

/// The place of a pair in the list of all pairs.
fn index(bots: usize, first: usize, second: usize) -> usize {
    assert!(second < bots, "there are {bots} bots, so there is no bot {second}");
    first * (2 * bots - first - 1) / 2 + second - first - 1
}

impl PairOnDeal {
    fn add(&mut self, duel: &Duel<'_>) {
        self.half_points.add(duel.versus().halves().into());
        self.points.add(duel.lead());
    }

    fn join(&mut self, other: &PairOnDeal) {
        self.half_points.join(&other.half_points);
        self.points.join(&other.points);
    }
}

impl Sums {
    fn count(&mut self, duel: &Duel<'_>) {
        let versus = duel.versus();
        match versus {
            Versus::Win => self.wins += 1,
            Versus::Draw => self.draws += 1,
            Versus::Loss => self.losses += 1,
            Versus::BothForfeited => self.both_forfeited += 1,
        }
        let earlier = if duel.is_earlier { versus } else { versus.reversed() };
        self.earlier += u64::from(earlier.halves());
    }

    fn pair(&self, first: usize, second: usize) -> Pair {
        let matches = self.wins + self.draws + self.losses + self.both_forfeited;
        Pair {
            first,
            second,
            matches,
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
            both_forfeited: self.both_forfeited,
            blocks: self.blocks,
            unfinished_blocks: self.unfinished,
            deals: self.half_points.deals(),
            pentanomial: Some(self.pentanomial),
            estimate: pair::estimate(&self.half_points),
            points: pair::points(&self.points),
            variance_ratio: self.half_points.variance_ratio(),
            points_variance_ratio: self.points.variance_ratio(),
            first_seat: (matches > 0).then(|| self.earlier as f64 / (2 * matches) as f64),
            needed: pair::needed(&self.half_points),
        }
    }
}

#[cfg(test)]
mod tests;
