//! The number of deals that it takes to see a difference.

use crate::stats::normal;

/// The chance to see a difference that is there.
pub const POWER: f64 = 0.8;
/// More deals than this are as good as never.
const MOST: f64 = 1e9;

/// The number of deals after which a two-sided test at this level sees a difference of `delta` per deal with a chance of
/// [`POWER`], where deals have this standard deviation: ((z₁₋ₐ/₂ + z₀.₈) σ / δ)² (Cohen 1988, "Statistical power analysis for
/// the behavioral sciences"). None without a difference or a spread, and beyond 10^9.
pub fn deals_at(delta: f64, sigma: f64, level: f64) -> Option<u64> {
    let reach = normal::quantile(1.0 - level / 2.0) + normal::quantile(POWER);
    let deals = (reach * sigma / delta).powi(2).ceil();
    (sigma > 0.0 && deals <= MOST).then_some(deals as u64)
}

/// The number to two significant digits, as much as such a forecast is worth.
pub fn rounded(count: u64) -> u64 {
    let step = 10_u64.pow(count.checked_ilog10().unwrap_or(0).saturating_sub(1));
    (count + step / 2) / step * step
}
