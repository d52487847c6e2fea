//! Student's t-distribution: quantiles, and the p-value of a test.

use statrs::function::beta::beta_reg;

use crate::normal;

/// Degrees of freedom from which the approximation by the normal distribution is more accurate than the library's continued fraction.
const MANY_DEGREES: f64 = 1000.0;

/// Returns the probability that a Student variable with these degrees of freedom (at least 1) has an absolute value of at least `t`: the
/// p-value of a two-sided t test, in 0 … 1. For many degrees of freedom, it uses the transformation of Hill 1970, "Algorithm 395: Student's
/// t-distribution", Communications of the ACM 13.
pub fn two_sided(t: f64, degrees: f64) -> f64 {
    let degrees = degrees.max(1.0);
    if degrees < MANY_DEGREES {
        return beta_reg(degrees / 2.0, 0.5, degrees / (degrees + t * t)).clamp(0.0, 1.0);
    }
    let a = degrees - 0.5;
    let b = 48.0 * a * a;
    let z = (a * (t * t / degrees).ln_1p()).sqrt();
    let fourth = 4.0 * z.powi(7) + 33.0 * z.powi(5) + 240.0 * z.powi(3) + 855.0 * z;
    let z = z + (z.powi(3) + 3.0 * z) / b - fourth / (10.0 * b * (b + 0.8 * z.powi(4) + 100.0));
    2.0 * normal::cdf(-z)
}

/// Returns the quantile of a Student variable with these degrees of freedom (at least 1) for this probability, clamped
/// to 1e-6 … 1 - 1e-6.
pub fn quantile(chance: f64, degrees: f64) -> f64 {
    let chance = chance.clamp(1e-6, 1.0 - 1e-6);
    if chance < 0.5 {
        return -quantile(1.0 - chance, degrees);
    }
    let (mut low, mut high) = (0.0, 1e6);
    while high - low > 1e-14 * high {
        let middle = f64::midpoint(low, high);
        if two_sided(middle, degrees) / 2.0 > 1.0 - chance {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Returns the 0.975 quantile with these degrees of freedom: half the width of a 95 % t interval, in standard errors.
pub fn half_width(degrees: f64) -> f64 {
    quantile(0.975, degrees)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with quantiles computed with scipy 1.17.
    #[test]
    fn quantiles_are_those_of_scipy() {
        let table = [
            (1.0, 12.706_204_736_174_694),
            (2.0, 4.302_652_729_749_462),
            (3.0, 3.182_446_305_283_707_8),
            (5.0, 2.570_581_835_636_314_6),
            (9.0, 2.262_157_162_798_205),
            (11.0, 2.200_985_160_091_639),
            (30.0, 2.042_272_456_301_237_8),
            (100.0, 1.983_971_518_523_551_8),
            (199.0, 1.971_956_544_251_753_3),
            (201.0, 1.971_836_506_779_859),
            (500.0, 1.964_719_837_467_367_6),
            (1_000.0, 1.962_339_080_826_408_3),
            (12_345.0, 1.960_156_167_600_566_8),
            (1e6, 1.959_966_356_814_107),
            (1e9, 1.959_963_986_912_325),
        ];
        for (degrees, expected) in table {
            let found = half_width(degrees);
            assert!((found - expected).abs() < 1e-9, "{found} for {degrees}");
        }
        assert!((quantile(0.6, 7.0) - 0.263_166_86).abs() < 1e-7);
        assert!((quantile(0.0005, 7.0) + 5.407_882_52).abs() < 1e-7);
        assert_eq!(quantile(0.5, 3.0), 0.0);
    }

    /// Compares with p-values computed with scipy 1.17, for t = 0.5, 1.863782, 6 and 40.
    #[test]
    fn p_values_are_those_of_scipy() {
        let table = [
            (
                1.0,
                [
                    0.704_832_764_699_133_5,
                    0.313_505_450_375_263_34,
                    0.105_136_913_422_506_88,
                    0.015_912_179_824_051_624,
                ],
            ),
            (
                3.0,
                [
                    0.651_447_964_848_151,
                    0.159_231_602_045_227_3,
                    0.009_272_714_892_284_666,
                    3.438_068_078_915_850_6e-5,
                ],
            ),
            (
                11.0,
                [
                    0.626_926_219_183_846_8,
                    0.089_244_063_141_751_01,
                    8.926_129_204_069_131e-5,
                    2.892_540_898_120_57e-13,
                ],
            ),
            (
                200.0,
                [
                    0.617_624_752_316_460_9,
                    0.063_817_942_654_802_63,
                    9.115_120_348_810_346e-9,
                    2.248_739_653_520_219_7e-97,
                ],
            ),
            (
                500.0,
                [
                    0.617_295_050_094_665_7,
                    0.062_938_242_643_138_74,
                    3.790_442_338_479_296e-9,
                    6.290_642_918_258_103e-158,
                ],
            ),
            (
                1e3,
                [
                    0.617_185_080_833_874_7,
                    0.062_645_227_479_240_94,
                    2.755_369_173_377_475_2e-9,
                    1.047_885_215_517_327_2e-209,
                ],
            ),
            (
                1e6,
                [
                    0.617_075_187_472_371_4,
                    0.062_352_617_351_966_115,
                    1.973_849_812_354_43e-9,
                    0.0,
                ],
            ),
            (
                1e9,
                [
                    0.617_075_077_561_994_3,
                    0.062_352_324_798_503_46,
                    1.973_175_964_498_481_3e-9,
                    0.0,
                ],
            ),
        ];
        for (degrees, expected) in table {
            for (t, expected) in [0.5, 1.863_782, 6.0, 40.0].into_iter().zip(expected) {
                let found = two_sided(t, degrees);
                assert!(
                    (found - expected).abs() <= 1e-6 * expected,
                    "{found:e} for {t}, {degrees}: {expected:e}"
                );
                assert_eq!(found, two_sided(-t, degrees));
            }
        }
    }

    #[test]
    fn the_quantile_undoes_the_p_value() {
        for degrees in [1.0, 2.0, 4.0, 17.0, 250.0, 999.0, 1000.0, 4e5] {
            let found = two_sided(half_width(degrees), degrees);
            assert!((found - 0.05).abs() < 1e-11, "{found} for {degrees}");
        }
    }
}
