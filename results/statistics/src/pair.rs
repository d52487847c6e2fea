//! Results of two bots against each other, with the bot that is ahead.

use serde::Serialize;

use crate::ahead::Lead;
use crate::cluster::Cluster;
use crate::elo::{Elo, Estimate, Sample};

/// The results of two bots, from the first one's perspective. At larger tables, every two seats count as a meeting.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Pair {
    /// Index of the first bot among the tournament's bots.
    pub first: usize,
    /// Index of the second bot, larger than `first`.
    pub second: usize,
    /// Number of meetings, including those in unfinished blocks.
    pub matches: u64,
    /// Number of meetings in which the first bot did better.
    pub wins: u64,
    /// Number of meetings in which both bots did equally well.
    pub draws: u64,
    /// Number of meetings in which the second bot did better.
    pub losses: u64,
    /// Number of meetings that both bots forfeited. They are counted here and in `matches`, but nowhere else.
    pub both_forfeited: u64,
    /// Number of deals on which the two met in a finished block, unless both forfeited all matches. These deals are the units of the
    /// score's interval.
    pub deals: u64,
    /// Number of blocks in which the first bot has 0, 1, 2, 3 and 4 half-points, without blocks that have a match forfeited by both. Null
    /// unless a block consists of both seatings of two seats.
    pub pentanomial: Option<[u64; 5]>,
    /// Score, Elo and likelihood of superiority. Null before the first block, and if both bots forfeited all matches.
    pub estimate: Option<Estimate>,
    /// 95 % interval of the score, in 0 … 1; null with too few deals.
    pub score_interval: Option<[f64; 2]>,
    /// Difference between their points against the same opponents, and the bot that is ahead. Null if no deal compares the two.
    pub lead: Option<Lead>,
}

impl Pair {
    /// Returns the pair from the second bot's perspective.
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
