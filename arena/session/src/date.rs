//! Today's date.

use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS: u64 = 24 * 60 * 60;

/// The day it is in UTC, such as `2026-11-22`.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    written(since.as_secs() / SECONDS)
}

/// The date so many days after 1970-01-01.
fn written(days: u64) -> String {
    let (mut year, mut days) = (1970, days);
    while days >= length_of(year) {
        days -= length_of(year);
        year += 1;
    }
    let february = length_of(year) - 337;
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// The days of a year (Gregorian calendar).
fn length_of(year: u64) -> u64 {
    let leaps = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    if leaps { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn days_have_their_dates() {
        let all = [0, 58, 59, 789, 11_016, 20_779, 47_540].map(written);
        let dates = ["1970-01-01", "1970-02-28", "1970-03-01", "1972-02-29", "2000-02-29", "2026-11-22", "2100-02-28"];
        assert_eq!(all, dates);
    }
}
