//! Taking the matches of one bot out of a ledger, into one of their own.

use std::fs;
use std::path::Path;

use arena_tournament::spec::Spec;
use rusqlite::params;

use crate::error::LedgerError;
use crate::ledger::{Ledger, describe, index};
use crate::row;
use arena_tournament::played::Played;

/// The number of matches that are moved at once.
const CHUNK: usize = 1_024;

impl Ledger {
    /// Moves the matches of a bot, by its index, into a ledger of their own in another folder, which then holds the tournament as
    /// it was. Here another tournament takes its place, in which the bot is another one or is missing; its last departure notes
    /// how many there were.
    pub fn set_aside(&mut self, bot: usize, mut spec: Spec, folder: &Path) -> Result<(), LedgerError> {
        let moved = self.copy_of(bot, folder)?;
        spec.departures.iter_mut().last().into_iter().for_each(|departure| departure.set_aside = Some(moved));
        let is_gone = spec.bots.len() < self.spec.bots.len();
        let mut rows = Vec::new();
        self.rows("SELECT deal, bots, seats, body FROM scores ORDER BY deal, bots", |row| {
            let key: Vec<u8> = row.get(1).map_err(LedgerError::from)?;
            let bots = row::bots(&key);
            if bots.contains(&bot) || is_gone && bots.iter().any(|other| *other > bot) {
                let read = || Ok((row.get::<_, u32>(0)?, key, row.get::<_, Vec<u8>>(2)?, row.get::<_, i64>(3)?));
                rows.push(read().map_err(|error: rusqlite::Error| LedgerError::from(error))?);
            }
            Ok::<_, LedgerError>(())
        })?;
        let transaction = self.connection.transaction()?;
        for (deal, key, seats, body) in rows {
            let mut bots = row::bots(&key);
            if bots.contains(&bot) {
                transaction.execute("DELETE FROM scores WHERE deal = ?1 AND bots = ?2", params![deal, key])?;
                transaction.execute("DELETE FROM bodies WHERE number = ?1", [body])?;
                continue;
            }
            bots.iter_mut().filter(|other| **other > bot).for_each(|other| *other -= 1);
            // In ascending order a row never takes the place of one that is still to be moved.
            let moved = row::key(&bots);
            let sum = row::sum(deal, &moved, &seats, body);
            let update = "UPDATE scores SET bots = ?1, sum = ?2 WHERE deal = ?3 AND bots = ?4";
            transaction.execute(update, params![moved, sum, deal, key])?;
        }
        describe(&transaction, &spec)?;
        transaction.commit()?;
        (self.index, self.spec) = (index(&spec), spec);
        Ok(())
    }

    /// A ledger of the same tournament with nothing but the matches of one bot; one that is there is made anew.
    fn copy_of(&self, bot: usize, folder: &Path) -> Result<u64, LedgerError> {
        let failed = |error| LedgerError::File { path: folder.to_path_buf(), error };
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(failed)?;
        }
        let mut copy = Self::create(folder, &self.spec)?;
        let mut chunk: Vec<Played> = Vec::new();
        self.each_with(
            |scored| scored.bots.contains(&bot),
            |played| {
                chunk.push(played);
                if chunk.len() < CHUNK {
                    return Ok(());
                }
                copy.append(&std::mem::take(&mut chunk))
            },
        )?;
        copy.append(&chunk)?;
        let count = copy.count()?;
        copy.close()?;
        Ok(count)
    }
}
