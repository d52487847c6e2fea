//! Number of deals needed to tell two bots apart.
//!
//! Two bots can be told apart once the 95 % interval of their score ([`interval`](crate::interval)) excludes ½. If the score differs by δ
//! from ½, the probability of this is 80 % after
//!
//! ```text
//! D = [(2.80 σ + √(7.85 σ² + 3.2 δ)) / 2δ]²,    2.80 = z(0.975) + z(0.8)
//! ```
//!
//! deals, but at least 6. Here σ is the standard deviation of the score over deals. In a field, σ is that of the pair whose results vary
//! most between deals. The further the score of a pair is from ½, the less the pair tells; a pair in which one bot won everything counts as
//! not measured.

use crate::cluster::Cluster;
use crate::elo;

/// Minimum number of deals whose interval can exclude ½. With 6 deals all won, the lower bound is 0.025^(1/6), which is above ½.
const MIN_DEALS: u64 = 6;

/// Elo difference for which the number of deals is shown by default.
pub const USUAL_ELO: f64 = 50.0;

/// Returns the number of deals needed to tell two bots apart that differ by this many Elo (positive), given the half-points of all pairs of
/// their field by deal.
pub fn deals_to_tell<'a>(elo: f64, pairs: impl Iterator<Item = &'a Cluster>) -> u64 {
    let delta = elo::score(elo) - 0.5;
    let most = pairs.map(dispersion).fold(None, |most: Option<f64>, one| {
        Some(most.map_or(one, |most| most.max(one)))
    });
    let most = most.unwrap_or_else(|| dispersion(&Cluster::default()));
    let variance = most * (0.25 - delta * delta);
    let root = 2.80 * variance.sqrt() + (7.85 * variance + 3.2 * delta).sqrt();
    let deals = (root / (2.0 * delta)).powi(2).ceil() as u64;
    deals.max(MIN_DEALS)
}

/// Returns the variance of deal scores relative to that of a coin with the same mean, at most 1. With little data, the ratio is shrunk
/// towards 1, because a pair in which one bot won everything tells little.
fn dispersion(half_points: &Cluster) -> f64 {
    let deals = half_points.deals() as f64;
    let score = half_points.mean().unwrap_or_default() / 2.0;
    let information = 4.0 * deals * score * (1.0 - score);
    let squares = half_points
        .variance()
        .map_or(0.0, |variance| variance / 4.0 * deals * (deals - 1.0));
    let seen = 4.0 * deals * squares / (deals - 1.0).max(1.0) + 5.0;
    (seen / (information + 10.0) * (1.0 + (2.0 / (information + 10.0)).sqrt())).min(1.0)
}

/// Rounds a count to two significant digits, for people.
pub fn rounded(count: u64) -> u64 {
    let unit = count
        .checked_ilog10()
        .map_or(1, |digits| 10_u64.pow(digits.saturating_sub(1)));
    count.saturating_add(unit / 2) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::OnDeal;

    /// Returns deals of two matches with these half points.
    fn scores(half_points: &[i64]) -> Cluster {
        let mut sums = Cluster::default();
        half_points.iter().for_each(|total| {
            sums.add(&OnDeal {
                matches: 2,
                total: *total,
            });
        });
        sums
    }

    /// Compares with values computed with numpy.
    #[test]
    fn deals_to_tell_are_those_of_the_formula() {
        let pairs = [scores(&[4; 10]), scores(&[2, 3, 1, 4, 2, 0, 2, 3, 2, 2])];
        let deals = [20.0, 50.0, 100.0, 200.0].map(|elo| deals_to_tell(elo, pairs.iter()));
        assert_eq!(deals, [1767, 295, 78, 22]);
        assert_eq!(deals_to_tell(1000.0, pairs.iter()), 6);
    }

    #[test]
    fn without_a_result_the_spread_is_taken_for_large() {
        let none = deals_to_tell(50.0, std::iter::empty());
        assert_eq!(none, deals_to_tell(50.0, [Cluster::default()].iter()));
        assert!(none > deals_to_tell(50.0, [scores(&[2; 200])].iter()));
    }

    #[test]
    fn counts_are_rounded_to_two_digits() {
        let table = [
            (0, 0),
            (7, 7),
            (97, 97),
            (100, 100),
            (104, 100),
            (105, 110),
            (994, 990),
            (995, 1_000),
        ];
        for (count, shown) in table
            .into_iter()
            .chain([(3_166, 3_200), (1_000_000_000, 1_000_000_000)])
        {
            assert_eq!(rounded(count), shown, "{count}");
        }
        assert_eq!(rounded(u64::MAX), 18_000_000_000_000_000_000);
    }
}
