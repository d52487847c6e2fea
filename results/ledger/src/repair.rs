//! Repairs a ledger: rebuilds it from its intact records, from which the results follow. Damaged records are dropped.

use std::path::{Path, PathBuf};

use arena_tournament::played::Played;

use crate::error::LedgerError;
use crate::file::{FILE, beside};
use crate::ledger::Ledger;
use crate::lock::Lock;
use crate::read::CHUNK;
use crate::saved;
use crate::verify::check_records;

/// Replaces a damaged ledger with a new one that contains everything intact; the old one is kept under another name. Returns the number of
/// matches kept, and the path of the damaged ledger.
pub fn repair(folder: &Path) -> Result<(u64, PathBuf), LedgerError> {
    let _lock = Lock::take(folder)?;
    let damaged = Ledger::open_read_only(folder)?;
    let making = folder.join("repairing");
    // May be left from an earlier attempt.
    if making.exists() {
        std::fs::remove_dir_all(&making).map_err(LedgerError::file(&making))?;
    }
    let mut new = Ledger::create(&making, damaged.spec())?;
    let mut chunk = Vec::new();
    damaged.records(|_, played| {
        if damaged.indices(&played.bots).is_ok() {
            chunk.push(played);
        }
        if chunk.len() < CHUNK {
            return Ok(());
        }
        keep(&mut new, &std::mem::take(&mut chunk))
    })?;
    keep(&mut new, &chunk)?;
    new.change(|_, about| {
        about.clone_from(&damaged.about);
        // The records have new numbers.
        about.last_run = None;
        Ok(())
    })?;
    let kept = new.count()?;
    new.close()?;
    drop(damaged);
    let aside = (1..)
        .map(|number| folder.join(format!("damaged-{number}.sqlite")))
        .find(|path| !path.exists());
    let aside = aside.expect("some number is free");
    let old = folder.join(FILE);
    for ending in ["", "-wal", "-shm"] {
        let (from, to) = (beside(&old, ending), beside(&aside, ending));
        if from.exists() {
            std::fs::rename(&from, to).map_err(LedgerError::file(&from))?;
        }
    }
    for file in [saved::FILE, FILE] {
        let to = folder.join(file);
        std::fs::rename(making.join(file), &to).map_err(LedgerError::file(&to))?;
    }
    std::fs::remove_dir_all(&making).map_err(LedgerError::file(&making))?;
    Ok((kept, aside))
}

/// Adds matches whose records yield their results under the rules.
fn keep(new: &mut Ledger, matches: &[Played]) -> Result<(), LedgerError> {
    let checked = check_records(new.spec(), &matches.iter().collect::<Vec<_>>())?;
    let whole: Vec<Played> = matches
        .iter()
        .zip(checked)
        .filter(|(_, checked)| checked.is_ok())
        .map(|(played, _)| played.clone())
        .collect();
    new.append(&whole)
}
