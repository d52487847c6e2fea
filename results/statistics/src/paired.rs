//! The paired comparison of two bots: their differences on deals, a test, and the interval of the mean that follows from the test.

use crate::histogram::Histogram;
use crate::interval::{MIN_DEALS_FOR_POINTS, MIN_UNEQUAL_DEALS};
use crate::normal;

/// Number of deals below which uneven differences are reported.
const FEW_DEALS: f64 = 60.0;
const MAX_SKEWNESS: f64 = 1.5;

/// The differences between two bots on deals.
///
/// If two bots are equal, both signs of each difference are equally likely. The p-value is the fraction of all patterns of signs whose sum
/// is at least as far from 0 (Fisher 1935, "The Design of Experiments", section 21). It is computed by a saddlepoint approximation. The
/// interval follows from the same test of other means (Robinson 1982, "Saddlepoint approximations for permutation tests and confidence
/// intervals", Journal of the Royal Statistical Society B 44).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paired {
    differences: Histogram,
}

impl Paired {
    /// Adds the difference on another deal.
    pub fn add(&mut self, difference: f64) {
        self.differences.add(difference);
    }

    /// Returns the number of deals.
    pub fn deals(&self) -> u64 {
        self.differences.count()
    }

    /// Returns the mean difference; 0 without deals.
    pub fn mean(&self) -> f64 {
        self.differences.mean()
    }

    /// Returns `true` if there are few deals with a long tail on one side. For bots with equal means and unequal spread, the test is then
    /// less reliable.
    pub fn is_uneven(&self) -> bool {
        let (deals, mean) = (self.deals() as f64, self.mean());
        let moment = |power: i32| {
            let away = |value: f64| (value - mean).powi(power);
            self.differences.sum(away) / deals
        };
        let is_skewed = moment(3).abs() > MAX_SKEWNESS * moment(2).powf(1.5);
        deals < FEW_DEALS && is_skewed
    }

    /// Returns the two-sided p-value of the hypothesis that each difference could equally have had the other sign; `None` without deals.
    ///
    /// The approximation is smooth: patterns of signs with exactly the same sum count about one half. So the test is not conservative for
    /// points with few distinct values.
    pub fn p(&self) -> Option<f64> {
        let p = 2.0 * normal::cdf(-self.distance(0.0).abs());
        (self.deals() > 0).then(|| p.min(1.0))
    }

    /// Returns the 95 % interval of the mean difference: all means that the test does not reject at 5 %. `None` with too few deals, or if
    /// nearly all differences are equal.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let is_enough =
            self.deals() >= MIN_DEALS_FOR_POINTS && self.differences.unequal() >= MIN_UNEQUAL_DEALS;
        is_enough.then(|| {
            let [low, high] = self.differences.range();
            [self.end(low, normal::Z), self.end(high, -normal::Z)]
        })
    }

    /// Returns the mean between the extreme difference and the mean difference at which [`Self::distance`] has this value. It is the extreme
    /// if the test does not reject that: beyond the extreme, all signs are equal, and the test rejects.
    fn end(&self, extreme: f64, distance: f64) -> f64 {
        let away = |at: f64| self.distance(at) - distance;
        let [mut one, mut other] = [extreme, self.mean()];
        let [mut at_one, mut at_other] = [away(one), -distance];
        if at_one * at_other >= 0.0 {
            return extreme;
        }
        let mut narrow = |at: f64| {
            if (one.min(other)..one.max(other)).contains(&at) {
                let found = away(at);
                if found * at_one > 0.0 {
                    (one, at_one) = (at, found);
                } else {
                    (other, at_other) = (at, found);
                }
            }
        };
        // Decide first on which side of 0 the end lies, so that interval and p-value never disagree.
        narrow(0.0);
        // Without a tail, the end lies about the usual number of standard errors from the mean.
        let mean = self.mean();
        let variance = self.differences.variance().unwrap_or_default();
        let error = (variance / self.deals() as f64).sqrt();
        for usual in [0.9, 1.1, 1.3] {
            narrow(mean - usual * distance * error);
        }
        // Regula falsi that halves the weight of a retained end (the Illinois method).
        for _ in 0..60 {
            let share = (at_one / (at_one - at_other)).clamp(1e-3, 1.0 - 1e-3);
            let next = one + (other - one) * share;
            let at = away(next);
            if at.abs() < 1e-9 {
                return next;
            }
            if at * at_one > 0.0 {
                (one, at_one, at_other) = (next, at, at_other / 2.0);
            } else {
                (other, at_other, at_one) = (next, at, at_one / 2.0);
            }
        }
        f64::midpoint(one, other)
    }

    /// Returns the distance of the mean difference from this mean, as a quantile of the normal distribution. It is Barndorff-Nielsen's r*
    /// for the sum of differences with random signs, with K(s) = Σ ln cosh(s d), K′(s) = Σ d, w = √(2 (s Σd − K)) and u = s √K″(s).
    fn distance(&self, mean: f64) -> f64 {
        let cells = self.differences.cells().iter();
        let cells: Vec<(f64, f64)> = cells
            .map(|(difference, count)| (difference - mean, *count as f64))
            .filter(|(difference, _)| *difference != 0.0)
            .collect();
        let total = |of: &dyn Fn(f64) -> f64| {
            let all = cells
                .iter()
                .map(|(difference, count)| count * of(*difference));
            all.sum::<f64>()
        };
        let sum = total(&|difference| difference);
        let (size, squares) = (total(&f64::abs), total(&|difference| difference.powi(2)));
        if sum.abs() <= 1e-9 * size {
            return 0.0;
        }
        if sum.abs() >= (1.0 - 1e-9) * size {
            // All signs are equal, which is the case in only 2 of all patterns.
            let chance = 0.5_f64.powf(total(&|_| 1.0) + 1.0);
            return -normal::quantile(chance).copysign(-sum);
        }
        // K′ is concave, so Newton's method approaches from below. With e = exp(−2 |x|), tanh |x| = (1 − e) / (1 + e) and 1 / cosh² x =
        // 4 e / (1 + e)².
        let (sum, sign) = (sum.abs(), sum.signum());
        let mut s = sum / squares;
        let mut curvature = squares;
        for _ in 0..100 {
            let mut slope = 0.0;
            curvature = 0.0;
            for (difference, count) in &cells {
                let size = difference.abs();
                let e = (-2.0 * s * size).exp();
                slope += count * size * (1.0 - e) / (1.0 + e);
                curvature += count * 4.0 * e * (size / (1.0 + e)).powi(2);
            }
            let step = (sum - slope) / curvature;
            s += step;
            if step.abs() <= 1e-10 * s {
                break;
            }
        }
        let ln_cosh = |x: f64| x.abs() + (-2.0 * x.abs()).exp().ln_1p() - std::f64::consts::LN_2;
        let w = (2.0 * (s * sum - total(&|difference| ln_cosh(s * difference))))
            .max(0.0)
            .sqrt();
        let u = s * curvature.sqrt();
        let near = if w < 1e-3 { w } else { w + (u / w).ln() / w };
        sign * near.max(0.0)
    }
}

/// Returns the minimum p-value for this many deals, reached if all differences have the same sign.
pub fn least_p(deals: u64) -> f64 {
    0.5_f64.powf(deals as f64)
}

impl FromIterator<f64> for Paired {
    fn from_iter<T: IntoIterator<Item = f64>>(differences: T) -> Self {
        Self {
            differences: differences.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::Seed;

    use super::*;

    fn p(differences: &[f64]) -> f64 {
        differences.iter().copied().collect::<Paired>().p().unwrap()
    }

    /// Returns the fraction of sign patterns with a larger sum, plus half of those with the same sum, counted on both sides.
    fn by_enumeration(differences: &[f64]) -> f64 {
        let sum: f64 = differences.iter().sum::<f64>().abs();
        let patterns = 1_u32 << differences.len();
        let share = |pattern: u32| {
            let signed = differences.iter().enumerate().map(|(at, difference)| {
                let sign = if pattern >> at & 1 == 0 { 1.0 } else { -1.0 };
                sign * difference
            });
            match signed.sum::<f64>() - sum {
                more if more.abs() < 1e-9 => 0.5,
                more => f64::from(u8::from(more > 0.0)),
            }
        };
        2.0 * (0..patterns).map(share).sum::<f64>() / f64::from(patterns)
    }

    #[test]
    fn p_values_are_those_of_all_signs() {
        let mut chance = Seed::try_from(3).unwrap().stream("signs", 0);
        for _ in 0..300 {
            let deals = 6 + chance.below(8);
            let mut die = || f64::from(chance.below(40)) - 14.0;
            let differences: Vec<f64> = (0..deals).map(|_| die()).collect();
            let (found, exact) = (p(&differences), by_enumeration(&differences));
            assert!(
                (found - exact).abs() < 0.015 + 0.2 * exact,
                "{found} {exact} {differences:?}"
            );
        }
    }

    #[test]
    fn the_extremes_are_exact() {
        assert_eq!((p(&[0.0; 40]), p(&[1.0, -1.0])), (1.0, 1.0));
        assert!((p(&[3.0, 1.0, 2.0, 2.0, 5.0]) / least_p(5) - 1.0).abs() < 1e-9);
        assert!((p(&[-2.0; 40]) / least_p(40) - 1.0).abs() < 1e-6);
        assert_eq!(Paired::default().p(), None);
    }

    #[test]
    fn the_interval_excludes_0_exactly_if_the_test_does() {
        let mut chance = Seed::try_from(7).unwrap().stream("intervals", 0);
        let mut excluded = 0;
        for round in 0..600 {
            let more = f64::from(round % 7) / 2.0;
            let faces = [3, 12, 90][round as usize % 3];
            // Bots that are nearly equal differ on few deals.
            let is_sparse = round % 4 == 3;
            let mut die = |_| {
                let mut sum = || f64::from(chance.below(faces)) + f64::from(chance.below(faces));
                let difference = sum() - sum() + more;
                let counts = !is_sparse || chance.below(4) == 0;
                if counts { difference } else { 0.0 }
            };
            let paired: Paired = (0..10 + round % 30).map(&mut die).collect();
            if let Some([low, high]) = paired.interval() {
                let is_out = low > 0.0 || high < 0.0;
                assert_eq!(
                    is_out,
                    paired.p().unwrap() <= 0.05,
                    "{paired:?} {low} {high}"
                );
                assert!(low < paired.mean() && paired.mean() < high);
                excluded += u32::from(is_out);
            }
        }
        assert!((100..400).contains(&excluded), "{excluded}");
    }

    #[test]
    fn an_interval_of_mostly_equal_deals_ends_at_their_difference() {
        for unequal in [3, 4] {
            let paired: Paired = (0..12)
                .map(|at| if at < unequal { 20.0 } else { 0.0 })
                .collect();
            let [low, high] = paired.interval().unwrap();
            assert_eq!(low, 0.0, "{unequal} of 12 deals");
            assert!(high > paired.mean());
            let mirrored: Paired = (0..12)
                .map(|at| if at < unequal { -20.0 } else { 0.0 })
                .collect();
            let [low, high] = mirrored.interval().unwrap();
            assert_eq!(high, 0.0, "{unequal} of 12 deals, mirrored");
            assert!(low < mirrored.mean());
        }
    }

    #[test]
    fn many_deals_have_the_t_interval() {
        let paired: Paired = (0..1000).map(|at| f64::from(at % 7)).collect();
        let half = normal::Z * 2.0 / 1000_f64.sqrt();
        let [low, high] = paired.interval().unwrap();
        let mean = paired.mean();
        assert!((mean - low - half).abs() < 1e-3 && (high - mean - half).abs() < 1e-3);
        let few = |unequal: u32| (0..12).map(move |at| f64::from(u8::from(at < unequal)));
        assert_eq!(few(2).collect::<Paired>().interval(), None);
    }
}
