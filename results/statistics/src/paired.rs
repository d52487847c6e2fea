//! Whether one bot does better than another one, deal by deal: the differences on deals and their test.

use crate::evidence::Evidence;
use crate::histogram::Histogram;
use crate::{normal, student};

/// Up to this many differences other than 0, the test goes through all their signs; t serves for more.
const MOST_SIGNS: u64 = 16;

/// The differences of two bots on deals.
#[derive(Clone, Debug, Default)]
pub struct Paired {
    pub(crate) differences: Histogram,
    /// The evidence of those that were bet on, which holds at any number of looks.
    pub(crate) evidence: Evidence,
}

impl Paired {
    /// Takes in the difference on another deal.
    pub fn add(&mut self, difference: f64) {
        self.differences.add(difference);
    }

    /// Lets the difference on a deal count at any number of looks; these deals must come in their order, without gaps.
    pub fn bet(&mut self, difference: f64) {
        self.evidence.add(difference);
    }

    /// The statistic of the paired t test (Student 1908); none for fewer than two deals, and where all are equal.
    pub fn t(&self) -> Option<f64> {
        let variance = self
            .differences
            .variance()
            .filter(|variance| *variance > 0.0)?;
        Some(self.differences.mean() / (variance / self.differences.count() as f64).sqrt())
    }

    /// The two-sided p value of "either bot could as well have been the other", without a deal none.
    ///
    /// Were that so, each difference would have come with the other sign as often. With up to 16 differences other than 0
    /// it is the share of all their signs that give a sum as far from 0 (Fisher 1935, "The Design of Experiments", section
    /// 21), which is exact also for points of few values; so the least p of D deals is 2^(1 − D). With more it is the greater one
    /// of that of the t test, which is too small where all differences are of one size, and of an expansion of the share of signs.
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
            _ if unequal <= MOST_SIGNS => Some(by_signs(&all().collect::<Vec<_>>())),
            Some(t) => Some(student::two_sided(t, count as f64 - 1.0).max(self.by_expansion())),
            None => Some(least_p(count)),
        }
    }

    /// The share of all signs that give a sum as far from 0, by Edgeworth's expansion to the fourth moment: with signs drawn at
    /// random the sum has a variance of Σd² and an excess of −2 Σd⁴ / (Σd²)². Points are whole numbers, so that sums come in
    /// steps; half of one, the least difference, is taken off.
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

/// The least p value that this many deals can have: that of all differences to one side.
fn least_p(deals: u64) -> f64 {
    2.0 * 0.5_f64.powf(deals as f64)
}

/// The share of signs that give a sum of at least this size; each next sum differs from the one before by one sign
/// (Gray's code).
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
        // By hand: of 8 signs of 1, 2, 4, only +++ and --- come to 7; 8 of 8 to 1 or more.
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
        // Sizes from 0.2 to 5, so that sums of 2^20 signs can still be gone through.
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
