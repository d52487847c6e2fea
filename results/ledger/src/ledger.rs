//! The ledger: a file that holds a tournament and its finished matches.
//!
//! The ledger is an SQLite database in WAL mode, so that other processes can read while one writes, and a killed writer leaves only
//! complete transactions. With `synchronous = NORMAL`, a power cut may lose the last transactions, but never corrupts the file. Lost
//! matches are played again.
//!
//! The result of each match is a short row in `scores`, ordered by deal and bots. The match itself is an entry in `records`, and the
//! tournament is an entry in `meta`. Rows and entries have checksums.
//!
//! The WAL is checkpointed at most once a second, and the number of saved matches is kept in a separate file ([`saved`]), so that a damaged
//! or missing WAL is detected.
//!
//! Removed data is overwritten, so that no repair can restore it. A lock in the folder admits one writer at a time.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use arena_tournament::played::Played;
use arena_tournament::spec::Spec;
use rusqlite::{Connection, InterruptHandle, OpenFlags, params};

use crate::about::{About, Pauses};
use crate::database::{
    BUSY_TIMEOUT, TABLES, connect, described, immutable, present, tables, tune, unwritable,
};
use crate::error::LedgerError;
use crate::file::beside;
pub use crate::file::{FILE, FORMAT};
use crate::lock::Lock;
use crate::record;
use crate::saved::{self, Saved};

/// Number of matches encoded and inserted together.
const BATCH_SIZE: usize = 64;

/// Minimum interval between checkpoints.
const MIN_CHECKPOINT_INTERVAL: Duration = Duration::from_secs(1);
const MIN_CHECKPOINT_RATIO: u32 = 20;

/// Interrupts the queries of a ledger when it is dropped, from any thread.
pub struct Interrupt(InterruptHandle);

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.0.interrupt();
    }
}

/// A tournament and its finished matches, stored in a file.
pub struct Ledger {
    pub(crate) connection: Connection,
    pub(crate) about: About,
    index: HashMap<String, usize>,
    folder: PathBuf,
    /// Number of matches that had been saved when the ledger was opened; `None` if unknown.
    saved_before: Option<u64>,
    /// State of the process that may write; `None` if the ledger was opened for reading.
    writer: Option<Writer>,
}

/// Lock and files held for writing.
pub(crate) struct Writer {
    saved: Saved,
    next_checkpoint: Instant,
    _lock: Lock,
}

impl Ledger {
    /// Creates a new ledger in the folder, which is created if necessary.
    pub fn create(folder: &Path, spec: &Spec) -> Result<Self, LedgerError> {
        std::fs::create_dir_all(folder).map_err(LedgerError::file(folder))?;
        let lock = Lock::take(folder)?;
        let path = folder.join(FILE);
        let mut connection = connect(
            &path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        )?;
        tune(&connection)?;
        let transaction =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        if !tables(&transaction, &path)?.is_empty() {
            return Err(LedgerError::Already(folder.to_path_buf()));
        }
        transaction.execute_batch(TABLES)?;
        let format = FORMAT.to_string();
        transaction.execute(
            "INSERT INTO meta (key, value) VALUES ('format', ?1)",
            [format.as_bytes()],
        )?;
        let mut about = About::new(spec);
        about.note_versions(&transaction)?;
        about.store(&transaction)?;
        transaction.commit()?;
        let mut ledger = Self::writing(connection, about, folder, lock)?;
        ledger.save_count(0);
        ledger.checkpoint();
        Ok(ledger)
    }

    /// Opens the folder's ledger for writing.
    pub fn open(folder: &Path) -> Result<Self, LedgerError> {
        let path = present(folder)?;
        let lock = Lock::take(folder)?;
        let mut connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let about = described(&mut connection, &path, folder)?;
        tune(&connection)?;
        Self::writing(connection, about, folder, lock)
    }

    /// Opens the folder's ledger read-only, even while another process is writing, or where no file can be written.
    pub fn open_read_only(folder: &Path) -> Result<Self, LedgerError> {
        let path = present(folder)?;
        // Read the number first: matches saved from now on may or may not be visible.
        let saved = saved::read(folder);
        let mut connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let new = |connection, about| Self::new(connection, about, folder, (saved, None));
        match described(&mut connection, &path, folder) {
            Err(LedgerError::Sqlite(error))
                if unwritable(&error) && !beside(&path, "-wal").exists() =>
            {
                let mut connection = connect(
                    &immutable(&path),
                    OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
                )?;
                let about = described(&mut connection, &path, folder)?;
                Ok(new(connection, about))
            }
            found => Ok(new(connection, found?)),
        }
    }

    pub(crate) fn new(
        connection: Connection,
        about: About,
        folder: &Path,
        (saved_before, writer): (Option<u64>, Option<Writer>),
    ) -> Self {
        Self {
            connection,
            index: index(&about.spec),
            about,
            folder: folder.to_path_buf(),
            saved_before,
            writer,
        }
    }

    fn writing(
        connection: Connection,
        about: About,
        folder: &Path,
        lock: Lock,
    ) -> Result<Self, LedgerError> {
        let before = saved::read(folder);
        let saved = Saved::open(folder).map_err(LedgerError::file(&folder.join(saved::FILE)))?;
        let writer = Writer {
            saved,
            next_checkpoint: Instant::now() + MIN_CHECKPOINT_INTERVAL,
            _lock: lock,
        };
        Ok(Self::new(connection, about, folder, (before, Some(writer))))
    }

    /// Returns the tournament of these matches.
    pub fn spec(&self) -> &Spec {
        &self.about.spec
    }

    /// Returns a guard that interrupts the queries of the ledger when it is dropped. Interrupted queries fail.
    pub fn interrupt_when_dropped(&self) -> Interrupt {
        Interrupt(self.connection.get_interrupt_handle())
    }

    /// Returns the pauses requested by bots, by name.
    pub fn pauses(&self) -> &BTreeMap<String, Pauses> {
        &self.about.pauses
    }

    /// Records that a bot has requested a pause.
    pub fn note_pause(&mut self, bot: &str, why: &str) -> Result<(), LedgerError> {
        self.change(|_, about| {
            let pauses = about.pauses.entry(bot.into()).or_default();
            *pauses = Pauses {
                times: pauses.times + 1,
                why: why.into(),
            };
            Ok(())
        })
    }

    /// Replaces the tournament with an extension of it.
    pub fn extend(&mut self, spec: &Spec) -> Result<(), LedgerError> {
        self.change(|_, about| {
            about.spec = spec.clone();
            Ok(())
        })
    }

    /// Changes the metadata, and other content in the same transaction.
    pub(crate) fn change<T>(
        &mut self,
        change: impl FnOnce(&Connection, &mut About) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let before = self.count().ok();
        let saved = self.saved();
        // If the process is killed before it writes the new number, the file claims no matches rather than too many.
        self.save_count(0);
        let changed = self.change_in_transaction(change);
        let after = self.count().ok();
        // Missing matches stay missing. But if matches have just been removed, the missing ones may be among them, so only those that are
        // left count.
        self.save_count(if after < before {
            after.unwrap_or(0)
        } else {
            saved
        });
        self.checkpoint();
        changed
    }

    fn change_in_transaction<T>(
        &mut self,
        change: impl FnOnce(&Connection, &mut About) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let mut about = self.about.clone();
        let transaction = self.connection.transaction()?;
        let changed = change(&transaction, &mut about)?;
        about.note_versions(&transaction)?;
        about.store(&transaction)?;
        transaction.commit()?;
        (self.index, self.about) = (index(&about.spec), about);
        Ok(changed)
    }

    fn saved(&self) -> u64 {
        self.writer.as_ref().map_or(0, |writer| writer.saved.count)
    }

    fn save_count(&mut self, count: u64) {
        self.writer
            .iter_mut()
            .filter(|writer| writer.saved.count != count)
            .for_each(|writer| writer.saved.set(count));
    }

    /// Returns the number of matches that were saved and are missing; `None` if unknown.
    pub fn missing(&self) -> Result<Option<u64>, LedgerError> {
        let count = self.count()?;
        // Take the smaller number, because matches may have been removed since the ledger was opened.
        let saved = self
            .saved_before
            .zip(saved::read(&self.folder))
            .map(|(before, now)| before.min(now));
        Ok(saved.map(|saved| saved.saturating_sub(count)))
    }

    /// Accepts the loss of missing matches, and returns their number, if known.
    pub fn give_up_missing(&mut self) -> Result<Option<u64>, LedgerError> {
        let missing = self.missing()?;
        let count = self.count()?;
        if let Some(writer) = &mut self.writer {
            writer.saved.set(count);
        }
        Ok(missing)
    }

    /// Moves the content of the WAL into the file, unless a reader prevents it. If that fails, the content stays in the WAL.
    fn checkpoint(&mut self) {
        let began = Instant::now();
        let _ = self.connection.busy_timeout(Duration::ZERO);
        let _ = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let _ = self.connection.busy_timeout(BUSY_TIMEOUT);
        if let Some(writer) = &mut self.writer {
            let pause = MIN_CHECKPOINT_INTERVAL.max(began.elapsed() * MIN_CHECKPOINT_RATIO);
            writer.next_checkpoint = Instant::now() + pause;
        }
    }

    /// Erases all traces of removed matches in the file and the WAL.
    pub(crate) fn forget(&self) -> Result<(), LedgerError> {
        Ok(self
            .connection
            .execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")?)
    }

    /// Closes the ledger, leaving a single file that contains everything.
    pub fn close(self) -> Result<(), LedgerError> {
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        self.connection.close().map_err(|(_, error)| error.into())
    }

    /// Adds finished matches: either all of them or none. Matches that are already in the ledger are left unchanged.
    pub fn append(&mut self, matches: &[Played]) -> Result<(), LedgerError> {
        let keys = matches
            .iter()
            .map(|played| self.indices(&played.bots))
            .collect::<Result<Vec<_>, _>>()?;
        let (spec, transaction) = (&self.about.spec, self.connection.transaction()?);
        let mut added = 0;
        let mut encode = record::writer(spec)?;
        thread::scope(|scope| {
            // Encode the next matches while SQLite writes.
            let (sender, encoded) = mpsc::sync_channel(1);
            scope.spawn(move || {
                let mut parts = matches
                    .chunks(BATCH_SIZE)
                    .map(|part| part.iter().map(&mut encode).collect::<Result<Vec<_>, _>>());
                parts.try_for_each(|entries| sender.send(entries))
            });
            let parts = matches
                .chunks(BATCH_SIZE)
                .zip(keys.chunks(BATCH_SIZE))
                .zip(encoded);
            parts.into_iter().try_for_each(|((part, keys), entries)| {
                added += insert(&transaction, part, keys, &entries?)?;
                Ok::<_, LedgerError>(())
            })
        })?;
        transaction.commit()?;
        self.save_count(self.saved() + added);
        if self
            .writer
            .as_ref()
            .is_some_and(|writer| writer.next_checkpoint <= Instant::now())
        {
            self.checkpoint();
        }
        Ok(())
    }

    /// Returns the indices of these bots.
    pub(crate) fn indices(&self, bots: &[String]) -> Result<Vec<usize>, LedgerError> {
        let index = |bot: &String| self.index.get(bot).copied();
        bots.iter()
            .map(|bot| index(bot).ok_or_else(|| LedgerError::Stranger(bot.clone())))
            .collect()
    }
}

/// Inserts the rows and records of matches that are not in the ledger yet, and returns their number.
fn insert(
    transaction: &Connection,
    matches: &[Played],
    keys: &[Vec<usize>],
    entries: &[Vec<u8>],
) -> Result<u64, LedgerError> {
    let next = "SELECT coalesce(max(number), 0) + 1 FROM records";
    let mut number: i64 = transaction.query_row(next, [], |row| row.get(0))?;
    let mut score = transaction.prepare_cached(
        "INSERT INTO scores (deal, bots, seats, record, sum) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
    )?;
    let mut record =
        transaction.prepare_cached("INSERT INTO records (number, entry) VALUES (?1, ?2)")?;
    let mut added = 0;
    for ((played, bots), entry) in matches.iter().zip(keys).zip(entries) {
        let (key, seats) = (record::key(bots), record::seats(played));
        let row = record::Row {
            deal: played.deal,
            key: &key,
            seats: &seats,
            record: number,
        };
        let sum = row.sum();
        if score.execute(params![played.deal, key, seats, number, sum])? == 0 {
            continue;
        }
        added += 1;
        record.execute(params![number, entry])?;
        number += 1;
    }
    Ok(added)
}

/// Returns the index of each bot, by name.
pub(crate) fn index(spec: &Spec) -> HashMap<String, usize> {
    spec.names().into_iter().zip(0..).collect()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
