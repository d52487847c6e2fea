//! The normal distribution: its function, also far out in the tail, and its quantiles.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::erf::erfc;

/// The 0.975 quantile: half a 95 % interval, in standard deviations.
pub const Z: f64 = 1.959_963_984_540_054;

/// The chance that a standard normal variable lies below `x`.
pub fn cdf(x: f64) -> f64 {
    0.5 * erfc(-x / std::f64::consts::SQRT_2)
}

/// The natural logarithm of [`cdf`], finite also where that is too small to be held; the asymptotic series there is
/// 26.2.12 of Abramowitz and Stegun 1964, "Handbook of Mathematical Functions".
pub fn ln_cdf(x: f64) -> f64 {
    if x > -30.0 {
        return cdf(x).ln();
    }
    let square = x.powi(-2);
    let series = -square + 3.0 * square.powi(2) - 15.0 * square.powi(3);
    -x * x / 2.0 - (-x).ln() - (2.0 * std::f64::consts::PI).sqrt().ln() + series.ln_1p()
}

/// The density at `x`.
pub fn density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// The value below which a standard normal variable lies with this chance, which is cut to 1e-300 … 1 - 1e-16.
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

    /// Computed with scipy 1.17.
    #[test]
    fn the_function_and_its_logarithm_are_those_of_scipy() {
        let table = [
            (-10.0, 7.619_853_024_160_47e-24, -53.231_285_151_512_48),
            (-3.0, 0.001_349_898_031_630_093_3, -6.607_726_221_510_35),
            (-1.0, 0.158_655_253_931_457_07, -1.841_021_645_009_263_4),
            (0.0, 0.5, -std::f64::consts::LN_2),
            (0.5, 0.691_462_461_274_013_1, -0.368_946_415_288_656_35),
            (2.0, 0.977_249_868_051_820_8, -0.023_012_909_328_963_476),
        ];
        for (x, chance, ln) in table {
            assert!((cdf(x) / chance - 1.0).abs() < 1e-10, "{} at {x}", cdf(x));
            assert!((ln_cdf(x) - ln).abs() < 1e-8, "{} at {x}", ln_cdf(x));
        }
        assert!((ln_cdf(-40.0) + 804.608_442_013_753_9).abs() < 1e-9);
        assert!((ln_cdf(-30.000_001) - ln_cdf(-29.999_999) + 6e-5).abs() < 1e-6, "the two branches meet");
    }

    #[test]
    fn quantiles_are_those_of_scipy() {
        let table =
            [(1e-12, -7.034_483_825_301_131), (0.025, -Z), (0.3, -0.524_400_512_708_040_9), (0.5, 0.0), (0.975, Z)];
        for (chance, expected) in table {
            assert!((quantile(chance) - expected).abs() < 1e-11, "{} for {chance}", quantile(chance));
        }
        assert!(quantile(0.0).is_finite() && quantile(1.0).is_finite());
    }
}
