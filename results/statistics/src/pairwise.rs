//! Results of each pair of bots, deal by deal.

use std::collections::BTreeMap;

use arena_tournament::deals::{Deal, Duel, Scored, Versus};
use arena_tournament::spec::Spec;

use crate::ahead::Ahead;
use crate::cluster::{Cluster, OnDeal, half_points};
use crate::crosstable::{Cell, Crosstable};
use crate::interval;
use crate::pair::{self, Pair};

/// Sums of each pair of bots that met.
#[derive(Clone, Debug)]
pub struct Pairwise {
    /// True if each block of two bots has two matches.
    is_paired: bool,
    pairs: BTreeMap<[usize; 2], Sums>,
}

/// Sums of one pair.
#[derive(Clone, Debug, Default)]
struct Sums {
    /// The pair with its counts. Fields that are computed from all deals are still empty.
    counts: Pair,
    /// The lead of the first bot in points, summed over all matches.
    lead: i64,
    half_points: Cluster,
}

impl Pairwise {
    /// Creates empty sums for this tournament.
    pub fn new(spec: &Spec) -> Self {
        let field = spec.field();
        Self {
            is_paired: (field.seats, field.orders()) == (2, 2),
            pairs: BTreeMap::new(),
        }
    }

    /// Creates empty sums for deals that do not follow a plan.
    pub fn unplanned() -> Self {
        Self {
            is_paired: false,
            pairs: BTreeMap::new(),
        }
    }

    /// Adds a deal; each must be added once.
    pub fn add(&mut self, deal: &Deal) {
        let mut finished: BTreeMap<[usize; 2], OnDeal> = BTreeMap::new();
        for (block, matches) in deal.tables() {
            for duel in matches.iter().flat_map(Scored::duels) {
                self.pair(duel.bots).count(&duel);
            }
            for (bots, half_points) in half_points(matches).into_iter().filter(|_| block.finished) {
                if let Some(counts) = &mut self.pair(bots).counts.pentanomial
                    && half_points.matches == 2
                {
                    counts[half_points.total as usize] += 1;
                }
                finished.entry(bots).or_default().join(&half_points);
            }
        }
        for (bots, half_points) in finished {
            self.pair(bots).half_points.add(&half_points);
        }
    }

    /// Returns the pairs that met or are compared by the matches so far, ordered by the first and then the second bot.
    pub fn table(&self, ahead: &Ahead) -> Vec<Pair> {
        let leads = ahead.leads().iter();
        let unmet = leads.map(|([first, second], lead)| {
            let pair = Pair {
                first: *first,
                second: *second,
                lead: Some(*lead),
                ..Pair::default()
            };
            ([*first, *second], pair)
        });
        let mut table: BTreeMap<[usize; 2], Pair> = unmet.collect();
        for (bots, sums) in &self.pairs {
            let lead = table.get(bots).and_then(|pair| pair.lead);
            table.insert(
                *bots,
                Pair {
                    lead,
                    ..sums.pair()
                },
            );
        }
        table.into_values().collect()
    }

    /// Returns the half-points of each pair that met, by deal.
    pub fn half_points(&self) -> impl Iterator<Item = &Cluster> {
        self.pairs.values().map(|sums| &sums.half_points)
    }

    /// Returns the score of each of the first `bots` bots against all its opponents, in 0 … 1; `None` without
    /// results.
    pub fn scores(&self, bots: usize) -> Vec<Option<f64>> {
        let mut sums = vec![(0, 0); bots];
        for ([first, second], Sums { counts, .. }) in &self.pairs {
            let met = counts.matches - counts.both_forfeited;
            for (bot, wins) in [(first, counts.wins), (second, counts.losses)] {
                sums[*bot].0 += 2 * wins + counts.draws;
                sums[*bot].1 += 2 * met;
            }
        }
        let score = |(made, most): (u64, u64)| (most > 0).then(|| made as f64 / most as f64);
        sums.into_iter().map(score).collect()
    }

    /// Returns the crosstable of all matches so far, with the bots in this order.
    pub fn crosstable(&self, order: &[usize], names: &[String]) -> Crosstable {
        let cell = |bot: usize, other: usize| {
            let sums = self.pairs.get(&[bot.min(other), bot.max(other)]);
            sums.map(|sums| sums.cell(bot < other))
        };
        Crosstable {
            bots: order.iter().map(|bot| names[*bot].clone()).collect(),
            cells: order
                .iter()
                .map(|bot| order.iter().map(|other| cell(*bot, *other)).collect())
                .collect(),
        }
    }

    fn pair(&mut self, [first, second]: [usize; 2]) -> &mut Sums {
        let pentanomial = self.is_paired.then_some([0; 5]);
        self.pairs.entry([first, second]).or_insert_with(|| Sums {
            counts: Pair {
                first,
                second,
                pentanomial,
                ..Pair::default()
            },
            ..Sums::default()
        })
    }
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

    /// Returns the results of the first bot against the second one or, if `first` is `false`, the reverse.
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
        let estimate = pair::estimate(&self.half_points);
        Pair {
            deals: self.half_points.deals(),
            estimate,
            score_interval: estimate.and_then(|_| interval::of_score(&self.half_points)),
            ..self.counts.clone()
        }
    }
}

#[cfg(test)]
mod tests;
