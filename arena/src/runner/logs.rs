//! The files that are kept of bots' processes beside the ledger.

use std::fs::{File, OpenOptions};
use std::path::Path;

/// The folders of what is kept of bots' processes beside the ledger.
#[derive(Clone, Copy, Debug, Default)]
pub struct Logs<'a> {
    /// For what they write to standard error, if that is kept.
    pub stderr: Option<&'a Path>,
    /// For all lines to and from them, if those are kept.
    pub wire: Option<&'a Path>,
}

/// Opens a file to append to it; of its name, only what is harmless is used.
pub fn open(folder: &Path, name: &str, ending: &str) -> Option<File> {
    let safe: String = name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect();
    OpenOptions::new().create(true).append(true).open(folder.join(format!("{safe}.{ending}"))).ok()
}
