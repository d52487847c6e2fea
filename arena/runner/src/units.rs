//! Durations as whole numbers, and rates for people.

use std::time::Duration;

/// Returns whole microseconds.
pub fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Returns whole milliseconds.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Formats a rate with at least two digits. Rates below one per second are given per minute or per hour: `1234 matches/s`, `3.2 matches/s`,
/// `12 matches/min`, `40 matches/h`.
pub fn rate(per_second: f64, of: &str) -> String {
    let [per_minute, per_hour] = [60.0 * per_second, 3600.0 * per_second];
    match per_second {
        10.0.. => format!("{per_second:.0} {of}/s"),
        1.0.. => format!("{per_second:.1} {of}/s"),
        _ if per_minute >= 1.0 => format!("{per_minute:.0} {of}/min"),
        _ => format!("{per_hour:.0} {of}/h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_a_unit_in_which_they_are_not_0() {
        let shown =
            [1234.4, 10.0, 3.21, 0.2, 0.011, 0.0].map(|per_second| rate(per_second, "turns"));
        assert_eq!(
            shown,
            [
                "1234 turns/s",
                "10 turns/s",
                "3.2 turns/s",
                "12 turns/min",
                "40 turns/h",
                "0 turns/h"
            ]
        );
    }
}
