//! Maximum-likelihood distribution over a few values, given counts and a constraint on the mean.
//!
//! Van den Bergh 2020, "Comments on the generalized SPRT for multinomial distributions". Under mean s the maximum is p̂ᵢ /
//! (1 + x (aᵢ − s)) with the one x that solves Σ p̂ᵢ (aᵢ − s) / (1 + x (aᵢ − s)) = 0.

/// The count that replaces 0 in an empty cell, so that every result stays possible.
pub const EMPTY_CELL_COUNT: f64 = 1e-3;

/// A distribution over the values 0, 1/(k − 1), …, 1, all with positive probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Multinomial {
    /// Probability of each value.
    pub chances: Vec<f64>,
    /// Number of observations, including [`EMPTY_CELL_COUNT`] for each empty cell.
    pub total: f64,
}

impl Multinomial {
    /// Returns the empirical distribution of these counts, with [`EMPTY_CELL_COUNT`] in place of 0; `None` without observations, or
    /// with fewer than two cells.
    pub fn of_counts(counts: &[u64]) -> Option<Self> {
        if counts.len() < 2 || counts.iter().all(|count| *count == 0) {
            return None;
        }
        let cells: Vec<f64> = counts
            .iter()
            .map(|count| {
                if *count == 0 {
                    EMPTY_CELL_COUNT
                } else {
                    *count as f64
                }
            })
            .collect();
        let total = cells.iter().sum();
        Some(Self {
            chances: cells.into_iter().map(|cell| cell / total).collect(),
            total,
        })
    }

    /// Returns the mean of the distribution, in 0 … 1.
    pub fn mean(&self) -> f64 {
        self.values()
            .zip(&self.chances)
            .map(|(value, chance)| value * chance)
            .sum()
    }

    /// Returns the variance of the distribution.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.values()
            .zip(&self.chances)
            .map(|(value, chance)| chance * (value - mean).powi(2))
            .sum()
    }

    /// Returns the most likely distribution with this mean, clamped to slightly inside 0 … 1.
    pub fn with_mean(&self, mean: f64) -> Self {
        let mean = mean.clamp(1e-9, 1.0 - 1e-9);
        let deviations: Vec<f64> = self.values().map(|value| value - mean).collect();
        self.tilted(&deviations).unwrap_or_else(|| self.clone())
    }

    /// Returns p̂ᵢ / (1 + x vᵢ) with the x for which Σ pᵢ vᵢ = 0; `None` if all deviations have the same sign.
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

    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        let last = (self.chances.len() - 1) as f64;
        (0..self.chances.len()).map(move |cell| cell as f64 / last)
    }
}

/// Solves Σ wᵢ vᵢ / (1 + x vᵢ) = 0 for x with all 1 + x vᵢ positive, by safeguarded Newton steps; `None` if all values
/// have the same sign.
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
        // Near a pole, Newton's steps can be very short. Bisection always terminates.
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

    /// Returns random counts of 3, 5 or 13 cells, many of them empty.
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
            let found = counts.with_mean(mean);
            assert!(found.chances.iter().all(|chance| *chance > 0.0));
        }
    }

    /// Checks that no nearby distribution that satisfies the constraint is more likely.
    #[test]
    fn what_is_found_is_the_most_likely() {
        for round in 0..60 {
            let counts = counts(round);
            let mut chance = Seed::try_from(12).unwrap().stream("nearby", round);
            let mean = 0.3 + (round % 5) as f64 * 0.1;
            let by_mean = counts.with_mean(mean);
            for _ in 0..200 {
                let nearby = |of: &Multinomial, chance: &mut arena_engine::chance::Chance| {
                    let mut moved = of.clone();
                    moved
                        .chances
                        .iter_mut()
                        .for_each(|p| *p *= 1.0 + f64::from(chance.below(200)) / 1e3 - 0.1);
                    moved
                };
                // The perturbed distribution is projected back onto the constraint by the same method.
                let moved = nearby(&by_mean, &mut chance).with_mean(mean);
                assert!(
                    likelihood(&counts, &moved.chances)
                        <= likelihood(&counts, &by_mean.chances) + 1e-9
                );
            }
        }
    }

    #[test]
    fn a_distribution_that_keeps_the_constraint_stays() {
        let counts = Multinomial::of_counts(&[10, 20, 40, 20, 10]).unwrap();
        let same = counts.with_mean(0.5);
        let pairs = counts.chances.iter().zip(&same.chances);
        assert!(pairs.into_iter().all(|(was, is)| (was - is).abs() < 1e-12));
        assert_eq!(Multinomial::of_counts(&[0, 0, 0]), None);
        assert_eq!(Multinomial::of_counts(&[7]), None);
    }
}
