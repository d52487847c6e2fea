//! The strength of a bot after a sequential test has stopped.
//!
//! A test that stops when it looks good overstates the strength: the plain estimate is biased away from the middle. Here
//! outcomes are put in order instead: those that stop early at the lower bound are worst, then late ones; those that stop
//! early at the upper bound are best (stagewise ordering: Siegmund 1978, "Estimation following sequential tests",
//! Biometrika 65; Fairbanks and Madsen 1982). The strength at which what happened or worse has a chance of ½ is
//! median-unbiased, those at which it has 0.975 and 0.025 bound a 95 % interval.
//!
//! The chances are those of Brownian motion with the drift and variance of the log-likelihood ratio per block, where the mean
//! score is s: (s − (s₀ + s₁) / 2) (s₁ − s₀) / v and (s₁ − s₀)² / v, with v = v̂ + (s − ŝ)² (Van den Bergh 2020, "A practical
//! introduction to the GSPRT"). Since blocks come in steps, both barriers are moved out by 0.5826 standard deviations of a
//! step, the mean overshoot (Siegmund 1979, "Corrected diffusion approximations in certain random walk problems"). Since the
//! variance is estimated, the ends of the interval are taken as far out as Student's t with one degree less than blocks.
//!
//! In simulations with pairs of games the interval covers 95 to 97 % for bounds of logistic Elo, and the estimate lies above
//! the truth in 48 to 53 %, in 41 % where the truth is so far beyond the bounds that the test stops after some 30 blocks.
//! The example `calibration` measures both for real games, for logistic and for normalised bounds; its figures stand in
//! CALIBRATION.md of this package.

use arena_tournament::test::Sprt;
use serde::Serialize;

use crate::stats::brownian::Brownian;
use crate::stats::elo::{self, Elo};
use crate::stats::multinomial::Multinomial;
use crate::stats::sprt::{self, Decision};
use crate::stats::{normal, student};

/// The mean overshoot of a random walk with normal steps, in standard deviations of a step: −ζ(½) / √(2π).
const OVERSHOOT: f64 = 0.582_597_157_939_010_6;

/// The estimate of the strength after a test has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stopped {
    /// Its end; `continue` if it was given up before a decision.
    pub decision: Decision,
    /// The log-likelihood ratio at the end.
    pub llr: f64,
    /// The number of blocks it took.
    pub blocks: u64,
    /// The median-unbiased estimate of logistic Elo; null where none lies within ±1600.
    pub elo: Option<f64>,
    /// The ends of its 95 % interval; null where there is no bound within ±1600.
    pub interval: [Option<f64>; 2],
    /// The chance, were both equally strong, of an outcome as good as this one or better: a p value, in 0 … 1.
    pub p: f64,
    /// The plain estimate of logistic Elo, as if the number of blocks had been fixed. Biased: it tends to overstate.
    pub biased: Elo,
    /// The number of blocks a test of fixed size with the same errors would take, at the spread that was seen.
    pub fixed: u64,
}

/// The estimate of the strength, the test stopped with these counts of blocks by half points, worst first; none without blocks.
pub fn stopped(sprt: &Sprt, counts: &[u64]) -> Option<Stopped> {
    let seen = Multinomial::of_counts(counts)?;
    let walk = Walk::new(sprt, counts, &seen);
    let tail = normal::cdf(-student::half_width(walk.blocks - 1.0));
    Some(Stopped {
        decision: walk.decision,
        llr: walk.llr,
        blocks: counts.iter().sum(),
        elo: walk.elo_at(0.5),
        interval: [walk.elo_at(1.0 - tail), walk.elo_at(tail)],
        p: (1.0 - walk.worse(0.5)).clamp(0.0, 1.0),
        biased: elo::of_counts(counts)?.elo,
        fixed: fixed(sprt, &seen),
    })
}

/// The number of blocks that a test of fixed size takes to separate the same two hypotheses with the same errors:
/// ((z₁₋α + z₁₋β) σ / (s₁ − s₀))².
fn fixed(sprt: &Sprt, seen: &Multinomial) -> u64 {
    let [low, high] = sprt::scores(sprt, seen);
    let quantiles: f64 = sprt.errors().map(|rate| normal::quantile(1.0 - rate)).iter().sum();
    (seen.variance() * (quantiles / (high - low)).powi(2)).ceil() as u64
}

/// A test that has stopped, as a motion.
struct Walk {
    decision: Decision,
    llr: f64,
    blocks: f64,
    bounds: [f64; 2],
    scores: [f64; 2],
    mean: f64,
    variance: f64,
}

impl Walk {
    fn new(sprt: &Sprt, counts: &[u64], seen: &Multinomial) -> Self {
        Self {
            decision: sprt::decision(sprt, counts),
            llr: sprt::llr(sprt, counts),
            blocks: counts.iter().sum::<u64>() as f64,
            bounds: sprt.bounds(),
            scores: sprt::scores(sprt, seen),
            mean: seen.mean(),
            variance: seen.variance(),
        }
    }

    fn motion(&self, score: f64) -> Brownian {
        let [low, high] = self.scores;
        let variance = self.variance + (score - self.mean).powi(2);
        let step = (high - low) / variance.sqrt();
        let beyond = OVERSHOOT * step;
        Brownian {
            lower: self.bounds[0] - beyond,
            upper: self.bounds[1] + beyond,
            drift: (score - f64::midpoint(low, high)) * (high - low) / variance,
            variance: step * step,
        }
    }

    /// The chance of an outcome worse than this one, or as bad, when the mean score is so much.
    fn worse(&self, score: f64) -> f64 {
        let motion = self.motion(score);
        match self.decision {
            Decision::AcceptElo0 => motion.lower_by(self.blocks),
            Decision::AcceptElo1 => 1.0 - motion.upper_by(self.blocks),
            Decision::Continue => motion.lower_by(self.blocks) + motion.inside_below(self.blocks, self.llr),
        }
    }

    /// The Elo at which the chance of an outcome as bad or worse is so much.
    fn elo_at(&self, chance: f64) -> Option<f64> {
        let (mut low, mut high) = (-1600.0, 1600.0);
        let above = |elo: f64| self.worse(elo::score(elo)) > chance;
        if !above(low) || above(high) {
            return None;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if above(middle) { low = middle } else { high = middle }
        }
        Some(f64::midpoint(low, high))
    }
}

#[cfg(test)]
mod tests;
