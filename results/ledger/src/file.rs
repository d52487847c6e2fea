//! Files of a ledger.

use std::path::{Path, PathBuf};

/// Name of the ledger in its tournament's folder.
pub const FILE: &str = "ledger.sqlite";

/// Version of the format written here.
pub const FORMAT: u32 = 8;

/// Returns the path of a file that SQLite keeps next to the ledger, by its suffix.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
