//! The results of two bots against each other.

use serde::Serialize;

use crate::cluster::Cluster;
use crate::elo::{Estimate, Sample};
use crate::holm::{self, Look, Significance};
use crate::interval;
use crate::paired::{self, Paired};
use crate::power;

/// Two bots against each other, as the first of them sees it. At tables of more than two, every two seats meet.
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
    /// Deals on which they met in a finished block and not both forfeited all: the units of the intervals.
    pub deals: u64,
    /// Blocks in which the first made 0, 1, 2, 3 and 4 half points, where neither match was forfeited by both; null unless for two
    /// seats with both seatings in a block.
    pub pentanomial: Option<[u64; 5]>,
    /// Score, Elo and likelihood of superiority; null before the first block, and where both forfeited in all
    /// matches.
    pub estimate: Option<Estimate>,
    /// The ends of the 95 % interval of the score, in 0 … 1; null for too few deals.
    pub score_interval: Option<[f64; 2]>,
    /// The difference of points; null before the first block.
    pub points: Option<PointsDifference>,
}

/// By how many points the first bot did better, per deal: its total over all matches of the two on that deal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PointsDifference {
    /// The mean over deals.
    pub mean: f64,
    /// The ends of its 95 % interval; null for too few deals, and where all but two or fewer are equal.
    pub interval: Option<[f64; 2]>,
    /// The two-sided p value: exact by the signs of the differences where few are not 0, else that of the t test.
    pub p: Option<f64>,
    /// The p value adjusted for all pairs that have one (Holm 1979).
    pub adjusted: Option<f64>,
    /// The evidence for a difference, which holds at any number of looks: it comes to 1/α with a chance of at most α if the two are
    /// equal. Of the deals before the first that is not finished.
    pub evidence: f64,
    /// The mark: at the planned number of deals by the adjusted p value or the evidence, otherwise by the evidence alone.
    pub significance: Significance,
    /// True if no result on as few deals could have a mark among that many pairs.
    pub too_few: bool,
    /// The number of deals in all, planned from the beginning, until such a difference is marked with a probability of 80 %; null where
    /// it has one already, without a difference, and beyond 10^9.
    pub needed: Option<u64>,
}

/// Adjusts the p values of all pairs, whose differences are given too, for each other.
pub(crate) fn adjust<'a>(
    pairs: &mut [Pair],
    differences: impl Iterator<Item = &'a Paired>,
    look: Look,
) {
    let field = pairs.len();
    let tested = pairs
        .iter_mut()
        .zip(differences)
        .filter_map(|(pair, paired)| Some((pair.points.as_mut()?, paired)));
    let mut tested: Vec<(&mut PointsDifference, &Paired)> = tested.collect();
    let p: Vec<f64> = tested.iter().filter_map(|(points, _)| points.p).collect();
    let all = tested.len();
    for ((points, paired), adjusted) in tested.iter_mut().zip(holm::adjusted(&p)) {
        points.adjusted = Some(adjusted);
        points.significance = paired.significance(adjusted, field, look);
        points.too_few = paired::too_few(paired.differences.count(), all);
        points.needed =
            power::needed(paired, all).filter(|_| points.significance == Significance::None);
    }
}

/// The difference of points, not yet adjusted for other pairs.
pub(crate) fn points(paired: &Paired) -> Option<PointsDifference> {
    let differences = &paired.differences;
    Some(PointsDifference {
        mean: Some(differences.mean()).filter(|_| differences.count() > 0)?,
        interval: interval::of_points(differences),
        p: paired.p(),
        adjusted: None,
        evidence: paired.evidence.value(),
        significance: Significance::None,
        too_few: false,
        needed: None,
    })
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
