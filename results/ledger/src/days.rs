//! Records when the matches of a ledger were played.

use crate::about::{Days, LastRun, Version, today};
use crate::error::LedgerError;
use crate::ledger::Ledger;
use crate::read::SCORES;

/// Matches and forfeits of a run, by index of the bot in the tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCounts {
    /// Day (UTC) on which the run saved its first matches.
    pub day: String,
    /// Number of matches of each bot.
    pub matches: Vec<u64>,
    /// Number of forfeits of each bot.
    pub forfeits: Vec<u64>,
}

impl Ledger {
    /// Returns the days on which the tournament was played; `None` if there are no matches.
    pub fn days(&self) -> Option<&Days> {
        self.about.days.as_ref()
    }

    /// Records that matches were saved today (UTC).
    pub fn played_today(&mut self) -> Result<(), LedgerError> {
        let today = today(&self.connection)?;
        self.add_days(&Days {
            first: today.clone(),
            last: today,
        })
    }

    /// Records that a run is about to save its first matches.
    pub fn begin_run(&mut self) -> Result<(), LedgerError> {
        let last = "SELECT coalesce(max(number), 0) FROM records";
        let after = self.connection.query_row(last, [], |row| row.get(0))?;
        let day = today(&self.connection)?;
        self.change(|_, about| {
            about.last_run = Some(LastRun { day, after });
            Ok(())
        })
    }

    /// Counts the matches and forfeits of the last run that saved matches; `None` before the first run.
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

    /// Returns the current version of a bot and its entry date; `None` in a ledger of an earlier version of the arena.
    pub fn version(&self, bot: &str) -> Option<&Version> {
        self.about.versions.get(bot)
    }

    /// Records that matches were also saved on these days.
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
            assert_eq!(read.days().unwrap().to_string(), expected);
        };
        check("2026-11-22", "Played on 2026-11-22 (UTC).");
        check("2026-11-22", "Played on 2026-11-22 (UTC).");
        check("2026-12-01", "Played from 2026-11-22 to 2026-12-01 (UTC).");
        check("2026-11-21", "Played from 2026-11-21 to 2026-12-01 (UTC).");
    }
}
