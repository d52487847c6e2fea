//! Histograms of numbers, by their logarithm or one by one, with quantiles.

use std::collections::BTreeMap;

/// A histogram of whole numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Histogram {
    counts: BTreeMap<i32, u64>,
    /// The number of all values.
    pub(super) total: u64,
}

impl Histogram {
    pub(super) fn add(&mut self, number: i32) {
        *self.counts.entry(number).or_default() += 1;
        self.total += 1;
    }

    /// Each number that came, in order, and how often.
    pub(super) fn counts(&self) -> impl Iterator<Item = (i32, u64)> + '_ {
        self.counts.iter().map(|(number, count)| (*number, *count))
    }

    /// The least number that a share of all does not exceed (type 1 of Hyndman and Fan 1996); none without any.
    pub(super) fn quantile(&self, share: f64) -> Option<i32> {
        let wanted = ((share * self.total as f64).ceil() as u64).max(1);
        let mut seen = 0;
        self.counts.iter().find_map(|(number, count)| {
            seen += count;
            (seen >= wanted).then_some(*number)
        })
    }
}

/// A histogram of positive numbers, in bins of two per cent.
#[derive(Clone, Debug, Default)]
pub(super) struct LogHistogram {
    pub(super) bins: Histogram,
    /// The greatest number.
    pub(super) most: u64,
}

/// The ratio of the ends of a bin.
const BIN: f64 = 1.02;

impl LogHistogram {
    pub(super) fn add(&mut self, number: u64) {
        self.bins.add(((number.max(1) as f64).ln() / BIN.ln()).floor() as i32);
        self.most = self.most.max(number);
    }

    /// The middle of the bin of a quantile, at most the greatest number; none without any.
    pub(super) fn quantile(&self, share: f64) -> Option<f64> {
        self.bins.quantile(share).map(|bin| BIN.powf(f64::from(bin) + 0.5).min(self.most.max(1) as f64))
    }

    /// The middle of the bin of the median; 0 without any.
    pub(super) fn median(&self) -> f64 {
        self.quantile(0.5).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_numbers() {
        let (mut exact, mut log) = (Histogram::default(), LogHistogram::default());
        assert_eq!((exact.quantile(0.5), log.quantile(0.5)), (None, None));
        for number in (1..=1000).rev() {
            exact.add(number);
            log.add(number as u64);
        }
        for (share, expected) in [(0.0, 1), (0.05, 50), (0.5, 500), (0.95, 950), (1.0, 1000)] {
            assert_eq!(exact.quantile(share), Some(expected));
            let near = log.quantile(share).unwrap() / f64::from(expected);
            assert!((0.98..=1.02).contains(&near), "{share}: {near}");
        }
        assert_eq!((exact.total, log.bins.total, log.most), (1000, 1000, 1000));
        assert_eq!(exact.counts().count(), 1000);
    }
}
