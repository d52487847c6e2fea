//! Removing matches from a ledger: those of one bot, or all, which go into a separate ledger. What is removed is nowhere in the file any
//! more.

use std::fs;
use std::path::Path;

use arena_tournament::deals::Scored;
use arena_tournament::spec::Spec;
use rusqlite::{Connection, ToSql, params};

use crate::about::About;
use crate::error::LedgerError;
use crate::ledger::Ledger;
use crate::piece::head;
use crate::record;

impl Ledger {
    /// Moves the matches of a bot, by its index, into a separate ledger in another folder, which then holds the tournament as
    /// it was. Here another tournament takes its place, in which the bot is another one or is missing; its last departure notes
    /// how many there were.
    pub fn set_aside(
        &mut self,
        bot: usize,
        mut spec: Spec,
        folder: &Path,
    ) -> Result<(), LedgerError> {
        let moved = self.copy_of(|scored| scored.bots.contains(&bot), folder)?;
        spec.departures
            .iter_mut()
            .last()
            .into_iter()
            .for_each(|departure| departure.set_aside = Some(moved));
        let is_gone = spec.bots.len() < self.spec().bots.len();
        let mut rows = Vec::new();
        self.rows(
            "SELECT deal, bots, seats, record FROM scores ORDER BY deal, bots",
            |row| {
                let key: Vec<u8> = row.get(1).map_err(LedgerError::from)?;
                let bots = record::bots(&key);
                if bots.contains(&bot) || is_gone && bots.iter().any(|other| *other > bot) {
                    let read = || {
                        Ok((
                            row.get::<_, u32>(0)?,
                            key,
                            row.get::<_, Vec<u8>>(2)?,
                            row.get::<_, i64>(3)?,
                        ))
                    };
                    rows.push(read().map_err(|error: rusqlite::Error| LedgerError::from(error))?);
                }
                Ok::<_, LedgerError>(())
            },
        )?;
        self.change(|transaction, about| {
            for (deal, key, seats, number) in rows {
                let mut bots = record::bots(&key);
                if bots.contains(&bot) {
                    remove(transaction, "deal = ?1 AND bots = ?2", &[&deal, &key])?;
                    continue;
                }
                bots.iter_mut()
                    .filter(|other| **other > bot)
                    .for_each(|other| *other -= 1);
                // In ascending order a row never takes the place of one that is still to be moved.
                let moved = record::key(&bots);
                let sum = record::sum(deal, &moved, &seats, number);
                let update = "UPDATE scores SET bots = ?1, sum = ?2 WHERE deal = ?3 AND bots = ?4";
                transaction.execute(update, params![moved, sum, deal, key])?;
            }
            about.spec = spec;
            Ok(())
        })?;
        self.forget()
    }

    /// Moves all matches into a separate ledger in another folder, which then holds the tournament as it was. Here another one takes
    /// its place, of which nothing is played.
    pub fn restart(&mut self, spec: &Spec, folder: &Path) -> Result<(), LedgerError> {
        self.copy_of(|_| true, folder)?;
        self.change(|transaction, about| {
            remove(transaction, "true", &[])?;
            *about = About {
                revision: about.revision,
                ..About::new(spec)
            };
            Ok(())
        })?;
        self.forget()
    }

    /// A ledger of the same tournament with nothing but some matches; one that is there is made anew. Returns their number.
    fn copy_of(
        &self,
        interest: impl Fn(&Scored) -> bool,
        folder: &Path,
    ) -> Result<u64, LedgerError> {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(LedgerError::file(folder))?;
        }
        let mut copy = Self::create(folder, self.spec())?;
        self.each_chunk(interest, |chunk| copy.append(chunk))?;
        let count = copy.count()?;
        copy.close()?;
        Ok(count)
    }
}

/// Removes the matches for which a condition holds. Returns how many they were.
fn remove(
    connection: &Connection,
    condition: &str,
    values: &[&dyn ToSql],
) -> Result<u64, LedgerError> {
    let mut query =
        connection.prepare_cached(&format!("SELECT record FROM scores WHERE {condition}"))?;
    let numbers = query
        .query_map(values, |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    for number in numbers {
        let pieces = head(connection, number)?.map_or(1, |head| i64::from(head.parts));
        let delete = "DELETE FROM records WHERE number >= ?1 AND number < ?2";
        connection
            .prepare_cached(delete)?
            .execute([number, number + pieces])?;
    }
    Ok(connection
        .prepare_cached(&format!("DELETE FROM scores WHERE {condition}"))?
        .execute(values)? as u64)
}

#[cfg(test)]
mod tests {
    use arena_tournament::played::Played;

    use super::*;
    use crate::file::FILE;
    use crate::piece;
    use arena_tournament::sample;

    /// However often matches come and go, the file and the log beside it hold what is there and nothing else.
    #[test]
    fn what_is_removed_is_gone_from_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let spec = sample::tournament(&["ann", "bob"], 2, 400);
        let mut ledger = Ledger::create(folder.path(), &spec).unwrap();
        let play = |deal: u32, round: u64| sample::really(round, deal, &["ann", "bob"], None);
        for round in 0..4 {
            let matches: Vec<Played> = (1..=400).map(|deal| play(deal, round)).collect();
            ledger.append(&matches).unwrap();
            let aside = folder.path().join("aside");
            ledger.restart(&spec, &aside).unwrap();
            ledger.append(&matches[..300]).unwrap();
            let bytes: Vec<u8> = [FILE, "ledger.sqlite-wal"]
                .iter()
                .flat_map(|file| std::fs::read(folder.path().join(file)).unwrap())
                .collect();
            let mut sums: Vec<(i64, u32)> = piece::find(&bytes)
                .map(|(head, _)| (head.number, head.sum))
                .collect();
            sums.retain(|(number, _)| *number > 0);
            sums.sort_unstable();
            sums.dedup();
            assert_eq!(sums.len() as u64, ledger.count().unwrap(), "round {round}");
        }
    }
}
