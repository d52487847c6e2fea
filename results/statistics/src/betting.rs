//! Confidence sequence by betting: an interval of a mean that is valid at any number of looks.
//!
//! For every candidate m of the mean, two gamblers bet against it: one bets that the mean is larger, the other that it is smaller. If m is
//! the mean, no strategy that uses only the past ever multiplies its capital by 1/α with a probability of more than α (Ville 1939). The
//! interval contains the candidates that have not been ruled out. The bets are the hedged capital process, with the predictable bets of
//! section 4, of Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting", Journal of the Royal Statistical
//! Society B 86:
//!
//! ```text
//! λ = √(2 ln(2/α) / (σ̂² t ln(t + 1))),    K⁺ ∏= 1 + min(λ, ½/m) (x − m),    K⁻ ∏= 1 − min(λ, ½/(1 − m)) (x − m)
//! ```
//!
//! where σ̂² is estimated from earlier observations. m is ruled out once max(K⁺, K⁻) / 2 ≥ 1/α. Candidates lie on a grid. The ends of the
//! interval are moved out by one step, which preserves the guarantee because K⁺ falls with m and K⁻ grows. The interval never grows. It
//! depends on the order of the observations. This order must be independent of the results, as the order of the deals is.

use serde::Serialize;

/// Number of steps in the grid of candidates. The grid has one more point than steps.
const STEPS: usize = 1000;

/// A confidence sequence for the mean of values in a known range.
#[derive(Clone, Debug)]
pub struct Betting {
    alpha: f64,
    low: f64,
    high: f64,
    past: Past,
    /// The candidates that are not ruled out, as the first and the last grid step.
    first: usize,
    last: usize,
    /// Capital of both gamblers, by candidate.
    more: Vec<f64>,
    less: Vec<f64>,
}

/// Sums over the values so far, scaled to 0 … 1.
#[derive(Clone, Copy, Debug, Default)]
struct Past {
    observed: u64,
    sum: f64,
    squares: f64,
}

/// An estimate of a mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanEstimate {
    /// Number of values.
    pub observed: u64,
    /// The mean of the values; null before the first value.
    pub mean: Option<f64>,
    /// The interval, which is valid at all times simultaneously.
    pub interval: [f64; 2],
}

impl Betting {
    /// Creates a sequence for values in `low` … `high`. The probability that its interval is ever wrong is at most `alpha`. The range must
    /// be known in advance, not taken from the data.
    ///
    /// # Panics
    /// If alpha is not a probability between 0 and 1.
    pub fn new(low: f64, high: f64, alpha: f64) -> Result<Self, String> {
        assert!(
            alpha > 0.0 && alpha < 1.0,
            "{alpha} is not a probability between 0 and 1"
        );
        if !(low.is_finite() && high.is_finite() && (high - low).is_finite() && low < high) {
            return Err(format!(
                "invalid range {low}..{high}: the first must be smaller"
            ));
        }
        let capital = vec![1.0; STEPS + 1];
        let (more, less) = (capital.clone(), capital);
        Ok(Self {
            alpha,
            low,
            high,
            past: Past::default(),
            first: 0,
            last: STEPS,
            more,
            less,
        })
    }

    /// Adds a value.
    pub fn add(&mut self, value: f64) -> Result<(), String> {
        if !(self.low..=self.high).contains(&value) {
            let Self { low, high, .. } = self;
            return Err(format!(
                "{value} is not between {low} and {high}; state a range that holds every possible value"
            ));
        }
        let value = (value - self.low) / (self.high - self.low);
        let bet = self.past.bet(self.alpha);
        for step in self.first..=self.last {
            let candidate = step as f64 / STEPS as f64;
            let (more, less) = (bet.min(0.5 / candidate), bet.min(0.5 / (1.0 - candidate)));
            self.more[step] *= 1.0 + more * (value - candidate);
            self.less[step] *= 1.0 - less * (value - candidate);
        }
        self.rule_out();
        self.past.add(value);
        Ok(())
    }

    /// Returns the current estimate of the mean.
    pub fn estimate(&self) -> MeanEstimate {
        let place = |step: usize| self.low + (self.high - self.low) * (step as f64 / STEPS as f64);
        let Past { observed, sum, .. } = self.past;
        MeanEstimate {
            observed,
            mean: (observed > 0)
                .then(|| self.low + (self.high - self.low) * (sum / observed as f64)),
            interval: [
                place(self.first.saturating_sub(1)),
                place((self.last + 1).min(STEPS)),
            ],
        }
    }

    /// Moves both ends past candidates that are ruled out; at least one always remains.
    fn rule_out(&mut self) {
        let enough = 2.0 / self.alpha;
        let ruined = |capital: f64| capital >= enough;
        while self.first < self.last && ruined(self.more[self.first]) {
            self.first += 1;
        }
        while self.last > self.first && ruined(self.less[self.last]) {
            self.last -= 1;
        }
    }
}

impl Past {
    fn add(&mut self, value: f64) {
        self.observed += 1;
        self.sum += value;
        self.squares += value * value;
    }

    /// Returns the next bet. The mean starts with a prior observation of ½, and the variance with a prior observation of ¼.
    fn bet(&self, alpha: f64) -> f64 {
        let next = self.observed as f64 + 1.0;
        let mean = (0.5 + self.sum) / next;
        let spread = self.squares - 2.0 * mean * self.sum + (next - 1.0) * mean * mean;
        let variance = (0.25 + spread.max(0.0)) / next;
        (2.0 * (2.0 / alpha).ln() / (variance * next * (next + 1.0).ln())).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::{Chance, Seed};

    use super::*;
    use crate::cluster::{Cluster, OnDeal};
    use crate::student;

    /// The half-points of a block, in an example with mean 2.
    const LEVEL: [i64; 20] = [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4];
    /// A skewed distribution, with mean 0.4.
    const SKEWED: [i64; 10] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 4];

    /// Returns the fraction of streams in which the sequence was wrong at some look, and the same fraction for the t interval.
    fn check(values: &[i64], streams: u64, looks: u64) -> [f64; 2] {
        let mean = values.iter().sum::<i64>() as f64 / values.len() as f64;
        let mut wrong = [0.0; 2];
        for index in 0..streams {
            let chance = Seed::try_from(31).unwrap().stream("looks", index);
            let found = looks_at(values, mean, looks, chance);
            wrong
                .iter_mut()
                .zip(found)
                .for_each(|(sum, found)| *sum += f64::from(u8::from(found)));
        }
        wrong.map(|sum| sum / streams as f64)
    }

    fn looks_at(values: &[i64], mean: f64, looks: u64, mut chance: Chance) -> [bool; 2] {
        let (mut betting, mut sums) = (Betting::new(0.0, 4.0, 0.05).unwrap(), Cluster::default());
        let mut wrong = [false; 2];
        for look in 1..=looks {
            let value = *chance.pick(values);
            betting.add(value as f64).unwrap();
            let mut deal = OnDeal::default();
            deal.add(value);
            sums.add(&deal);
            let [low, high] = betting.estimate().interval;
            wrong[0] |= mean < low || mean > high;
            if look >= 10 {
                let half = student::half_width(look as f64 - 1.0) * sums.variance().unwrap().sqrt();
                wrong[1] |= (sums.mean().unwrap() - mean).abs() > half;
            }
        }
        wrong
    }

    #[test]
    fn the_sequence_is_right_at_every_look_and_the_t_interval_is_not() {
        for values in [LEVEL.as_slice(), &SKEWED] {
            let [betting, student] = check(values, 300, 300);
            println!("ever wrong: {betting} by betting, {student} by Student");
            assert!(betting <= 0.05, "{betting}");
            assert!(student > 0.2, "{student}");
        }
    }

    #[test]
    fn the_interval_shrinks_toward_the_mean() {
        let mut betting = Betting::new(0.0, 1.0, 0.05).unwrap();
        assert_eq!(
            betting.estimate(),
            MeanEstimate {
                observed: 0,
                mean: None,
                interval: [0.0, 1.0]
            }
        );
        let mut last = betting.estimate().interval;
        for step in 0..4000 {
            betting.add([0.25, 0.75, 1.0, 0.5, 0.5][step % 5]).unwrap();
            let [low, high] = betting.estimate().interval;
            assert!(last[0] <= low && low < high && high <= last[1]);
            last = [low, high];
        }
        assert!(
            last[0] < 0.6 && 0.6 < last[1] && last[1] - last[0] < 0.05,
            "{last:?}"
        );
    }

    #[test]
    fn other_ranges_are_the_same_on_another_scale() {
        let mut scores = Betting::new(0.0, 1.0, 0.05).unwrap();
        let mut points = Betting::new(-30.0, 50.0, 0.05).unwrap();
        for step in 0..200_u32 {
            let score = f64::from(step * step % 9) / 8.0;
            scores.add(score).unwrap();
            points.add(score * 80.0 - 30.0).unwrap();
        }
        let (scores, points) = (scores.estimate().interval, points.estimate().interval);
        assert!(
            scores
                .iter()
                .zip(points)
                .all(|(a, b)| (a * 80.0 - 30.0 - b).abs() < 1e-9),
            "{scores:?} {points:?}"
        );
    }

    #[test]
    fn who_wants_to_be_surer_waits_longer() {
        let [mut sure, mut surer] =
            [0.1, 0.001].map(|alpha| Betting::new(0.0, 1.0, alpha).unwrap());
        for step in 0..300 {
            for betting in [&mut sure, &mut surer] {
                betting.add([0.25, 0.75, 1.0][step % 3]).unwrap();
            }
        }
        let [inner, outer] = [sure.estimate().interval, surer.estimate().interval];
        assert!(
            outer[0] < inner[0] && inner[1] < outer[1],
            "{inner:?} {outer:?}"
        );
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(
            Betting::new(1.0, 1.0, 0.05).is_err() && Betting::new(f64::NAN, 1.0, 0.05).is_err()
        );
        let mut betting = Betting::new(0.0, 1.0, 0.05).unwrap();
        assert!(betting.add(1.5).is_err() && betting.add(f64::NAN).is_err());
        for _ in 0..50_000 {
            betting.add(1.0).unwrap();
        }
        assert_eq!(betting.estimate().interval, [0.999, 1.0]);
    }
}
