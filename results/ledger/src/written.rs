//! When a ledger was written last.

use std::path::Path;
use std::time::SystemTime;

use crate::file::{FILE, beside};

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
