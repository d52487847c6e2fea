//! Intervals of differences of strengths, by the profile of the likelihood.
//!
//! For each difference θ of two strengths let ℓ(θ) be the greatest logarithm of the likelihood with that difference. The
//! interval holds the θ with
//!
//! ```text
//! 2 w (ℓ(θ̂) − ℓ(θ)) ≤ t²,    w = v / v_D,    t = the 0.975 quantile of Student's t, D − 1 degrees
//! ```
//!
//! where v is the variance of θ̂ if matches were independent, and v_D that by deals, since matches of one deal are not
//! (clustered by deal: Liang and Zeger 1986, "Longitudinal data analysis using generalized linear models", Biometrika 73;
//! the scaled ratio: Rotnitzky and Jewell 1990, "Hypothesis testing of regression parameters in semiparametric
//! generalized linear models for cluster correlated data", Biometrika 77). Unlike one of a number of standard errors it leans
//! to the side where the likelihood is flat, which is what a bot needs that loses nearly always.
//!
//! Results come in steps, and where few matches went against the order the plain ratio misses the truth in up to 6 % to one side.
//! So a quarter of a match, 1/(4 w) of those that count, is given to either side when its end is sought: then each side misses
//! 2.5 %, whatever the rate (by summing over Poisson's distribution), much as with a mid-p value (Lancaster 1961, "Significance
//! tests in discrete distributions").
//!
//! The profile is followed by tilting: the maximum of ℓ + λ θ has the slope −λ there, so that each λ gives a point of it.

use super::fit::{PRIOR, Posterior, Prior};
use super::linear::Factor;
use super::newton::{self, Local, Parts};
use super::sums::Likelihood;
use crate::interval::FEWEST_FOR_POINTS;
use crate::student;

/// A prior that only keeps parameters from running away: that of the estimate would pull the far end in, where a bot took one
/// match of hundreds.
const HOLD: Prior = Prior { strengths: 50.0, ..PRIOR };
/// The part of a deal that is added to the spread, as if its matches were independent: few deals can be alike by chance.
const BORROWED: f64 = 0.5;
/// Below this share of the free variance, deals do not vary.
const ALIKE: f64 = 1e-9;
/// The part of a match that counts which is given to either side.
const STEP: f64 = 0.25;
/// The number of steps after which an end is near enough, and how near that is, as a share of t².
const MOST_STEPS: usize = 60;
const NEAR: f64 = 1e-6;

/// The likelihood about its maximum.
pub(crate) struct Profile<'a> {
    posterior: Posterior<'a>,
    /// The maximum.
    at: Vec<f64>,
    factor: Factor,
    /// The slopes of the batches at the maximum, each less their mean.
    slopes: Vec<Vec<f64>>,
    /// The number of deals.
    deals: f64,
}

impl<'a> Profile<'a> {
    /// About the maximum of all; the batches' sums make up all of them. None for too few deals.
    pub(crate) fn new(likelihood: &'a Likelihood<'a>, batches: &[Vec<u64>], deals: usize) -> Option<Self> {
        let posterior = Posterior { likelihood, prior: HOLD };
        let at = posterior.fit().at;
        if (deals as u64) < FEWEST_FOR_POINTS {
            return None;
        }
        let mut local = Local::zero(at.len(), Parts::All);
        posterior.add(&at, &mut local);
        let mut slopes: Vec<Vec<f64>> = batches
            .iter()
            .map(|sums| {
                let mut slope = Local::zero(at.len(), Parts::Slope);
                likelihood.of(sums).add(&at, &mut slope);
                slope.gradient
            })
            .collect();
        for parameter in 0..at.len() {
            let mean = slopes.iter().map(|slope| slope[parameter]).sum::<f64>() / slopes.len() as f64;
            slopes.iter_mut().for_each(|slope| slope[parameter] -= mean);
        }
        let factor = local.curvature.factor()?;
        Some(Self { posterior, at, factor, slopes, deals: deals as f64 })
    }

    /// The ends of the 95 % interval of the strength of a bot less that of another one, in logits; none where the likelihood
    /// does not fall far enough.
    pub(crate) fn interval(&self, bot: usize, other: usize) -> [Option<f64>; 2] {
        let mut direction = vec![0.0; self.at.len()];
        (direction[bot], direction[other]) = (1.0, -1.0);
        let moved = self.factor.solve(&direction);
        let free = moved[bot] - moved[other];
        let degrees = self.slopes.len() as f64 - 1.0;
        let along = |slope: &Vec<f64>| slope.iter().zip(&moved).map(|(a, b)| a * b).sum::<f64>().powi(2);
        let by_deals = self.slopes.iter().map(along).sum::<f64>() * (degrees + 1.0) / degrees;
        // Deals that are all alike are no evidence of how another would be.
        if by_deals <= ALIKE * free {
            return [None; 2];
        }
        let clustered = (degrees * by_deals + BORROWED * free) / (degrees + BORROWED);
        let enough = student::half_width(self.deals.min(self.slopes.len() as f64) - 1.0).powi(2) * clustered / free;
        let step = STEP * clustered / free;
        [-1.0, 1.0].map(|side| self.end(side, (bot, other), step, enough, (enough / free).sqrt()))
    }

    /// The difference at which twice the loss of likelihood is `enough` to one side, once a tilt of `step` is given to that
    /// side; a further tilt of `guess` would do if the likelihood were normal. Between a tilt that is too little and one that is
    /// too much, by the rule of false position on the root of the loss, which is nearly straight (the Illinois variant: Dowell and
    /// Jarratt 1971), and by halves where there is no maximum, since the likelihood is flatter than the tilt.
    fn end(&self, side: f64, (bot, other): (usize, usize), step: f64, enough: f64, guess: f64) -> Option<f64> {
        let mut from = self.at.clone();
        // The difference at the maximum with this tilt, and the likelihood with the step there.
        let mut tilted = |tilt: f64| {
            let at = newton::maximise(from.clone(), |at, local| {
                self.posterior.add(at, local);
                local.value += side * tilt * (at[bot] - at[other]);
                local.gradient[bot] += side * tilt;
                local.gradient[other] -= side * tilt;
            })?;
            let mut local = Local::zero(at.len(), Parts::All);
            self.posterior.add(&at, &mut local);
            let difference = at[bot] - at[other];
            from = at;
            Some((difference, local.value + side * step * difference))
        };
        let (mut found, best) = tilted(step)?;
        let mut miss = |tilt: f64| {
            tilted(tilt).map_or(f64::INFINITY, |(difference, value)| {
                found = difference;
                (2.0 * (best - value)).max(0.0).sqrt() - enough.sqrt()
            })
        };
        let (mut less, mut more) = ((step, -enough.sqrt()), (step + guess, miss(step + guess)));
        let mut kept = 0;
        for _ in 0..MOST_STEPS {
            if more.1 < 0.0 {
                // Not far enough yet.
                let next = 2.0 * more.0 - step;
                (less, more) = (more, (next, miss(next)));
                continue;
            }
            let between = if more.1.is_finite() {
                (less.0 * more.1 - more.0 * less.1) / (more.1 - less.1)
            } else {
                f64::midpoint(less.0, more.0)
            };
            let here = (between, miss(between));
            if here.1.abs() < NEAR * enough.sqrt() || more.0 - less.0 < NEAR * more.0 {
                break;
            }
            if here.1 < 0.0 {
                less = here;
                more.1 /= if kept < 0 { 2.0 } else { 1.0 };
                kept = -1;
            } else {
                more = here;
                less.1 /= if kept > 0 { 2.0 } else { 1.0 };
                kept = 1;
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sums::Cells;
    use super::*;

    /// One match on each deal, without ties and first seat: this many wins of the first bot, and losses.
    fn interval(wins: usize, losses: usize) -> [Option<f64>; 2] {
        let batch = |cell: usize| (0..12).map(|index| u64::from(index == cell)).collect::<Vec<u64>>();
        let batches: Vec<Vec<u64>> = (0..wins + losses).map(|deal| batch(if deal < wins { 3 } else { 5 })).collect();
        let sums: Vec<u64> = (0..12).map(|cell| batches.iter().map(|batch| batch[cell]).sum()).collect();
        let likelihood = Likelihood::new(Cells::Pairs { bots: 2 }, &[], &sums, false);
        Profile::new(&likelihood, &batches, wins + losses).unwrap().interval(0, 1)
    }

    /// With independent matches v_D is v · (n + ½) / (n − ½), so that the ends solve the equation above, written out for a
    /// binomial, but for what the prior adds.
    #[test]
    fn ends_solve_the_equation() {
        for (wins, losses) in [(20, 20), (30, 10), (39, 1)] {
            let count = (wins + losses) as f64;
            let part = (count - 0.5) / (count + 0.5);
            for (end, side) in interval(wins, losses).into_iter().zip([-1.0, 1.0]) {
                let end = end.unwrap();
                let value = |at: f64, wins: f64, losses: f64| -wins * (-at).exp().ln_1p() - losses * at.exp().ln_1p();
                let step = side * STEP / part;
                let (more, less) = (wins as f64 + step, losses as f64 - step);
                let best = (more / less).ln();
                let lost = 2.0 * part * (value(best, more, less) - value(end, more, less));
                let enough = student::half_width(count - 1.0).powi(2);
                assert!(
                    (lost - enough).abs() < 2e-2 && (end - best) * side > 0.0,
                    "{lost} not {enough}: {wins} {losses} {end}"
                );
            }
        }
    }

    #[test]
    fn mirrored_results_have_mirrored_ends() {
        let ([low, high], [least, most]) = (interval(33, 7), interval(7, 33));
        assert!((low.unwrap() + most.unwrap()).abs() < 1e-4 && (high.unwrap() + least.unwrap()).abs() < 1e-4);
    }
}
