//! Wilson's interval of a proportion.

use crate::normal::Z;

/// Returns the 95 % interval of a proportion, given `count` successes in `trials` trials; `None` without trials.
///
/// This is the score interval of Wilson 1927, "Probable inference, the law of succession, and statistical inference", Journal of the
/// American Statistical Association 22. It contains the proportions that the normal approximation, with *their own* variance, does not
/// reject. It stays within 0 … 1 and does not degenerate at the ends.
pub fn interval(count: u64, trials: u64) -> Option<[f64; 2]> {
    if trials == 0 {
        return None;
    }
    let (trials, missed, count) = (
        trials as f64,
        trials.saturating_sub(count) as f64,
        count.min(trials) as f64,
    );
    let whole = trials + Z * Z;
    let half = Z * (count * missed / trials + Z * Z / 4.0).sqrt();
    // Avoid rounding errors, so that 0 and all successes give exactly 0 and 1.
    let low = if count == 0.0 {
        0.0
    } else {
        (count + Z * Z / 2.0 - half) / whole
    };
    let high = if missed == 0.0 {
        1.0
    } else {
        (count + Z * Z / 2.0 + half) / whole
    };
    Some([low.clamp(0.0, 1.0), high.clamp(0.0, 1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with `binomtest(count, trials).proportion_ci(method="wilson")` of scipy 1.17.
    #[test]
    fn intervals_are_those_of_scipy() {
        let table = [
            (0, 20, [0.0, 0.161_125_158_052_819_35]),
            (20, 20, [0.838_874_841_947_180_8, 1.0]),
            (1, 10, [0.017_876_213_095_072_896, 0.404_150_026_795_238_5]),
            (7, 50, [0.069_508_334_270_162_92, 0.261_861_937_105_855_37]),
            (
                500,
                1000,
                [0.469_069_600_368_104_2, 0.530_930_399_631_895_8],
            ),
            (1, 1, [0.206_549_314_377_237_45, 1.0]),
        ];
        for (count, trials, expected) in table {
            let found = interval(count, trials).unwrap();
            let near = |end: usize| (found[end] - expected[end]).abs() < 1e-14;
            assert!(near(0) && near(1), "{found:?} for {count} of {trials}");
        }
        assert_eq!(interval(0, 0), None);
    }
}
