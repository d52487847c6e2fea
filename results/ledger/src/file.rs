//! The files of a ledger.

use std::path::{Path, PathBuf};

/// The ledger's name in the folder of its tournament.
pub const FILE: &str = "ledger.sqlite";

/// The version of the format written here.
pub const FORMAT: u32 = 8;

/// The file that SQLite keeps beside the ledger under this ending.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
