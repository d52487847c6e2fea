//! The misfit of ratings: pairs of bots whose own results are others than the ratings expect.

use nalgebra::DMatrix;
use serde::Serialize;
use statrs::function::gamma::gamma_ur;

use crate::normal;

/// Misfit above this p value is not spoken of.
pub(super) const LEVEL: f64 = 0.001;
/// Pairs whose expected variance, in deals, is less than this test nothing.
const TOO_SURE: f64 = 0.5;

/// The score of a pair beside what the ratings expect, in points of its duels.
#[derive(Clone, Debug)]
pub(super) struct Residual {
    bots: [usize; 2],
    expected: f64,
    /// The number of duels.
    met: f64,
    /// By how much the first scored more than expected.
    more: f64,
    /// The squares of that over clusters.
    pub squares: f64,
    /// The variance if every duel were a coin's.
    pub free: f64,
    clusters: f64,
}

/// How far pairs are from what the ratings expect.
#[derive(Clone, Debug)]
pub(super) struct LackOfFit {
    /// In order of their bots.
    residuals: Vec<Residual>,
    /// The variance of what each pair has of its own, in scores.
    pub variance: f64,
    /// The p value of all pairs together.
    pub p: f64,
    /// The variance of a duel beside a coin's, with those of its deal.
    pub dispersion: f64,
}

/// A pair that contradicts the ratings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contradiction {
    /// The first bot.
    pub bot: String,
    /// The other one.
    pub other: String,
    /// The score of the first against the other, in 0 … 1.
    pub score: f64,
    /// The score that the ratings expect.
    pub expected: f64,
}

impl Residual {
    pub(super) fn new(bots: [usize; 2], expected: f64) -> Self {
        Self {
            bots,
            expected,
            met: 0.0,
            more: 0.0,
            squares: 0.0,
            free: 0.0,
            clusters: 0.0,
        }
    }

    /// Takes in a cluster.
    pub(super) fn add(&mut self, more: f64, met: f64) {
        self.met += met;
        self.more += more;
        self.squares += more * more;
        self.free += met * self.expected * (1.0 - self.expected);
        self.clusters += 1.0;
    }

    /// The variance of the sum, by how much its clusters differ.
    fn variance(&self) -> f64 {
        let spread = self.squares - self.more * self.more / self.clusters;
        spread * self.clusters / (self.clusters - 1.0).max(1.0)
    }
}

impl LackOfFit {
    /// Of this many bots, by the variance of a duel beside a coin's and the duels of a pair on a deal.
    pub(super) fn of(
        residuals: Vec<Residual>,
        bots: usize,
        dispersion: f64,
        per_deal: f64,
    ) -> Self {
        let pairs = residuals.len() as f64;
        let free = (pairs - bots as f64 + 1.0).max(1.0);
        let own = residuals
            .iter()
            .map(|one| pairs / free * one.more * one.more - one.variance())
            .sum::<f64>();
        let squares = residuals.iter().map(|one| one.met * one.met).sum::<f64>();
        let tested = residuals
            .iter()
            .filter(|one| dispersion * one.free > TOO_SURE * per_deal * per_deal);
        let terms: Vec<f64> = tested
            .map(|one| one.more * one.more / (dispersion * one.free))
            .collect();
        let degrees = (terms.len() as f64 - bots as f64 + 1.0).max(1.0);
        let total: f64 = terms.iter().sum();
        let p = if pairs >= bots as f64 && total > 0.0 {
            gamma_ur(degrees / 2.0, total / 2.0)
        } else {
            1.0
        };
        Self {
            variance: (own / squares.max(1.0)).max(0.0),
            p,
            residuals,
            dispersion,
        }
    }

    /// The covariance of the bots' summed scores by what each pair has of its own.
    pub(super) fn spread(&self, bots: usize) -> DMatrix<f64> {
        let mut spread = DMatrix::zeros(bots, bots);
        for Residual {
            bots: [one, other],
            met,
            ..
        } in &self.residuals
        {
            let variance = met * met * self.variance;
            spread[(*one, *one)] += variance;
            spread[(*other, *other)] += variance;
            spread[(*one, *other)] -= variance;
            spread[(*other, *one)] -= variance;
        }
        spread
    }

    /// By how much a bot scored more than expected against another one, and the information of their duels.
    pub(super) fn own(&self, bot: usize, other: usize) -> (f64, f64) {
        let pair = self
            .residuals
            .binary_search_by_key(&[bot.min(other), bot.max(other)], |one| one.bots);
        let own = |one: &Residual| (if bot < other { one.more } else { -one.more }, one.free);
        pair.map_or((0.0, 0.0), |place| own(&self.residuals[place]))
    }

    /// The pairs that contradict the ratings on their own, the worst first; none unless all together do.
    pub(super) fn contradictions(&self, names: &[String]) -> Vec<Contradiction> {
        if self.p >= LEVEL {
            return Vec::new();
        }
        let z = |one: &Residual| one.more.abs() / (self.dispersion * one.free).sqrt();
        let mut worst: Vec<&Residual> =
            self.residuals.iter().filter(|one| one.free > 0.0).collect();
        worst.sort_by(|a, b| z(b).total_cmp(&z(a)));
        let enough = -normal::quantile(LEVEL / 2.0 / worst.len() as f64);
        let named = worst
            .iter()
            .enumerate()
            .filter(|(place, one)| *place == 0 || z(one) > enough);
        let contradiction = |one: &Residual| Contradiction {
            bot: names[one.bots[0]].clone(),
            other: names[one.bots[1]].clone(),
            score: one.expected + one.more / one.met,
            expected: one.expected,
        };
        named.map(|(_, one)| contradiction(one)).collect()
    }
}
