//! Whether one bot does better than another one, deal by deal: the differences on deals and their test.

use crate::stats::moments::Moments;
use crate::stats::student;

/// Up to so many differences other than 0, the test goes through all their signs; t serves for more.
const MOST_SIGNS: usize = 16;

/// The differences of two bots on deals, in order of the deals.
#[derive(Clone, Debug, Default)]
pub struct Paired {
    moments: Moments,
    /// The first differences other than 0, one more than signs are gone through for.
    unequal: Vec<f64>,
}

impl Paired {
    /// Takes in the difference on another deal.
    pub fn add(&mut self, difference: f64) {
        self.moments.add(difference);
        if difference != 0.0 && self.unequal.len() <= MOST_SIGNS {
            self.unequal.push(difference);
        }
    }

    /// The moments of the differences.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// The statistic of the paired t test (Student 1908); none for fewer than two deals, and where all are equal.
    pub fn t(&self) -> Option<f64> {
        let variance = self.moments.variance().filter(|variance| *variance > 0.0)?;
        Some(self.moments.mean() / (variance / self.moments.count() as f64).sqrt())
    }

    /// The two-sided p value of "either bot could as well have been the other", without a deal none.
    ///
    /// Were that so, each difference would have come with the other sign as often. With up to 16 differences other than 0
    /// it is the share of all their signs that give a sum as far from 0 (Fisher 1935, "The Design of Experiments", section
    /// 21), which is exact also for points of few values; so the least p of D deals is 2^(1 − D). With more it is that of the
    /// t test.
    pub fn p(&self) -> Option<f64> {
        match self.t() {
            _ if self.moments.count() == 0 => None,
            Some(t) if self.unequal.len() > MOST_SIGNS => {
                Some(student::two_sided(t, self.moments.count() as f64 - 1.0))
            }
            None if self.unequal.len() > MOST_SIGNS => Some(2.0 * 0.5_f64.powf(self.moments.count() as f64)),
            _ => Some(by_signs(&self.unequal)),
        }
    }

    /// The least p value that so many deals can have: that of all differences to one side.
    pub fn least_p(deals: u64) -> f64 {
        2.0 * 0.5_f64.powf(deals as f64)
    }
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
        sum += if minus & 1 << turned == 0 { change } else { -change };
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
        assert_eq!(Paired::least_p(5), 0.0625);
    }

    /// Counted with Python's `itertools.product` over all 2^10 signs of the ten that are not 0.
    #[test]
    fn p_values_are_those_counted_elsewhere() {
        let student = paired(&[3.0, -1.0, 2.0, 0.0, 4.0, -2.0, 1.0, 3.0, 0.0, 2.0, -1.0, 1.0]);
        assert!((student.t().unwrap() - 1.863_782).abs() < 1e-6);
        assert_eq!(student.p(), Some(126.0 / 1024.0));
    }

    #[test]
    fn many_differences_have_the_t_test() {
        let many: Vec<f64> = (0..60).map(|i| f64::from(i % 7) - 2.5).collect();
        let paired = paired(&many);
        assert_eq!(paired.p(), Some(student::two_sided(paired.t().unwrap(), 59.0)));
        let alike = super::tests::paired(&[2.0; 40]);
        assert!(alike.t().is_none() && alike.p().is_some_and(|p| p > 0.0 && p < 1e-11));
    }
}
