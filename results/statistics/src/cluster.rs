//! The mean of a quantity over matches in clusters of unequal size, with its standard error, computed from exact integer sums.
//!
//! Matches of the same deal are not independent of each other, but deals are. With x_i the total of deal i and m_i the number of its
//! matches, the mean is r = Σx / Σm, and its variance is estimated by
//!
//! ```text
//! n / (n − 1) · Σ (x_i − r m_i)² / (Σ m)²
//! ```
//!
//! over n deals (Cochran 1977, "Sampling Techniques", chapter 6, ratio of means; Liang and Zeger 1986 for clusters). If all m_i are equal,
//! this is the usual variance of the mean of x_i / m.

use std::collections::BTreeMap;

use arena_tournament::deals::Scored;

/// The sums of one quantity over deals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// Number of deals by number of matches and total of a deal.
    counts: BTreeMap<(u32, i64), u64>,
}

/// The sum of one quantity over some matches of a deal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnDeal {
    /// Number of matches.
    pub matches: u32,
    /// Sum over the matches.
    pub total: i64,
}

impl OnDeal {
    /// Adds a match.
    pub fn add(&mut self, value: i64) {
        self.matches += 1;
        self.total += value;
    }

    /// Adds other matches of the same deal.
    pub fn join(&mut self, other: &OnDeal) {
        self.matches += other.matches;
        self.total += other.total;
    }
}

/// Returns the half-points of the first bot of each pair that met in these matches, except in duels that both forfeited.
pub(crate) fn half_points<'a>(
    matches: impl IntoIterator<Item = &'a Scored>,
) -> BTreeMap<[usize; 2], OnDeal> {
    let mut pairs: BTreeMap<[usize; 2], OnDeal> = BTreeMap::new();
    for duel in matches.into_iter().flat_map(Scored::duels) {
        if let Some(halves) = duel.versus().halves() {
            pairs.entry(duel.bots).or_default().add(halves.into());
        }
    }
    pairs
}

impl Cluster {
    /// Adds a deal; ignores deals without matches.
    pub fn add(&mut self, deal: &OnDeal) {
        if deal.matches == 0 {
            return;
        }
        *self.counts.entry((deal.matches, deal.total)).or_default() += 1;
    }

    /// Returns the distinct pairs of a number of matches and a total, each with the number of deals that have them.
    pub fn counts(&self) -> impl Iterator<Item = (u32, i64, u64)> {
        self.counts
            .iter()
            .map(|((matches, total), count)| (*matches, *total, *count))
    }

    /// Returns the number of deals.
    pub fn deals(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns the mean number of matches per deal; 0 without deals.
    pub fn matches_per_deal(&self) -> f64 {
        let [matches, _] = self.sums();
        matches as f64 / self.deals().max(1) as f64
    }

    /// Returns the mean per match; `None` without deals.
    pub fn mean(&self) -> Option<f64> {
        let [matches, total] = self.sums();
        (matches > 0).then(|| total as f64 / matches as f64)
    }

    /// Returns the variance of the mean, with deals as units; `None` with fewer than two deals. It is computed in integers, so that it is
    /// exactly 0 if all deals have the same mean.
    pub fn variance(&self) -> Option<f64> {
        let ([matches, total], deals) = (self.sums(), self.deals() as f64);
        let residual =
            |here: u32, sum: i64| (i128::from(sum) * matches - total * i128::from(here)) as f64;
        let squares = self
            .counts()
            .map(|(here, sum, count)| residual(here, sum).powi(2) * count as f64);
        (deals > 1.0)
            .then(|| deals / (deals - 1.0) * squares.sum::<f64>() / (matches as f64).powi(4))
    }

    /// Returns the number of matches on all deals, and their total.
    fn sums(&self) -> [i128; 2] {
        self.counts()
            .fold([0; 2], |[matches, total], (here, sum, count)| {
                [
                    matches + i128::from(here) * i128::from(count),
                    total + i128::from(sum) * i128::from(count),
                ]
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(deals: &[&[i64]]) -> Cluster {
        let mut cluster = Cluster::default();
        for matches in deals {
            let mut deal = OnDeal::default();
            matches.iter().for_each(|value| deal.add(*value));
            cluster.add(&deal);
        }
        cluster
    }

    fn near(found: Option<f64>, expected: f64) {
        assert!(
            found.is_some_and(|found| (found - expected).abs() < 1e-12),
            "{found:?}, not {expected}"
        );
    }

    #[test]
    fn with_equal_sizes_it_is_the_mean_of_the_means() {
        let sums = cluster(&[&[3, 1], &[5, 5], &[1, 0], &[]]);
        assert_eq!((sums.deals(), sums.matches_per_deal()), (3, 2.0));
        near(sums.mean(), 2.5);
        // Means 2, 5, 0.5; squared deviations 0.25, 6.25, 4; variance 5.25, of the mean 1.75.
        near(sums.variance(), 1.75);
    }

    #[test]
    fn with_unequal_sizes_it_is_the_ratio() {
        let sums = cluster(&[&[4], &[1, 3], &[2, 2, 3]]);
        near(sums.mean(), 2.5);
        // Residuals 4 − 2.5, 4 − 5, 7 − 7.5: squares 2.25 + 1 + 0.25; 3/2 · 3.5 / 36.
        near(sums.variance(), 1.5 * 3.5 / 36.0);
    }

    #[test]
    fn equal_deals_have_no_variance_and_few_have_none_known() {
        assert_eq!(
            cluster(&[&[7, 1], &[1, 7], &[4, 4, 4]]).variance(),
            Some(0.0)
        );
        assert_eq!(
            (cluster(&[&[7]]).variance(), cluster(&[]).mean()),
            (None, None)
        );
    }

    #[test]
    fn sums_too_large_for_integers_are_rounded() {
        let huge: Vec<i64> = (0..1000)
            .map(|i| (i64::from(i32::MAX) - i) * 1_000_000)
            .collect();
        let sums = cluster(&[huge.as_slice(); 3]);
        assert!(
            sums.variance()
                .is_some_and(|variance| variance.is_finite() && variance < 1e20)
        );
    }
}
