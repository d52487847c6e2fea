//! Each pair of bots, deal by deal.

use std::collections::BTreeMap;

use arena_tournament::deals::{Deal, Duel, Scored, Versus};
use arena_tournament::spec::Spec;

use crate::anytime_valid::Unbroken;
use crate::cluster::{Cluster, DuelsOnDeal};
use crate::crosstable::{Cell, Crosstable};
use crate::holm::Look;
use crate::interval;
use crate::pair::{self, Pair};
use crate::paired::Paired;

/// The sums of each pair of bots against each other so far.
#[derive(Clone, Debug)]
pub struct Pairwise {
    bots: usize,
    unbroken: Unbroken,
    pairs: Vec<Sums>,
}

/// The sums of one pair.
#[derive(Clone, Debug, Default)]
struct Sums {
    /// The pair with its counts; what is computed from all deals is still empty.
    counts: Pair,
    /// By how many points the first was ahead, over all matches.
    lead: i64,
    half_points: Cluster,
    points: Paired,
}

impl Pairwise {
    /// No match yet, of this tournament.
    pub fn new(spec: &Spec) -> Self {
        let field = spec.field();
        let bots = field.bots.len();
        // Blocks of two matches of two bots have a pentanomial.
        let pentanomial = ((field.seats, field.orders()) == (2, 2)).then_some([0; 5]);
        let pairs =
            (0..bots).flat_map(|first| (first + 1..bots).map(move |second| (first, second)));
        let counts = pairs.map(|(first, second)| Pair {
            first,
            second,
            pentanomial,
            ..Pair::default()
        });
        Self {
            bots,
            unbroken: Unbroken::default(),
            pairs: counts
                .map(|counts| Sums {
                    counts,
                    ..Sums::default()
                })
                .collect(),
        }
    }

    /// Takes in a deal; each must come once.
    ///
    /// # Panics
    /// If a bot's index is not below the number of bots.
    pub fn add(&mut self, deal: &Deal) {
        let mut finished: BTreeMap<usize, DuelsOnDeal> = BTreeMap::new();
        for (block, matches) in deal.tables() {
            let mut pairs: BTreeMap<usize, DuelsOnDeal> = BTreeMap::new();
            for duel in matches.iter().flat_map(Scored::duels) {
                let index = index(self.bots, duel.bots[0], duel.bots[1]);
                self.pairs[index].count(&duel);
                pairs.entry(index).or_default().add(&duel);
            }
            for (index, sums) in pairs {
                if !block.finished {
                    continue;
                }
                let half_points = sums.half_points.total as usize;
                if let Some(count) = self.pairs[index]
                    .counts
                    .pentanomial
                    .as_mut()
                    .and_then(|counts| counts.get_mut(half_points))
                    && sums.half_points.matches == 2
                {
                    *count += 1;
                }
                finished.entry(index).or_default().join(&sums);
            }
        }
        let unbroken = self.unbroken.holds(deal);
        for (index, sums) in finished
            .into_iter()
            .filter(|(_, sums)| sums.half_points.matches > 0)
        {
            let pair = &mut self.pairs[index];
            pair.half_points.add(&sums.half_points);
            pair.points.add(sums.points.total as f64);
            if unbroken {
                pair.points.bet(sums.points.total as f64);
            }
        }
    }

    /// All pairs, in order of the first and then the second bot, by the matches so far; with the marks of this look.
    pub fn table(&self, look: Look) -> Vec<Pair> {
        let mut table: Vec<Pair> = self.pairs.iter().map(Sums::pair).collect();
        pair::adjust(&mut table, self.pairs.iter().map(|sums| &sums.points), look);
        table
    }

    /// The crosstable by all matches so far, with the bots in this order.
    pub fn crosstable(&self, order: &[usize], names: &[String]) -> Crosstable {
        let cell = |bot: usize, other: usize| {
            (bot != other).then(|| {
                self.pairs[index(self.bots, bot.min(other), bot.max(other))].cell(bot < other)
            })
        };
        Crosstable {
            bots: order.iter().map(|bot| names[*bot].clone()).collect(),
            cells: order
                .iter()
                .map(|bot| order.iter().map(|other| cell(*bot, *other)).collect())
                .collect(),
        }
    }
}

/// The place of a pair in the list of all pairs of this many bots, in order of the first and then the second bot.
pub(crate) fn index(bots: usize, first: usize, second: usize) -> usize {
    assert!(
        second < bots,
        "there are {bots} bots, so there is no bot {second}"
    );
    first * (2 * bots - first - 1) / 2 + second - first - 1
}

impl Sums {
    fn count(&mut self, duel: &Duel<'_>) {
        let (versus, counts) = (duel.versus(), &mut self.counts);
        counts.matches += 1;
        match versus {
            Versus::Win => counts.wins += 1,
            Versus::Draw => counts.draws += 1,
            Versus::Loss => counts.losses += 1,
            Versus::BothForfeited => counts.both_forfeited += 1,
        }
        if versus != Versus::BothForfeited {
            self.lead += duel.lead();
        }
    }

    /// The results of the first bot against the second, or of the second against the first.
    fn cell(&self, first: bool) -> Cell {
        let Pair {
            matches,
            wins,
            draws,
            losses,
            both_forfeited,
            ..
        } = self.counts;
        let (wins, losses, lead) = if first {
            (wins, losses, self.lead)
        } else {
            (losses, wins, -self.lead)
        };
        let mean = |total: f64| {
            (matches > both_forfeited).then(|| total / (matches - both_forfeited) as f64)
        };
        let score = mean((2 * wins + draws) as f64 / 2.0);
        Cell {
            matches,
            wins,
            draws,
            losses: losses + both_forfeited,
            score,
            points: mean(lead as f64),
        }
    }

    fn pair(&self) -> Pair {
        let counts = &self.counts;
        let estimate = pair::estimate(&self.half_points);
        Pair {
            deals: self.half_points.deals(),
            estimate,
            score_interval: estimate.and_then(|_| interval::of_score(&self.half_points)),
            points: pair::points(&self.points),
            ..counts.clone()
        }
    }
}

#[cfg(test)]
mod tests;
