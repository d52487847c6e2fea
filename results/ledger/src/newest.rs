//! The finished matches in the order in which they were saved.

use std::path::Path;
use std::time::SystemTime;

use rusqlite::OptionalExtension;

use crate::error::LedgerError;
use crate::file::{FILE, beside};
use crate::ledger::Ledger;
use crate::piece::head;
use arena_tournament::played::Played;

/// The number of a match among those saved: the later it was saved, the higher.
pub type Number = i64;

impl Ledger {
    /// The match that was saved last; of those before a number, if there is one.
    pub fn newest(&self, before: Option<Number>) -> Result<Option<(Number, Played)>, LedgerError> {
        let mut query = self
            .connection
            .prepare_cached("SELECT number FROM records WHERE number < ?1 ORDER BY number DESC LIMIT 1")?;
        let last = query.query_row([before.unwrap_or(Number::MAX)], |row| row.get(0)).optional()?;
        let Some(last) = last else { return Ok(None) };
        let head = head(&self.connection, last)?;
        let number = head.ok_or_else(|| LedgerError::Damaged(format!("record {last}")))?.number;
        Ok(Some((number, self.read(number, &mut self.reader()?)?)))
    }
}

/// When and how large the files of a ledger were last written, each if it is there: as long as that is the same, so is the ledger.
pub type Written = [Option<(SystemTime, u64)>; 2];

/// The state of the files of a folder's ledger; quick, and without opening it.
pub fn written(folder: &Path) -> Written {
    let path = folder.join(FILE);
    [path.clone(), beside(&path, "-wal")].map(|path| {
        let about = path.metadata().ok()?;
        Some((about.modified().ok()?, about.len()))
    })
}
