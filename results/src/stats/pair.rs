//! The results of two bots against each other.

use serde::{Deserialize, Serialize};

use crate::stats::cluster::Cluster;
use crate::stats::elo::{Elo, Estimate, Sample};
use crate::stats::holm::{self, Significance};
use crate::stats::student;

/// More deals than this are not counted as needed: bots that close are not separated.
pub const MOST_NEEDED: u64 = 1_000_000_000_000;

/// Two bots against each other, as the first of them sees it. At tables of more than two, every two seats meet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// The number of times that both forfeited at the same time: lost for both, and half a point for each in the score.
    pub both_forfeited: u64,
    /// Finished blocks in which they met.
    pub blocks: u64,
    /// Blocks in which they met that are not finished; nothing below counts them, but for [`Pair::first_seat`].
    pub unfinished_blocks: u64,
    /// Deals on which they met in a finished block: the units of the intervals. The same as the blocks for two seats.
    pub deals: u64,
    /// Blocks in which the first made 0, 1, 2, 3 and 4 half points, for two seats with both seatings in a block; null
    /// otherwise.
    pub pentanomial: Option<[u64; 5]>,
    /// Score, Elo, normalised Elo and likelihood of superiority, with Student's t intervals; null before the first block.
    pub estimate: Option<Estimate>,
    /// The difference of points; null before the first block.
    pub points: Option<PointsDifference>,
    /// The variance of the score if matches were independent, over its variance by deals: how many independent matches one
    /// match of a block is worth. Null where it is not known, or where all deals are equal. See
    /// [`Cluster::variance_ratio`].
    pub variance_ratio: Option<f64>,
    /// The same of the difference of points.
    pub points_variance_ratio: Option<f64>,
    /// The mean score, in 0 … 1, of whoever of the two sat in the earlier seat, over all matches; null before the first.
    pub first_seat: Option<f64>,
    /// The number of further deals until the 95 % interval of the score excludes ½, if the margin and the spread stay as
    /// they are; at most [`MOST_NEEDED`]. Null if it does already, if the score is ½, and before the first block. For one
    /// deal, and wherever all deals are equal, it is what the bound of [`crate::stats::wilson::unseen`] takes.
    pub needed: Option<u64>,
}

/// By how many points the first bot did better, per deal: its total over all matches of the two on that deal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointsDifference {
    /// The mean over deals.
    pub mean: f64,
    /// The ends of its 95 % t interval; null for fewer than two deals, and where all deals are equal.
    pub interval: Option<[f64; 2]>,
    /// The statistic of the paired t test (Student 1908); null where there is no interval.
    pub t: Option<f64>,
    /// Its two-sided p value; where all deals are equal that of the sign test, 2^(1 − deals), or 1 without a difference
    /// (Dixon and Mood 1946). Null for fewer than two deals.
    pub p: Option<f64>,
    /// The p value adjusted for all pairs that have one (Holm 1979).
    pub adjusted: Option<f64>,
    /// The mark of the adjusted p value.
    pub significance: Significance,
}

/// Adjusts the p values of all pairs for each other.
pub(crate) fn adjust(pairs: &mut [Pair]) {
    let tested = pairs.iter_mut().filter_map(|pair| pair.points.as_mut());
    let mut tested: Vec<&mut PointsDifference> = tested.filter(|points| points.p.is_some()).collect();
    let p: Vec<f64> = tested.iter().filter_map(|points| points.p).collect();
    for (points, adjusted) in tested.iter_mut().zip(holm::adjusted(&p)) {
        points.adjusted = Some(adjusted);
        points.significance = Significance::of(adjusted);
    }
}

/// Score, Elo and all that, from the half points of the deals.
pub(crate) fn estimate(half_points: &Cluster) -> Option<Estimate> {
    Some(sample(half_points)?.estimate(quantile(half_points.deals())))
}

/// Widens the interval of normalised Elo by what is not known of the deviation: the ratio δ of a mean and a standard
/// deviation has a variance of (1 − γδ + (κ − 1) δ²/4) / n, with γ the skewness and κ the kurtosis of the blocks (Mertens 2002,
/// "Comments on variance of the IID estimator in Lo (2002)"). For equal bots that is 1 / n, as the tools of the field have it for all.
pub(crate) fn widened(estimate: Estimate, counts: &[u64; 5]) -> Estimate {
    let blocks = counts.iter().sum::<u64>() as f64;
    let value = |half_points: usize| half_points as f64 / 4.0;
    let moment = |power: i32, about: f64| {
        let all = counts
            .iter()
            .enumerate()
            .map(|(half_points, count)| *count as f64 * (value(half_points) - about).powi(power));
        all.sum::<f64>() / blocks
    };
    let Some(Elo::Value(middle)) = estimate.normalised else { return estimate };
    let mean = moment(1, 0.0);
    let deviation = moment(2, mean).sqrt();
    let (ratio, skewness) = ((mean - 0.5) / deviation, moment(3, mean) / deviation.powi(3));
    let kurtosis = moment(4, mean) / deviation.powi(4);
    // The variance cannot be negative; what is estimated of few blocks might be.
    let factor = (1.0 - skewness * ratio + (kurtosis - 1.0) * ratio * ratio / 4.0).max(0.01).sqrt();
    let end = |end: Option<f64>| end.map(|end| middle + (end - middle) * factor);
    Estimate { normalised_interval: estimate.normalised_interval.map(end), ..estimate }
}

/// The number of deals that are still needed. See [`Pair::needed`].
pub(crate) fn needed(half_points: &Cluster) -> Option<u64> {
    let sample = sample(half_points)?;
    let margin = (sample.mean - 0.5).abs();
    let excluded = |deals: u64| {
        let [low, high] = Sample { units: deals, ..sample }.estimate(quantile(deals)).score_interval;
        low > 0.5 || high < 0.5
    };
    if margin == 0.0 || excluded(sample.units) {
        return None;
    }
    let (mut short, mut enough) = (sample.units, sample.units);
    while !excluded(enough) {
        if enough >= MOST_NEEDED {
            return Some(MOST_NEEDED);
        }
        (short, enough) = (enough, enough * 2);
    }
    while enough - short > 1 {
        let middle = short + (enough - short) / 2;
        if excluded(middle) { enough = middle } else { short = middle }
    }
    Some((enough - sample.units).min(MOST_NEEDED))
}

/// The difference of points, not yet adjusted for other pairs.
pub(crate) fn points(points: &Cluster) -> Option<PointsDifference> {
    let scale = points.matches_per_deal();
    let mean = points.mean()? * scale;
    let error = points.variance().map(|variance| variance.sqrt() * scale);
    let degrees = points.deals() as f64 - 1.0;
    let spread = error.filter(|error| *error > 0.0);
    let equal = || if mean == 0.0 { 1.0 } else { 2.0 * 0.5_f64.powf(points.deals() as f64) };
    Some(PointsDifference {
        mean,
        interval: spread.map(|error| [-1.0, 1.0].map(|side| mean + side * student::half_width(degrees) * error)),
        t: spread.map(|error| mean / error),
        p: error.map(|_| spread.map_or_else(equal, |error| student::two_sided(mean / error, degrees))),
        adjusted: None,
        significance: Significance::None,
    })
}

fn sample(half_points: &Cluster) -> Option<Sample> {
    let deals = half_points.deals();
    let variance = half_points.variance().unwrap_or(0.0) * deals as f64;
    Some(Sample {
        units: deals,
        games: half_points.matches_per_deal(),
        mean: half_points.mean()? / 2.0,
        deviation: variance.sqrt() / 2.0,
    })
}

fn quantile(deals: u64) -> f64 {
    student::half_width(deals as f64 - 1.0)
}
