//! Chooses the number of deals per unit by the duration of matches.

/// Number of deals per unit before the duration of matches is known.
const INITIAL_DEALS: u32 = 4;
/// Target duration of a unit with one match per deal, in microseconds. It is long enough to make program starts negligible.
const UNIT_MICROS: u64 = 4_000_000;
/// Minimum number of deals per unit, unless fewer are left.
const MIN_DEALS: u32 = 4;
/// Number of units per concurrent match near the end, so that all workers finish at about the same time.
const FINAL_UNITS_PER_JOB: usize = 2;

/// Mean duration of matches.
#[derive(Default)]
pub struct Pace {
    matches: u64,
    micros: u64,
}

impl Pace {
    /// Records the duration of a match.
    pub fn took(&mut self, micros: u64) {
        self.matches += 1;
        self.micros = self.micros.saturating_add(micros);
    }

    /// Returns true once the duration of matches is known.
    pub fn is_known(&self) -> bool {
        self.matches > 0
    }

    /// Returns the number of deals of the next unit, given the remaining deals and the number of concurrent matches.
    pub fn deals(&self, left: u32, jobs: usize) -> u32 {
        let Some(mean) = self.micros.checked_div(self.matches) else {
            return INITIAL_DEALS;
        };
        let by_time = UNIT_MICROS / mean.max(1);
        let share = u64::from(left) / (FINAL_UNITS_PER_JOB * jobs.max(1)) as u64;
        by_time
            .min(share)
            .try_into()
            .unwrap_or(u32::MAX)
            .max(MIN_DEALS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a pace with matches of this duration in milliseconds.
    fn pace(millis: u64) -> Pace {
        let mut pace = Pace::default();
        (0..3).for_each(|_| pace.took(millis * 1_000));
        pace
    }

    #[test]
    fn the_longer_matches_take_the_fewer_deals_go_out_at_a_time() {
        assert_eq!(Pace::default().deals(1_000_000, 2), INITIAL_DEALS);
        assert_eq!(
            [20, 200, 20_000].map(|millis| pace(millis).deals(1_000_000, 2)),
            [200, 20, MIN_DEALS]
        );
        assert_eq!(
            [1_000, 100, 0].map(|left| pace(20).deals(left, 2)),
            [200, 25, MIN_DEALS]
        );
        assert_eq!(pace(0).deals(1_000, 0), 500);
    }
}
