//! The days on which the matches of a ledger were played.

use crate::about::{Days, LastRun, Version, today};
use crate::error::LedgerError;
use crate::ledger::Ledger;
use crate::read::SCORES;

/// The matches of a run by bot, as its index among the tournament's bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCounts {
    /// The day (UTC) on which it saved the first of them.
    pub day: String,
    /// The matches of each bot.
    pub matches: Vec<u64>,
    /// The forfeits of each bot.
    pub forfeits: Vec<u64>,
}

impl Ledger {
    /// The days on which it was played; none as long as there is no match.
    pub fn days(&self) -> Option<&Days> {
        self.about.days.as_ref()
    }

    /// Notes that matches were saved today (UTC).
    pub fn played_today(&mut self) -> Result<(), LedgerError> {
        let today = today(&self.connection)?;
        self.add_days(&Days {
            first: today.clone(),
            last: today,
        })
    }

    /// Notes that a run saves its first matches next.
    pub fn begin_run(&mut self) -> Result<(), LedgerError> {
        let last = "SELECT coalesce(max(number), 0) FROM records";
        let after = self.connection.query_row(last, [], |row| row.get(0))?;
        let day = today(&self.connection)?;
        self.change(|_, about| {
            about.last_run = Some(LastRun { day, after });
            Ok(())
        })
    }

    /// Counts what the last run that saved matches has played; none before the first one.
    pub fn last_run(&self) -> Result<Option<RunCounts>, LedgerError> {
        let Some(LastRun { day, after }) = &self.about.last_run else {
            return Ok(None);
        };
        let bots = self.spec().bots.len();
        let mut counts = RunCounts {
            day: day.clone(),
            matches: vec![0; bots],
            forfeits: vec![0; bots],
        };
        self.rows(SCORES, |row| {
            if row.get::<_, i64>(3)? > *after {
                let scored = self.scored(row)?;
                for (bot, seat) in scored.bots.iter().zip(&scored.seats) {
                    counts.matches[*bot] += 1;
                    counts.forfeits[*bot] += u64::from(seat.fault.is_some());
                }
            }
            Ok::<_, LedgerError>(())
        })?;
        Ok(Some(counts))
    }

    /// The version of a bot, and since when it takes part; none in a ledger of an earlier version of the arena.
    pub fn version(&self, bot: &str) -> Option<&Version> {
        self.about.versions.get(bot)
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
