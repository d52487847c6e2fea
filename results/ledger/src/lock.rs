//! Lock of a tournament's folder: only one arena at a time may write to its ledger.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::Path;

use crate::error::LedgerError;

/// Name of the lock in the folder.
pub const FILE: &str = "lock";

/// A held lock. The system releases it when the process ends, even if it is killed.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "it is locked as long as it is open")] File);

impl Lock {
    /// Acquires the lock if it is free, and writes the holder into the file.
    pub fn take(folder: &Path) -> Result<Self, LedgerError> {
        let path = folder.join(FILE);
        let file = File::options()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(&path);
        let mut file = file.map_err(LedgerError::file(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = fs::read_to_string(path).unwrap_or_default();
                let holder = if holder.is_empty() {
                    "which has not written its number yet".into()
                } else {
                    holder
                };
                return Err(LedgerError::Busy(folder.to_path_buf(), holder));
            }
            Err(TryLockError::Error(error)) => return Err(LedgerError::file(&path)(error)),
        }
        // The name of the holder is only informative, so a full disk must not prevent locking.
        let _ = file
            .set_len(0)
            .and_then(|()| write!(file, "process {}", std::process::id()));
        Ok(Self(file))
    }

    /// Waits until the lock of a folder is free.
    pub fn wait(folder: &Path) -> Result<(), LedgerError> {
        let path = folder.join(FILE);
        let waited = File::open(&path).and_then(|file| file.lock_shared());
        waited.map_err(LedgerError::file(&path))
    }

    /// Returns true if the lock of a folder is held.
    pub fn is_held(folder: &Path) -> bool {
        let file = File::open(folder.join(FILE));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}
