//! Paired comparison of two bots: differences on deals, and their test.

use crate::evidence::Evidence;
use crate::histogram::Histogram;
use crate::{normal, student};

/// Maximum number of nonzero differences for which the test enumerates all signs; a t test is used for more.
const MAX_SIGNS: u64 = 16;

/// Differences of two bots on deals.
#[derive(Clone, Debug, Default)]
pub struct Paired {
    pub(crate) differences: Histogram,
    /// Evidence from the differences bet on, valid at any number of looks.
    pub(crate) evidence: Evidence,
}

impl Paired {
    /// Adds the difference on another deal.
    pub fn add(&mut self, difference: f64) {
        self.differences.add(difference);
    }

    /// Adds the difference on a deal to the evidence, which is valid at any number of looks; deals must be added in order, without
    /// gaps.
    pub fn bet(&mut self, difference: f64) {
        self.evidence.add(difference);
    }

    /// Returns the statistic of the paired t test (Student 1908); `None` with fewer than two deals, or if all differences are
    /// equal.
    pub fn t(&self) -> Option<f64> {
        let variance = self
            .differences
            .variance()
            .filter(|variance| *variance > 0.0)?;
        Some(self.differences.mean() / (variance / self.differences.count() as f64).sqrt())
    }

    /// Returns the two-sided p-value of the hypothesis that each difference could equally have had the other sign; `None` without
    /// deals.
    ///
    /// With up to 16 nonzero differences it is the share of all sign patterns whose sum is as far from 0 (Fisher 1935, "The Design
    /// of Experiments", section 21), which is exact even for points with few distinct values; the minimum for D deals is 2^(1 −
    /// D). With more it is the larger p-value of the t test, which is too small if all differences have the same size, and of an
    /// expansion of the share of sign patterns.
    pub fn p(&self) -> Option<f64> {
        let cells = || {
            self.differences
                .cells()
                .iter()
                .filter(|(difference, _)| *difference != 0.0)
        };
        let (count, unequal) = (
            self.differences.count(),
            cells().map(|(_, count)| count).sum::<u64>(),
        );
        let all = || {
            cells()
                .flat_map(|(difference, count)| std::iter::repeat_n(*difference, *count as usize))
        };
        match self.t() {
            _ if count == 0 => None,
            _ if unequal <= MAX_SIGNS => Some(by_signs(&all().collect::<Vec<_>>())),
            Some(t) => Some(student::two_sided(t, count as f64 - 1.0).max(self.by_expansion())),
            None => Some(least_p(count)),
        }
    }

    /// Approximates the share of sign patterns whose sum is as far from 0, by Edgeworth's expansion to the fourth moment: with
    /// random signs the sum has a variance of Σd² and an excess of −2 Σd⁴ / (Σd²)². Points are integers, so sums come in steps;
    /// half a step, the smallest difference, is subtracted as a continuity correction.
    fn by_expansion(&self) -> f64 {
        let sizes = self
            .differences
            .cells()
            .iter()
            .map(|(difference, _)| difference.abs());
        let least = sizes
            .filter(|size| *size > 0.0)
            .fold(f64::INFINITY, f64::min);
        let [sum, squares, fourths] =
            [1, 2, 4].map(|power| self.differences.sum(|difference| difference.powi(power)));
        let z = (sum.abs() - least).max(0.0) / squares.sqrt();
        let excess = -2.0 * fourths / squares.powi(2);
        let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let tail = normal::cdf(-z) + density * excess / 24.0 * (z.powi(3) - 3.0 * z);
        (2.0 * tail).clamp(0.0, 1.0)
    }
}

/// Returns the minimum p-value for this many deals: that of differences which all have the same sign.
fn least_p(deals: u64) -> f64 {
    2.0 * 0.5_f64.powf(deals as f64)
}

/// Returns the share of sign patterns whose sum is at least this large; consecutive patterns differ in one sign (Gray code).
fn by_signs(differences: &[f64]) -> f64 {
    let seen: f64 = differences.iter().sum::<f64>().abs();
    let size: f64 = differences.iter().map(|one| one.abs()).sum();
    let enough = seen - 1e-9 * size;
    let mut sum = size;
    let mut as_far = u32::from(sum >= enough);
    let all = 1_u32 << differences.len();
    let mut minus = 0_u32;
    for step in 1..all {
        let turned = step.trailing_zeros();
        minus ^= 1 << turned;
        let change = 2.0 * differences[turned as usize].abs();
        sum += if minus & 1 << turned == 0 {
            change
        } else {
            -change
        };
        as_far += u32::from(sum.abs() >= enough);
    }
    f64::from(as_far) / f64::from(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(differences: &[f64]) -> Paired {
        let mut paired = Paired::default();
        differences.iter().for_each(|one| paired.add(*one));
        paired
    }

    #[test]
    fn few_differences_go_through_all_signs() {
        // By hand: of 8 sign patterns of 1, 2, 4, only +++ and --- reach 7; 8 of 8 reach 1.
        assert_eq!(paired(&[1.0, 2.0, 4.0]).p(), Some(0.25));
        assert_eq!(paired(&[1.0, 2.0, -4.0]).p(), Some(1.0));
        assert_eq!(paired(&[1.0, 0.0, 2.0, 0.0, -4.0, 0.0]).p(), Some(1.0));
        assert_eq!(paired(&[0.1, 0.1, 0.1, -0.1]).p(), Some(0.625));
        assert_eq!(paired(&[3.0; 5]).p(), Some(0.0625));
        assert_eq!((paired(&[]).p(), paired(&[0.0; 40]).p()), (None, Some(1.0)));
        assert_eq!(least_p(5), 0.0625);
    }

    /// Counted with Python's `itertools.product` over all 2^10 signs of the ten that are not 0.
    #[test]
    fn p_values_are_those_counted_elsewhere() {
        let student = paired(&[
            3.0, -1.0, 2.0, 0.0, 4.0, -2.0, 1.0, 3.0, 0.0, 2.0, -1.0, 1.0,
        ]);
        assert!((student.t().unwrap() - 1.863_782).abs() < 1e-6);
        assert_eq!(student.p(), Some(126.0 / 1024.0));
    }

    #[test]
    fn many_differences_have_a_p_value_near_that_of_all_signs() {
        // Sizes from 0.2 to 5, so that sums over 2^20 sign patterns can still be enumerated.
        let uneven: Vec<f64> = (1..=20)
            .map(|i| f64::from(i % 5 * i % 7) / 3.0 + if i % 4 == 0 { -2.0 } else { 0.4 })
            .collect();
        for differences in [
            uneven,
            (1..=20)
                .map(|i| if i % 4 == 0 { -1.0 } else { 1.0 })
                .collect(),
        ] {
            let (paired, exact) = (paired(&differences), by_signs(&differences));
            let student = student::two_sided(paired.t().unwrap(), 19.0);
            let found = paired.p().unwrap();
            assert!(
                found >= student && (0.8..1.25).contains(&(found / exact)),
                "{found} {exact} {student}"
            );
        }
        let alike = super::tests::paired(&[2.0; 40]);
        assert!(alike.t().is_none() && alike.p().is_some_and(|p| p > 0.0 && p < 1e-11));
    }
}
