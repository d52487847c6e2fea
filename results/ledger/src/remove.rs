//! Removes the matches of one bot, or all matches, from a ledger, after copying them to another ledger. Removed data leaves no trace in the
//! file.

use std::fs;
use std::path::Path;

use arena_tournament::deals::Scored;
use arena_tournament::spec::Spec;
use rusqlite::{Connection, ToSql};

use crate::about::About;
use crate::error::LedgerError;
use crate::ledger::Ledger;
use crate::record;

impl Ledger {
    /// Copies all matches into a ledger in another folder, which preserves the tournament as it was. This ledger gets the new tournament,
    /// and keeps only some of the matches.
    pub fn restart(
        &mut self,
        spec: &Spec,
        folder: &Path,
        is_gone: impl Fn(&Scored) -> bool,
    ) -> Result<(), LedgerError> {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(LedgerError::file(folder))?;
        }
        let mut copy = Self::create(folder, self.spec())?;
        self.each_chunk(|_| true, |chunk| copy.append(chunk))?;
        copy.close()?;
        let mut gone = Vec::new();
        self.scores(|scored| {
            if is_gone(&scored) {
                gone.push((scored.deal, record::key(&scored.bots)));
            }
            Ok::<_, LedgerError>(())
        })?;
        self.change(|transaction, about| {
            for (deal, key) in &gone {
                remove(transaction, "deal = ?1 AND bots = ?2", &[deal, key])?;
            }
            *about = About {
                versions: std::mem::take(&mut about.versions),
                ..About::new(spec)
            };
            Ok(())
        })?;
        self.forget()
    }
}

/// Removes the matches that satisfy a condition. Returns their number.
fn remove(
    connection: &Connection,
    condition: &str,
    values: &[&dyn ToSql],
) -> Result<u64, LedgerError> {
    let records = format!(
        "DELETE FROM records WHERE number IN (SELECT record FROM scores WHERE {condition})"
    );
    connection.prepare_cached(&records)?.execute(values)?;
    Ok(connection
        .prepare_cached(&format!("DELETE FROM scores WHERE {condition}"))?
        .execute(values)? as u64)
}

#[cfg(test)]
mod tests {
    use arena_tournament::played::Played;

    use super::*;
    use crate::file::FILE;
    use arena_tournament::sample;

    /// Checks that after repeated additions and removals, the file and its WAL contain only current matches.
    #[test]
    fn what_is_removed_is_gone_from_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let spec = sample::tournament(&["ann", "bob"], 2, 200);
        let mut ledger = Ledger::create(folder.path(), &spec).unwrap();
        let play = |deal: u32, round: u64| sample::really(round, deal, &["ann", "bob"], None);
        for round in 0..4 {
            let matches: Vec<Played> = (1..=200).map(|deal| play(deal, round)).collect();
            ledger.append(&matches).unwrap();
            let aside = folder.path().join("aside");
            ledger.restart(&spec, &aside, |_| true).unwrap();
            ledger.append(&matches[..150]).unwrap();
            let bytes: Vec<u8> = [FILE, "ledger.sqlite-wal"]
                .iter()
                .flat_map(|file| std::fs::read(folder.path().join(file)).unwrap())
                .collect();
            let mut entry = record::writer(&spec).unwrap();
            for played in &matches {
                let entry = entry(played).unwrap();
                let is_there = bytes.windows(entry.len()).any(|window| window == entry);
                let has = ledger.has(played.deal, &[0, 1]).unwrap();
                assert!(has || !is_there, "round {round}, deal {}", played.deal);
            }
        }
    }
}
