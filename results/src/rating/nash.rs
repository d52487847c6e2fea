//! Nash averaging: a rating that copies of a bot cannot change.
//!
//! Balduzzi, Tuyls, Perolat and Graepel 2018, "Re-evaluating evaluation". The logits between bots are the pay-off of a
//! game in which two players choose a bot each. Its equilibrium of greatest entropy gives each bot a weight; a bot's
//! skill is its mean logit against bots drawn by these weights, 0 for those that have a weight and at most 0 for all.
//!
//! With A the logits, an equilibrium p has A p ≤ 0. The greatest entropy under this is found on the dual side: p is
//! proportional to exp(A y) for the y ≥ 0 of least ln Σ exp((A y)ᵢ) (Boyd and Vandenberghe 2004, "Convex optimization",
//! section 5.5). Weights that are truly 0 need an infinite y, so y is found by proximal steps that grow (Rockafellar
//! 1976, "Monotone operators and the proximal point algorithm"), each by projected Newton steps (Bertsekas 1982,
//! "Projected Newton methods for optimization problems with simple constraints").

use serde::Serialize;

use super::linear::Symmetric;

const PROXIMAL_STEPS: i32 = 40;
const NEWTON_STEPS: usize = 200;
/// Equilibria may be left for so little, in logits.
const ENOUGH: f64 = 1e-10;

/// The equilibrium of greatest entropy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Nash {
    /// The weight of each bot; they add up to 1.
    pub weights: Vec<f64>,
    /// Each bot's mean logit against the equilibrium.
    pub skills: Vec<f64>,
    /// The most that any bot gains on the equilibrium, in logits: how far the weights are from the truth.
    pub exploitability: f64,
}

/// The equilibrium of greatest entropy, by the logit of each bot against each other: `logit(i, j)`, for i < j
/// only.
pub fn nash(bots: usize, logit: impl Fn(usize, usize) -> f64) -> Nash {
    let payoff = |cell: usize| match (cell / bots, cell % bots) {
        (i, j) if i < j => logit(i, j),
        (i, j) if i > j => -logit(j, i),
        _ => 0.0,
    };
    let raw: Vec<f64> = (0..bots * bots).map(payoff).collect();
    let largest = raw.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let game = Game { bots, payoffs: raw.iter().map(|value| value / scale).collect() };
    let weights = game.equilibrium();
    let skills: Vec<f64> = game.times(&weights).iter().map(|skill| skill * scale).collect();
    Nash { exploitability: skills.iter().fold(0.0, |most, skill| skill.max(most)), weights, skills }
}

/// Pay-offs of which the greatest is 1.
struct Game {
    bots: usize,
    payoffs: Vec<f64>,
}

impl Game {
    fn equilibrium(&self) -> Vec<f64> {
        let mut y = vec![0.0; self.bots];
        let mut best = self.weights(&y);
        for step in 0..PROXIMAL_STEPS {
            // Each step starts where the last one ended, so that even the longest is not far.
            let reach = 4.0_f64.powi(step);
            y = self.proximal(&y, reach);
            let weights = self.weights(&y);
            if self.most(&weights) <= self.most(&best) {
                best = weights;
            }
            if self.most(&best) < ENOUGH {
                break;
            }
        }
        best
    }

    /// The y ≥ 0 of least ln Σ exp(A y) + |y − center|² / (2 reach).
    fn proximal(&self, center: &[f64], reach: f64) -> Vec<f64> {
        let mut y = center.to_vec();
        let mut value = self.value(&y, center, reach);
        for _ in 0..NEWTON_STEPS {
            let (slope, step) = self.step(&y, center, reach);
            let mut share = 1.0;
            let moved = loop {
                let next: Vec<f64> = y.iter().zip(&step).map(|(y, step)| (y - share * step).max(0.0)).collect();
                let after = self.value(&next, center, reach);
                let gain: f64 =
                    slope.iter().zip(y.iter().zip(&next)).map(|(slope, (y, next))| slope * (y - next)).sum();
                if after <= value - 1e-4 * gain && gain > 1e-18 {
                    value = after;
                    y = next;
                    break true;
                }
                share /= 2.0;
                if share < 1e-12 {
                    break false;
                }
            };
            if !moved {
                break;
            }
        }
        y
    }

    /// The slope, and Newton's step; in directions that 0 bounds, the slope itself.
    fn step(&self, y: &[f64], center: &[f64], reach: f64) -> (Vec<f64>, Vec<f64>) {
        let n = self.bots;
        let weights = self.weights(y);
        let gains = self.times(&weights);
        let slope: Vec<f64> = (0..n).map(|i| (y[i] - center[i]) / reach - gains[i]).collect();
        let free: Vec<usize> = (0..n).filter(|i| y[*i] > 1e-12 || slope[*i] < 0.0).collect();
        let mut curvature = Symmetric::zero(free.len());
        for (a, i) in free.iter().enumerate() {
            curvature.add(a, a, 1.0 / reach);
            for (b, j) in free.iter().enumerate().take(a + 1) {
                let product = |k: usize| weights[k] * self.payoffs[k * n + i] * self.payoffs[k * n + j];
                curvature.add(a, b, (0..n).map(product).sum::<f64>() - gains[*i] * gains[*j]);
            }
        }
        let reduced: Vec<f64> = free.iter().map(|i| slope[*i]).collect();
        let mut step = slope.clone();
        free.iter().zip(curvature.solve(&reduced)).for_each(|(i, newton)| step[*i] = newton);
        (slope, step)
    }

    fn value(&self, y: &[f64], center: &[f64], reach: f64) -> f64 {
        let leads = self.times(y);
        let most = leads.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = leads.iter().map(|lead| (lead - most).exp()).sum();
        let far: f64 = y.iter().zip(center).map(|(y, center)| (y - center).powi(2)).sum();
        most + total.ln() + far / (2.0 * reach)
    }

    fn weights(&self, y: &[f64]) -> Vec<f64> {
        let leads = self.times(y);
        let most = leads.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let raw: Vec<f64> = leads.iter().map(|lead| (lead - most).exp()).collect();
        let total: f64 = raw.iter().sum();
        raw.iter().map(|weight| weight / total).collect()
    }

    fn most(&self, weights: &[f64]) -> f64 {
        self.times(weights).into_iter().fold(0.0, f64::max)
    }

    fn times(&self, vector: &[f64]) -> Vec<f64> {
        self.payoffs
            .chunks_exact(self.bots.max(1))
            .map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::Seed;

    use super::*;

    /// The weights, by rows above the diagonal.
    fn check(bots: usize, rows: &[f64], expected: &[f64]) {
        let place = |i: usize, j: usize| i * bots - i * (i + 1) / 2 + j - i - 1;
        let found = nash(bots, |i, j| rows[place(i, j)]);
        let close = found.weights.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6);
        assert!(close && found.exploitability < 1e-6, "{found:?}, not {expected:?}");
    }

    #[test]
    fn equilibria_are_those_known() {
        check(3, &[1.0, -1.0, 1.0], &[1.0 / 3.0; 3]);
        // Pay-offs a, b, c of 0 over 1, 0 over 2, 1 over 2: weights as c, −b, a.
        check(3, &[2.0, -3.0, 0.5], &[0.5 / 5.5, 3.0 / 5.5, 2.0 / 5.5]);
        check(3, &[0.3, 2.0, 1.0], &[1.0, 0.0, 0.0]);
        check(3, &[-0.01, 2.0, 1.0], &[0.0, 1.0, 0.0]);
        check(2, &[0.0], &[0.5, 0.5]);
        check(1, &[], &[1.0]);
        check(0, &[], &[]);
        // Two copies of rock share what one had: 0 and 1 are equal, both lose to 2 and beat 3.
        check(4, &[0.0, -1.0, 1.0, -1.0, 1.0, 1.0 - 2.0], &[1.0 / 6.0, 1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0]);
        // Two equally good bots that both beat the third.
        check(3, &[0.0, 1.0, 4.0], &[0.5, 0.5, 0.0]);
    }

    #[test]
    fn any_game_of_up_to_fifty_bots_is_solved() {
        let mut chance = Seed::try_from(11).unwrap().stream("games", 0);
        for bots in [2, 5, 12, 30, 50] {
            let rows: Vec<f64> = (0..bots * bots).map(|_| f64::from(chance.below(2001)) / 500.0 - 2.0).collect();
            let found = nash(bots, |i, j| rows[i * bots + j]);
            assert!(found.exploitability < 1e-6, "{bots}: {found:?}");
            assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}
