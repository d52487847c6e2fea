//! The results of two bots against each other, and which of them is ahead.

use serde::Serialize;

use crate::ahead::Lead;
use crate::cluster::Cluster;
use crate::elo::{Elo, Estimate, Sample};

/// Two bots, as the first of them sees the other. At tables of more than two, every two seats meet.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Pair {
    /// The first bot, as its index among the tournament's bots.
    pub first: usize,
    /// The other one, of a greater index.
    pub second: usize,
    /// The number of times that they met, also in blocks that are not finished.
    pub matches: u64,
    /// The number of times that the first did better.
    pub wins: u64,
    /// The number of times that they were equal.
    pub draws: u64,
    /// The number of times that the second did better.
    pub losses: u64,
    /// The number of times that both forfeited: it counts in `matches` and here, and nowhere else.
    pub both_forfeited: u64,
    /// Deals on which they met in a finished block and not both forfeited all: the units of the score's interval.
    pub deals: u64,
    /// Blocks in which the first made 0, 1, 2, 3 and 4 half points, where neither match was forfeited by both; null unless for two
    /// seats with both seatings in a block.
    pub pentanomial: Option<[u64; 5]>,
    /// Score, Elo and likelihood of superiority; null before the first block, and where both forfeited in all
    /// matches.
    pub estimate: Option<Estimate>,
    /// The ends of the 95 % interval of the score, in 0 … 1; null for too few deals.
    pub score_interval: Option<[f64; 2]>,
    /// The difference of their points against the same opponents, and whether one is ahead; null if no deal compares the two.
    pub lead: Option<Lead>,
}

impl Pair {
    /// The same pair, as its second bot sees it.
    pub fn turned(&self) -> Self {
        Self {
            first: self.second,
            second: self.first,
            wins: self.losses,
            losses: self.wins,
            pentanomial: self.pentanomial.map(|[a, b, c, d, e]| [e, d, c, b, a]),
            estimate: self.estimate.map(|one| Estimate {
                score: 1.0 - one.score,
                elo: one.elo.map(Elo::turned),
                los: 1.0 - one.los,
            }),
            score_interval: self
                .score_interval
                .map(|[low, high]| [1.0 - high, 1.0 - low]),
            lead: self.lead.map(Lead::turned),
            ..self.clone()
        }
    }
}

/// Score, Elo and all that, from the half points of the deals.
pub(crate) fn estimate(half_points: &Cluster) -> Option<Estimate> {
    let deals = half_points.deals();
    let variance = half_points.variance().unwrap_or(0.0) * deals as f64;
    let sample = Sample {
        units: deals,
        games: half_points.matches_per_deal(),
        mean: half_points.mean()? / 2.0,
        deviation: variance.sqrt() / 2.0,
    };
    Some(sample.estimate())
}
