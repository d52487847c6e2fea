//! Results of two bots against each other, and which of them is ahead.

use serde::Serialize;

use crate::ahead::Lead;
use crate::cluster::Cluster;
use crate::elo::{Elo, Estimate, Sample};

/// Two bots, from the first one's view. At tables of more than two, every two seats count as a meeting.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Pair {
    /// Index of the first bot among the tournament's bots.
    pub first: usize,
    /// Index of the second bot, larger than `first`.
    pub second: usize,
    /// Number of meetings, including those in unfinished blocks.
    pub matches: u64,
    /// Number of meetings in which the first did better.
    pub wins: u64,
    /// Number of meetings in which they were equal.
    pub draws: u64,
    /// Number of meetings in which the second did better.
    pub losses: u64,
    /// Number of meetings that both forfeited: counted in `matches` and here, and nowhere else.
    pub both_forfeited: u64,
    /// Deals on which they met in a finished block without forfeiting all matches both: the units of the score's interval.
    pub deals: u64,
    /// Number of blocks with 0, 1, 2, 3 and 4 half points of the first, if neither match was forfeited by both; null unless there
    /// are two seats with both seatings in a block.
    pub pentanomial: Option<[u64; 5]>,
    /// Score, Elo and likelihood of superiority; null before the first block, and if both forfeited in all matches.
    pub estimate: Option<Estimate>,
    /// 95 % interval of the score, in 0 … 1; null with too few deals.
    pub score_interval: Option<[f64; 2]>,
    /// Difference of their points against the same opponents, and whether one is ahead; null if no deal compares the two.
    pub lead: Option<Lead>,
}

impl Pair {
    /// Returns the pair from the second bot's view.
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

/// Estimates score, Elo and likelihood of superiority from the half points of the deals.
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
