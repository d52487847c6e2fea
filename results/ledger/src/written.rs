//! Detects changes to a ledger.

use std::path::Path;
use std::time::SystemTime;

use crate::file::{FILE, beside};

/// Modification time and size of each file of a ledger that exists. As long as they are unchanged, so is the ledger.
pub type Written = [Option<(SystemTime, u64)>; 2];

/// Returns the state of the files of a folder's ledger, without opening it, which is fast.
pub fn written(folder: &Path) -> Written {
    let path = folder.join(FILE);
    [path.clone(), beside(&path, "-wal")].map(|path| {
        let about = path.metadata().ok()?;
        Some((about.modified().ok()?, about.len()))
    })
}
