//! Clock of a seat in one match.

use std::time::Duration;

use arena_protocol::message::Clock;
use arena_tournament::clock::TimeControl;

use crate::units::millis;

/// Remaining time of a seat in one match.
#[derive(Clone, Copy, Debug)]
pub struct SeatClock {
    control: TimeControl,
    bank: Option<Duration>,
    /// Time charged for the last answer.
    charged: Option<Duration>,
}

impl SeatClock {
    /// Creates a full clock.
    pub fn new(control: TimeControl) -> Self {
        Self {
            control,
            bank: control.bank_ms.map(Duration::from_millis),
            charged: None,
        }
    }

    /// Returns the limit for the next answer; `None` if unlimited.
    pub fn limit(&self) -> Option<Duration> {
        match (self.control.move_ms.map(Duration::from_millis), self.bank) {
            (Some(per_move), Some(bank)) => Some(per_move.min(bank)),
            (limit, bank) => limit.or(bank),
        }
    }

    /// Deducts an answer's time from the bank, and adds the increment.
    pub fn spend(&mut self, elapsed: Duration) {
        self.charged = Some(elapsed);
        if let Some(left) = &mut self.bank {
            *left = left.saturating_sub(elapsed) + Duration::from_millis(self.control.increment_ms);
        }
    }

    /// Returns the clock in the form sent to the bot.
    pub fn message(&self) -> Clock {
        Clock {
            move_ms: self.control.move_ms,
            bank_ms: self.bank.map(millis),
            increment_ms: self.bank.map(|_| self.control.increment_ms),
            charged_ms: self.charged.map(millis),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(move_ms: Option<u64>, bank_ms: Option<u64>, increment_ms: u64) -> SeatClock {
        SeatClock::new(TimeControl {
            move_ms,
            bank_ms,
            increment_ms,
            start_ms: 1_000,
        })
    }

    #[test]
    fn the_bank_is_spent_and_grows_by_the_increment() {
        let mut time = clock(Some(300), Some(500), 20);
        assert_eq!(time.limit(), Some(Duration::from_millis(300)));
        assert_eq!(time.message().charged_ms, None);
        time.spend(Duration::from_millis(290));
        assert_eq!(time.message().charged_ms, Some(290));
        assert_eq!(time.limit(), Some(Duration::from_millis(230)));
        assert_eq!(
            (
                time.message().move_ms,
                time.message().bank_ms,
                time.message().increment_ms
            ),
            (Some(300), Some(230), Some(20))
        );
        time.spend(Duration::from_millis(999));
        assert_eq!(time.limit(), Some(Duration::from_millis(20)));
        assert_eq!(clock(None, None, 0).limit(), None);
    }
}
