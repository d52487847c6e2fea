//! The normal distribution: distribution function and quantiles.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::erf::erfc;

/// The 0.975 quantile: half the width of a 95 % interval, in standard deviations.
pub const Z: f64 = 1.959_963_984_540_054;

/// Returns the probability that a standard normal variable is below `x`.
pub fn cdf(x: f64) -> f64 {
    0.5 * erfc(-x / std::f64::consts::SQRT_2)
}

/// Returns the quantile of the standard normal distribution for this probability, clamped to 1e-300 … 1 -
/// 1e-16.
pub fn quantile(chance: f64) -> f64 {
    let chance = chance.clamp(1e-300, 1.0 - 1e-16);
    if chance > 0.5 {
        return -quantile(1.0 - chance);
    }
    Normal::standard().inverse_cdf(chance).max(-40.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with values computed with scipy 1.17.
    #[test]
    fn the_function_is_that_of_scipy() {
        let table = [
            (-10.0, 7.619_853_024_160_47e-24),
            (-1.0, 0.158_655_253_931_457_07),
            (0.5, 0.691_462_461_274_013_1),
            (2.0, 0.977_249_868_051_820_8),
        ];
        for (x, chance) in table {
            assert!((cdf(x) / chance - 1.0).abs() < 1e-10, "{} at {x}", cdf(x));
        }
    }

    #[test]
    fn quantiles_are_those_of_scipy() {
        let table = [
            (1e-12, -7.034_483_825_301_131),
            (0.025, -Z),
            (0.3, -0.524_400_512_708_040_9),
            (0.5, 0.0),
            (0.975, Z),
        ];
        for (chance, expected) in table {
            assert!(
                (quantile(chance) - expected).abs() < 1e-11,
                "{} for {chance}",
                quantile(chance)
            );
        }
        assert!(quantile(0.0).is_finite() && quantile(1.0).is_finite());
    }
}
