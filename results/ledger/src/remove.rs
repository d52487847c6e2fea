//! Removing matches from a ledger: those that are played again when a tournament starts over, those of a worker that is excluded, and
//! those of some deals. What is removed is nowhere in the file any more.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use arena_tournament::deals::Scored;
use arena_tournament::spec::Spec;
use rusqlite::{Connection, ToSql};

use crate::about::{About, Exclusion};
use crate::error::LedgerError;
use crate::ledger::Ledger;
use crate::record;

impl Ledger {
    /// Copies all matches into a separate ledger in another folder, which then holds the tournament as it was. Here another one takes its
    /// place, without some of the matches.
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
                excluded: about.excluded.clone(),
                ..About::new(spec)
            };
            Ok(())
        })?;
        self.forget()
    }

    /// Excludes a worker: removes all its matches, with everything later where rounds are drawn from results, and notes why.
    pub fn exclude_worker(&mut self, worker: &str, why: &str) -> Result<Exclusion, LedgerError> {
        let mut first = None;
        let mut gone: Vec<(u32, Vec<u8>)> = Vec::new();
        self.each(|played| {
            if played.worker.as_deref() == Some(worker) {
                first.get_or_insert(played.deal);
                gone.push((played.deal, record::key(&self.indices(&played.bots)?)));
            }
            Ok::<_, LedgerError>(())
        })?;
        // The rounds after the one in which its first match was.
        let later = match first {
            Some(deal) if self.spec().rounds() > 1 => {
                deal.next_multiple_of(self.spec().plan.deals.max(1))
            }
            _ => u32::MAX,
        };
        let entry = self.change(|transaction, about| {
            let mut matches = remove(transaction, "deal > ?1", &[&later])?;
            for (deal, key) in &gone {
                matches += remove(transaction, "deal = ?1 AND bots = ?2", &[deal, key])?;
            }
            let entry = Exclusion {
                worker: worker.to_owned(),
                why: why.to_owned(),
                matches,
            };
            about.excluded.push(entry.clone());
            Ok(entry)
        })?;
        self.forget()?;
        Ok(entry)
    }

    /// Admits an excluded worker again. False if it is not excluded.
    pub fn readmit_worker(&mut self, worker: &str) -> Result<bool, LedgerError> {
        self.change(|_, about| {
            let before = about.excluded.len();
            about.excluded.retain(|entry| entry.worker != worker);
            Ok(about.excluded.len() < before)
        })
    }

    /// The workers, each with the number of its matches.
    pub fn workers(&self) -> Result<BTreeMap<String, u64>, LedgerError> {
        let mut workers = BTreeMap::new();
        self.each(|played| {
            played
                .worker
                .into_iter()
                .for_each(|worker| *workers.entry(worker).or_default() += 1);
            Ok::<_, LedgerError>(())
        })?;
        Ok(workers)
    }

    /// Removes all matches on some deals, and everything later where rounds are drawn from results.
    pub fn take_back(&mut self, first: u32, last: u32) -> Result<u64, LedgerError> {
        let last = if self.spec().rounds() > 1 {
            u32::MAX
        } else {
            last
        };
        let removed = self.change(|transaction, _| {
            remove(transaction, "deal BETWEEN ?1 AND ?2", &[&first, &last])
        })?;
        self.forget()?;
        Ok(removed)
    }
}

/// Removes the matches for which a condition holds. Returns how many they were.
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

    #[test]
    fn what_a_worker_played_is_taken_back_and_noted() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger =
            Ledger::create(folder.path(), &sample::tournament(&["ann", "bob"], 2, 4)).unwrap();
        let by = |deal: u32, worker: &str| {
            let played = sample::really(1, deal, &["ann", "bob"], None);
            Played {
                worker: Some(worker.to_owned()),
                ..played
            }
        };
        ledger
            .append(&[by(1, "good"), by(2, "bad"), by(3, "good"), by(4, "bad")])
            .unwrap();
        let entry = ledger.exclude_worker("bad", "it lied").unwrap();
        assert_eq!(
            entry,
            Exclusion {
                worker: "bad".into(),
                why: "it lied".into(),
                matches: 2
            }
        );
        assert_eq!(ledger.excluded(), std::slice::from_ref(&entry));
        let expected = "worker bad is excluded (it lied): 2 matches were played again";
        assert_eq!(entry.to_string(), expected);
        let kept = [1, 2, 3, 4].map(|deal| ledger.has(deal, &[0, 1]).unwrap());
        assert_eq!(kept, [true, false, true, false]);
        let records = ledger
            .connection
            .query_row("SELECT count(*) FROM records", [], |row| {
                row.get::<_, u64>(0)
            });
        assert_eq!(records.unwrap(), 2);
        assert_eq!(
            ledger.workers().unwrap().into_iter().collect::<Vec<_>>(),
            [("good".to_owned(), 2)]
        );
        assert_eq!(
            ["bad", "bad"].map(|name| ledger.readmit_worker(name).unwrap()),
            [true, false]
        );
        assert!(ledger.excluded().is_empty());
        assert_eq!(ledger.take_back(2, 3).unwrap(), 1);
        assert_eq!(ledger.count().unwrap(), 1);
    }

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
            (1..=400)
                .step_by(5 + round as usize)
                .for_each(|deal| _ = ledger.take_back(deal, deal + 1).unwrap());
            let bytes: Vec<u8> = [FILE, "ledger.sqlite-wal"]
                .iter()
                .flat_map(|file| std::fs::read(folder.path().join(file)).unwrap())
                .collect();
            let mut entry = record::writer(&spec);
            for played in &matches {
                let entry = entry(played).unwrap();
                let is_there = bytes.windows(entry.len()).any(|window| window == entry);
                let has = ledger.has(played.deal, &[0, 1]).unwrap();
                assert!(has || !is_there, "round {round}, deal {}", played.deal);
            }
        }
    }
}
