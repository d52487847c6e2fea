//! The number of deals that are still needed to separate two bots.

/// The 0.975 quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;
/// More deals than this are as good as never.
const MOST: f64 = 1e9;

/// The number of further deals until the 95 % interval of a difference would just leave out 0, were the difference and the
/// spread of deals to stay as they are: the error falls as one over the root of the number of deals (Cohen 1988,
/// "Statistical power analysis for the behavioral sciences", for a power of one half). None if that is more than 10^9.
///
/// `error` is the standard error of the difference over `deals`.
pub fn more_deals(difference: f64, error: f64, deals: usize) -> Option<u64> {
    let needed = deals as f64 * (Z * error / difference).powi(2);
    (needed <= MOST).then(|| (needed.ceil() as u64).saturating_sub(deals as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_error_needs_four_times_the_deals() {
        assert_eq!(more_deals(Z, 1.0, 100), Some(0));
        assert_eq!(more_deals(Z / 2.0, 1.0, 100), Some(300));
        assert_eq!(more_deals(10.0, 1.0, 100), Some(0));
        assert_eq!(more_deals(0.0, 1.0, 100), None);
        assert_eq!(more_deals(0.0, 0.0, 100), None);
        assert_eq!(more_deals(1e-9, 1.0, 100), None);
    }
}
