//! The days on which a tournament was played, as the runner notes them: the one thing in a ledger that no replay gives again.

use serde::{Deserialize, Serialize};

use crate::error::LedgerError;
use crate::ledger::{Ledger, META, get, set};

const DAYS: &str = "days";

/// The first and the last day on which matches were saved, such as `2026-11-22`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Days {
    first: String,
    last: String,
}

impl Days {
    /// As a sentence.
    pub fn in_words(&self) -> String {
        let Self { first, last } = self;
        if first == last {
            format!("Played on {first} (UTC).")
        } else {
            format!("Played from {first} to {last} (UTC).")
        }
    }
}

impl Ledger {
    /// The days on which it was played; none in ledgers that were begun without them.
    pub fn days(&self) -> Result<Option<Days>, LedgerError> {
        Ok(get(&self.connection, DAYS)?.and_then(|days| serde_json::from_slice(&days).ok()))
    }

    /// Notes that matches were saved on this day.
    pub fn played_on(&mut self, day: &str) -> Result<(), LedgerError> {
        self.add_days(Days { first: day.to_owned(), last: day.to_owned() })
    }

    /// Notes that matches were saved on these days, too.
    pub fn add_days(&mut self, added: Days) -> Result<(), LedgerError> {
        let before = self.days()?;
        let both = match &before {
            None => added,
            Some(days) => {
                let (first, last) = ((&days.first).min(&added.first), (&days.last).max(&added.last));
                Days { first: first.clone(), last: last.clone() }
            }
        };
        if before.as_ref() == Some(&both) {
            return Ok(());
        }
        let days = serde_json::to_vec(&both).map_err(|error| LedgerError::Field { what: "days", error })?;
        set(&self.connection, META, DAYS, &days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_tournament::sample;

    #[test]
    fn a_ledger_tells_from_when_to_when_it_was_played() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::create(folder.path(), &sample::tournament(&["ann", "bob"], 2, 1)).unwrap();
        assert_eq!(ledger.days().unwrap(), None);
        let mut check = |day: &str, expected: &str| {
            ledger.played_on(day).unwrap();
            assert_eq!(ledger.days().unwrap().unwrap().in_words(), expected);
        };
        check("2026-11-22", "Played on 2026-11-22 (UTC).");
        check("2026-11-22", "Played on 2026-11-22 (UTC).");
        check("2026-12-01", "Played from 2026-11-22 to 2026-12-01 (UTC).");
        check("2026-11-21", "Played from 2026-11-21 to 2026-12-01 (UTC).");
    }
}
