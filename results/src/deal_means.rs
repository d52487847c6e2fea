//! The error bar of a mean: a 95 % t interval over deals.
//!
//! Matches on the same deal are not independent, so the unit is the deal, never the match. Let x_1 … x_D be a bot's
//! mean points over its matches on each of the D finished deals. The interval is
//!
//! ```text
//! mean(x) ± t · sd(x) / √D,    sd² = Σ (x_i − mean)² / (D − 1),    t = the 0.975 quantile of Student's t, D − 1 degrees
//! ```
//!
//! and there is none for fewer than two deals, or if all came out alike. Sums are kept as integers: the result does not depend on the order in
//! which deals were finished, and takes no more room for a million of them.

use std::collections::BTreeMap;

use crate::stats::student;

/// The sums of a bot's means on finished deals.
#[derive(Clone, Debug, Default)]
pub struct DealMeans {
    /// The totals by the number of matches that the bot had on a deal, usually the same on all.
    by_matches: BTreeMap<u32, Totals>,
}

/// The points that a bot made on finished deals.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    deals: i128,
    points: i128,
    squares: i128,
}

impl DealMeans {
    /// Takes in a finished deal: the bot's points on it, and over how many matches.
    pub fn add(&mut self, matches: u32, points: i64) {
        if matches == 0 {
            return;
        }
        let totals = self.by_matches.entry(matches).or_default();
        totals.deals += 1;
        totals.points += i128::from(points);
        totals.squares += i128::from(points) * i128::from(points);
    }

    /// The number of deals that were taken in.
    pub fn deals(&self) -> u64 {
        self.by_matches.values().map(|totals| totals.deals as u64).sum()
    }

    /// The interval, from its lower to its upper end; none for fewer than two deals.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let deals = self.deals();
        if deals < 2 {
            return None;
        }
        let count = deals as f64;
        let mean =
            self.groups().map(|(matches, totals)| totals.deals as f64 * totals.mean(matches)).sum::<f64>() / count;
        let spread = |(matches, totals): (u32, &Totals)| {
            totals.spread(matches) + totals.deals as f64 * (totals.mean(matches) - mean).powi(2)
        };
        let variance = self.groups().map(spread).sum::<f64>() / (count - 1.0);
        // Deals that all came out alike do not tell how another would.
        if variance <= 0.0 {
            return None;
        }
        let half = student::half_width(count - 1.0) * (variance / count).sqrt();
        Some([mean - half, mean + half])
    }

    fn groups(&self) -> impl Iterator<Item = (u32, &Totals)> {
        self.by_matches.iter().map(|(matches, totals)| (*matches, totals))
    }
}

impl Totals {
    /// Mean points per match.
    fn mean(&self, matches: u32) -> f64 {
        self.points as f64 / (self.deals * i128::from(matches)) as f64
    }

    /// The sum of squared deviations of points per match from their mean.
    fn spread(&self, matches: u32) -> f64 {
        let scaled = self.deals * self.squares - self.points * self.points;
        scaled as f64 / (self.deals * i128::from(matches) * i128::from(matches)) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(deals: &[(u32, i64)], expected: Option<[f64; 2]>) {
        let mut means = DealMeans::default();
        deals.iter().for_each(|(matches, points)| means.add(*matches, *points));
        let interval = means.interval();
        match (interval, expected) {
            (Some([low, high]), Some([lowest, highest])) => {
                assert!((low - lowest).abs() < 1e-6 && (high - highest).abs() < 1e-6, "{low} {high} for {deals:?}");
            }
            _ => assert_eq!(interval, expected),
        }
    }

    #[test]
    fn intervals_are_those_computed_by_hand() {
        check(&[], None);
        check(&[(2, 10)], None);
        // Means 5, 6, 10: mean 7, sd² = (4 + 1 + 9) / 2 = 7, half = 4.3026527 · √(7 / 3) = 6.5724106.
        check(&[(2, 10), (2, 12), (2, 20)], Some([0.427_589_4, 13.572_410_6]));
        // The same means from unequal numbers of matches.
        check(&[(1, 5), (2, 12), (3, 30)], Some([0.427_589_4, 13.572_410_6]));
        check(&[(2, 7), (2, 7), (2, 7)], None);
    }

    #[test]
    fn order_changes_nothing() {
        let mut deals: Vec<(u32, i64)> = (0..100).map(|i| (4 + i % 3, i64::from(i * i % 37))).collect();
        let interval = |deals: &[(u32, i64)]| {
            let mut means = DealMeans::default();
            deals.iter().for_each(|(matches, points)| means.add(*matches, *points));
            means.interval()
        };
        let before = interval(&deals);
        deals.reverse();
        assert_eq!(before, interval(&deals));
    }
}
