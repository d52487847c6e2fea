//! The days on which the matches of a ledger were played.

use crate::about::Days;
use crate::error::LedgerError;
use crate::ledger::Ledger;

impl Ledger {
    /// The days on which it was played; none as long as there is no match.
    pub fn days(&self) -> Option<&Days> {
        self.about.days.as_ref()
    }

    /// Notes that matches were saved today (UTC).
    pub fn played_today(&mut self) -> Result<(), LedgerError> {
        let today: String = self
            .connection
            .query_row("SELECT date('now')", [], |row| row.get(0))?;
        self.add_days(&Days {
            first: today.clone(),
            last: today,
        })
    }

    /// Notes that matches were saved on these days, too.
    pub fn add_days(&mut self, added: &Days) -> Result<(), LedgerError> {
        let days = self.days().unwrap_or(added);
        let first = (&days.first).min(&added.first);
        let last = (&days.last).max(&added.last);
        let both = Some(Days {
            first: first.clone(),
            last: last.clone(),
        });
        if self.about.days == both {
            return Ok(());
        }
        self.change(|_, about| {
            about.days = both;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_tournament::sample;

    #[test]
    fn days_go_from_the_first_to_the_last() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger =
            Ledger::create(folder.path(), &sample::tournament(&["ann", "bob"], 2, 1)).unwrap();
        assert_eq!(ledger.days(), None);
        let mut check = |day: &str, expected: &str| {
            ledger
                .add_days(&Days {
                    first: day.into(),
                    last: day.into(),
                })
                .unwrap();
            let read = Ledger::open_read_only(folder.path()).unwrap();
            assert_eq!(read.days().unwrap().in_words(), expected);
        };
        check("2026-11-22", "Played on 2026-11-22 (UTC).");
        check("2026-11-22", "Played on 2026-11-22 (UTC).");
        check("2026-12-01", "Played from 2026-11-22 to 2026-12-01 (UTC).");
        check("2026-11-21", "Played from 2026-11-21 to 2026-12-01 (UTC).");
    }
}
