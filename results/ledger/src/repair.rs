//! Repairs a ledger by rebuilding it from its intact records, from which the results follow. Damaged records are dropped.

use std::path::{Path, PathBuf};

use arena_tournament::played::Played;
use rusqlite::OpenFlags;

use crate::database::connect;
use crate::error::LedgerError;
use crate::file::{FILE, beside};
use crate::ledger::Ledger;
use crate::lock::Lock;
use crate::read::CHUNK;
use crate::saved;
use crate::verify::check_records;

/// Replaces a damaged ledger with a new one that contains all intact matches. The damaged ledger is kept under another name. Returns the
/// number of matches kept, and the path of the damaged ledger.
pub fn repair(folder: &Path) -> Result<(u64, PathBuf), LedgerError> {
    let _lock = Lock::take(folder)?;
    let damaged = Ledger::open_read_only(folder)?;
    let making = folder.join("repairing");
    // The file may be left over from an earlier attempt.
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
        // The records get new numbers, so the number stored in the metadata becomes invalid.
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
    // Whenever the process is killed, there is one complete ledger: the old one in a single file, or the new one.
    in_one_file(&old)?;
    std::fs::hard_link(&old, &aside)
        .or_else(|_| std::fs::copy(&old, &aside).map(drop))
        .map_err(LedgerError::file(&aside))?;
    for file in [saved::FILE, FILE] {
        let to = folder.join(file);
        std::fs::rename(making.join(file), &to).map_err(LedgerError::file(&to))?;
    }
    std::fs::remove_dir_all(&making).map_err(LedgerError::file(&making))?;
    Ok((kept, aside))
}

/// Moves the content of the WAL into the file, and removes SQLite's files next to it.
fn in_one_file(path: &Path) -> Result<(), LedgerError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let query = "PRAGMA wal_checkpoint(TRUNCATE)";
    let is_busy: bool = connection.query_row(query, [], |row| row.get(0))?;
    if is_busy {
        return Err(LedgerError::Busy(path.to_path_buf(), "a reader".into()));
    }
    drop(connection);
    for ending in ["-wal", "-shm"] {
        let path = beside(path, ending);
        if path.exists() {
            std::fs::remove_file(&path).map_err(LedgerError::file(&path))?;
        }
    }
    Ok(())
}

/// Adds the matches whose records yield their results under the rules.
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
