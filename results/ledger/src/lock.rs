//! The lock of a tournament's folder: one arena at a time may write to its ledger.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::Path;

use crate::error::LedgerError;

/// The lock's name in the folder.
pub const FILE: &str = "lock";

/// Held as long as this lives; the system takes it away from a process that ends, however it ends.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "it is locked as long as it is open")] File);

impl Lock {
    /// Takes the lock, if nobody has it. The file says who has it.
    pub fn take(folder: &Path) -> Result<Self, LedgerError> {
        let path = folder.join(FILE);
        let failed = |error| LedgerError::File { path: path.clone(), error };
        let mut file =
            File::options().create(true).read(true).write(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LedgerError::Busy { folder: folder.to_path_buf(), holder: holder(folder) });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // Who holds it is for people to read; a disk without room for it must not keep them from looking.
        let _ = file.set_len(0).and_then(|()| write!(file, "process {}", std::process::id()));
        Ok(Self(file))
    }

    /// Waits until nobody holds the lock of a folder.
    pub fn wait(folder: &Path) -> Result<(), LedgerError> {
        let path = folder.join(FILE);
        let waited = File::open(&path).and_then(|file| file.lock_shared());
        waited.map_err(|error| LedgerError::File { path, error })
    }

    /// True if somebody holds the lock of a folder.
    pub fn is_held(folder: &Path) -> bool {
        let file = File::open(folder.join(FILE));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

fn holder(folder: &Path) -> String {
    let holder = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    if holder.is_empty() { "which has not written its number yet".into() } else { holder }
}
