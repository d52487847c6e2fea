//! The most likely distribution over a few values, given counts and a constraint on its mean or on its t value.
//!
//! Van den Bergh 2020, "Comments on the generalized SPRT for multinomial distributions" and "Normalized Elo", section 4.1.
//! Under mean s the maximum is p̂ᵢ / (1 + x (aᵢ − s)) with the one x that solves Σ p̂ᵢ (aᵢ − s) / (1 + x (aᵢ − s)) = 0.

/// The count that stands for an empty cell, so that every result stays possible.
pub const EMPTY: f64 = 1e-3;

/// The number of times that a step toward the most likely distribution with a given t value is repeated; a few suffice as a rule.
const MOST_STEPS: usize = 500;

/// A distribution over the values 0, 1/(k − 1), …, 1; all k chances are positive.
#[derive(Clone, Debug, PartialEq)]
pub struct Multinomial {
    /// The chance of each value.
    pub chances: Vec<f64>,
    /// The number of observations it comes from, empty cells counted as [`EMPTY`].
    pub total: f64,
}

impl Multinomial {
    /// The empirical distribution of these counts, with [`EMPTY`] for those that are 0. None without any observation, or
    /// with fewer than two cells.
    pub fn of_counts(counts: &[u64]) -> Option<Self> {
        if counts.len() < 2 || counts.iter().all(|count| *count == 0) {
            return None;
        }
        let cells: Vec<f64> = counts
            .iter()
            .map(|count| if *count == 0 { EMPTY } else { *count as f64 })
            .collect();
        let total = cells.iter().sum();
        Some(Self {
            chances: cells.into_iter().map(|cell| cell / total).collect(),
            total,
        })
    }

    /// Its mean, in 0 … 1.
    pub fn mean(&self) -> f64 {
        self.values()
            .zip(&self.chances)
            .map(|(value, chance)| value * chance)
            .sum()
    }

    /// Its variance.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.values()
            .zip(&self.chances)
            .map(|(value, chance)| chance * (value - mean).powi(2))
            .sum()
    }

    /// The most likely distribution with this mean, which is cut to what is a little inside of 0 … 1.
    pub fn with_mean(&self, mean: f64) -> Self {
        let mean = mean.clamp(1e-9, 1.0 - 1e-9);
        let deviations: Vec<f64> = self.values().map(|value| value - mean).collect();
        self.tilted(&deviations).unwrap_or_else(|| self.clone())
    }

    /// The most likely distribution whose (mean − ½) / standard deviation is `t`.
    ///
    /// The constraint is not linear; it is made so about the last distribution found, where it reads
    /// Σ pᵢ (aᵢ − ½ − t σ (1 + ((μ − aᵢ) / σ)²) / 2) = 0, until nothing changes. We begin with the exponential tilting of
    /// equal chances that has the t value, so that the first step is possible for any t, and halve the steps when they grow.
    pub fn with_t_value(&self, t: f64) -> Self {
        let mut found = self.tilted_uniform(t);
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let (mean, deviation) = (found.mean(), found.variance().sqrt());
            let constraint = |value: f64| {
                value - 0.5 - t * deviation * (1.0 + ((mean - value) / deviation).powi(2)) / 2.0
            };
            let deviations: Vec<f64> = self.values().map(constraint).collect();
            let Some(next) = self.tilted(&deviations) else {
                break;
            };
            let change = found.distance(&next);
            found = if change < last {
                next
            } else {
                found.midway(&next)
            };
            last = last.min(change);
            if change < 1e-13 {
                break;
            }
        }
        found
    }

    /// p̂ᵢ / (1 + x vᵢ) with the x that makes Σ pᵢ vᵢ = 0; none if the deviations are all of one sign.
    fn tilted(&self, deviations: &[f64]) -> Option<Self> {
        let x = secular(deviations, &self.chances)?;
        let chances: Vec<f64> = self
            .chances
            .iter()
            .zip(deviations)
            .map(|(chance, deviation)| chance / (1.0 + x * deviation))
            .collect();
        let sum: f64 = chances.iter().sum();
        Some(Self {
            chances: chances.into_iter().map(|chance| chance / sum).collect(),
            total: self.total,
        })
    }

    /// Chances in proportion to exp(θ aᵢ), with the t value `t`, which grows with θ.
    fn tilted_uniform(&self, t: f64) -> Self {
        let tilted = |theta: f64| {
            let weights: Vec<f64> = self
                .values()
                .map(|value| (theta * value - theta.max(0.0)).exp())
                .collect();
            let sum: f64 = weights.iter().sum();
            Self {
                chances: weights.into_iter().map(|weight| weight / sum).collect(),
                total: self.total,
            }
        };
        let (mut low, mut high) = (-100.0, 100.0);
        for _ in 0..80 {
            let middle = (low + high) / 2.0;
            let try_it = tilted(middle);
            if (try_it.mean() - 0.5) < t * try_it.variance().sqrt() {
                low = middle;
            } else {
                high = middle;
            }
        }
        tilted((low + high) / 2.0)
    }

    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        let last = (self.chances.len() - 1) as f64;
        (0..self.chances.len()).map(move |cell| cell as f64 / last)
    }

    fn distance(&self, other: &Self) -> f64 {
        self.chances
            .iter()
            .zip(&other.chances)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max)
    }

    fn midway(&self, other: &Self) -> Self {
        let chances = self
            .chances
            .iter()
            .zip(&other.chances)
            .map(|(a, b)| (a + b) / 2.0)
            .collect();
        Self {
            chances,
            total: self.total,
        }
    }
}

/// The x that solves Σ wᵢ vᵢ / (1 + x vᵢ) = 0 with all 1 + x vᵢ positive: Newton's steps, kept between bounds. None if the
/// values are all of one sign.
fn secular(values: &[f64], weights: &[f64]) -> Option<f64> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least >= 0.0 || greatest <= 0.0 {
        return None;
    }
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    let mut x = 0.0;
    for step in 0..300 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (value, weight) in values.iter().zip(weights) {
            let part = value / (1.0 + x * value);
            sum += weight * part;
            slope += weight * part * part;
        }
        if sum > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x + sum / slope;
        // Near a pole Newton's steps can be short; halving always ends.
        let next = if step < 40 && newton > low && newton < high {
            newton
        } else {
            (low + high) / 2.0
        };
        if (next - x).abs() <= 1e-15 * x.abs() {
            break;
        }
        x = next;
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::Seed;

    use super::*;

    fn likelihood(counts: &Multinomial, chances: &[f64]) -> f64 {
        counts
            .chances
            .iter()
            .zip(chances)
            .map(|(observed, chance)| observed * chance.ln())
            .sum()
    }

    fn t_value(distribution: &Multinomial) -> f64 {
        (distribution.mean() - 0.5) / distribution.variance().sqrt()
    }

    /// Random counts of 3, 5 or 13 cells, many of them empty.
    fn counts(round: u64) -> Multinomial {
        let mut chance = Seed::try_from(11).unwrap().stream("counts", round);
        let cells = *chance.pick(&[3, 5, 13]);
        let most = *chance.pick(&[1, 3, 30, 3000]);
        let mut counts: Vec<u64> = (0..cells)
            .map(|_| u64::from(chance.below(2) * chance.below(most + 1)))
            .collect();
        counts[chance.below(cells) as usize] += 1;
        Multinomial::of_counts(&counts).unwrap()
    }

    #[test]
    fn constraints_are_kept_whatever_the_counts() {
        for round in 0..600 {
            let counts = counts(round);
            let aim = (round % 41) as f64 / 20.0 - 1.0;
            let mean = 0.5 + aim * 0.45;
            assert!(
                (counts.with_mean(mean).mean() - mean).abs() < 1e-7,
                "{counts:?} {mean}"
            );
            let found = counts.with_t_value(aim);
            assert!(
                (t_value(&found) - aim).abs() < 1e-6,
                "{counts:?} {aim} {}",
                t_value(&found)
            );
            assert!(found.chances.iter().all(|chance| *chance > 0.0));
        }
    }

    /// No distribution nearby that keeps the constraint as well is more likely.
    #[test]
    fn what_is_found_is_the_most_likely() {
        for round in 0..60 {
            let counts = counts(round);
            let mut chance = Seed::try_from(12).unwrap().stream("nearby", round);
            let (mean, t) = (
                0.3 + (round % 5) as f64 * 0.1,
                (round % 7) as f64 * 0.1 - 0.3,
            );
            let (by_mean, by_t) = (counts.with_mean(mean), counts.with_t_value(t));
            for _ in 0..200 {
                let nearby = |of: &Multinomial, chance: &mut arena_engine::chance::Chance| {
                    let mut moved = of.clone();
                    moved
                        .chances
                        .iter_mut()
                        .for_each(|p| *p *= 1.0 + f64::from(chance.below(200)) / 1e3 - 0.1);
                    moved
                };
                // Back onto the constraint, by the same projections, which begin from the moved counts.
                let moved = nearby(&by_mean, &mut chance).with_mean(mean);
                assert!(
                    likelihood(&counts, &moved.chances)
                        <= likelihood(&counts, &by_mean.chances) + 1e-9
                );
                let moved = nearby(&by_t, &mut chance).with_t_value(t);
                assert!(
                    likelihood(&counts, &moved.chances)
                        <= likelihood(&counts, &by_t.chances) + 1e-9,
                    "{counts:?} {t}"
                );
            }
        }
    }

    #[test]
    fn a_distribution_that_keeps_the_constraint_stays() {
        let counts = Multinomial::of_counts(&[10, 20, 40, 20, 10]).unwrap();
        assert!(counts.distance(&counts.with_mean(0.5)) < 1e-12);
        assert!(counts.distance(&counts.with_t_value(0.0)) < 1e-12);
        assert_eq!(Multinomial::of_counts(&[0, 0, 0]), None);
        assert_eq!(Multinomial::of_counts(&[7]), None);
    }
}
