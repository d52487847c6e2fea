//! How many deals are given to a worker at a time, and for how long it may have them, by how long matches take.

use std::time::Duration;

/// The number of deals of a unit until it is known how long matches take.
const FIRST: u32 = 4;
/// How long the matches of one of a deal's tables take on all deals of a unit: so much longer than the start of a program that those do
/// not count.
const LONG: Duration = Duration::from_secs(4);
/// The fewest deals of a unit, unless there are no more.
const FEWEST: u32 = 4;
/// The number of units that there are at the end for each match that can be played at a time, so that all end at about the same time.
const SHARES: usize = 2;
/// The least time that a worker may have a unit.
const LEAST: Duration = Duration::from_secs(600);
/// How many times as long as usual it may take for a unit.
const TIMES: u32 = 20;
/// How long a match may take until it is known how long they take.
const SLOW: Duration = Duration::from_secs(60);

/// How long matches take.
#[derive(Default)]
pub struct Pace {
    matches: u32,
    micros: u64,
}

impl Pace {
    /// A match took that long.
    pub fn took(&mut self, micros: u64) {
        self.matches = self.matches.saturating_add(1);
        self.micros = self.micros.saturating_add(micros);
    }

    /// True once it is known how long matches take.
    pub fn is_known(&self) -> bool {
        self.matches > 0
    }

    /// How long a match takes on average.
    fn mean(&self) -> Option<Duration> {
        Some(Duration::from_micros(
            self.micros.checked_div(self.matches.into())?,
        ))
    }

    /// The number of deals of the next unit, by how many are left and how many matches can be played at a time.
    pub fn deals(&self, left: u32, jobs: usize) -> u32 {
        let Some(mean) = self.mean() else {
            return FIRST;
        };
        let by_time = LONG.as_micros() / mean.as_micros().max(1);
        let share = u128::from(left) / (SHARES * jobs.max(1)) as u128;
        by_time
            .min(share)
            .try_into()
            .unwrap_or(u32::MAX)
            .max(FEWEST)
    }

    /// How long a worker may have a unit of this number of matches.
    pub fn limit(&self, matches: usize) -> Duration {
        let each = self.mean().map_or(SLOW, |mean| mean * TIMES);
        each.saturating_mul(matches.try_into().unwrap_or(u32::MAX))
            .max(LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matches of this number of milliseconds.
    fn pace(millis: u64) -> Pace {
        let mut pace = Pace::default();
        (0..3).for_each(|_| pace.took(millis * 1_000));
        pace
    }

    #[test]
    fn the_longer_matches_take_the_fewer_deals_go_out_at_a_time() {
        assert_eq!(Pace::default().deals(1_000_000, 2), FIRST);
        assert_eq!(
            [20, 200, 20_000].map(|millis| pace(millis).deals(1_000_000, 2)),
            [200, 20, FEWEST]
        );
        assert_eq!(
            [1_000, 100, 0].map(|left| pace(20).deals(left, 2)),
            [200, 25, FEWEST]
        );
        assert_eq!(pace(0).deals(1_000, 0), 500);
    }

    #[test]
    fn slow_matches_have_their_time() {
        assert_eq!(Pace::default().limit(1), LEAST);
        assert_eq!(Pace::default().limit(100), Duration::from_secs(6_000));
        assert_eq!(pace(20).limit(400), LEAST);
        assert_eq!(pace(30_000).limit(40), Duration::from_secs(24_000));
    }
}
