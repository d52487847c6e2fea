//! Scans folders that bots may read for folders of tournaments, and for files that are not world-readable.

use std::collections::VecDeque;
use std::fs::{self, Metadata};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The file that marks a tournament's folder.
const LEDGER: &str = "ledger.sqlite";
/// Maximum number of entries checked below one folder.
const MAX_ENTRIES: usize = 20_000;

/// Result of scanning a folder.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Folders of tournaments.
    pub tournaments: Vec<PathBuf>,
    /// Files and folders that not every user can read.
    pub private: Vec<PathBuf>,
    /// True if there are no private files, the scan was complete, and every user can reach the folder.
    pub is_for_everybody: bool,
}

/// Returns the hidden paths of a tournament's folder: the folder itself and, in case it is the bot's own folder, its content.
pub fn hidden_of(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let names = [
        LEDGER,
        "ledger.sqlite-wal",
        "ledger.sqlite-shm",
        "tournament.toml",
        "logs",
        "former",
        "earlier",
    ];
    std::iter::once(folder.to_path_buf()).chain(names.into_iter().map(|name| folder.join(name)))
}

/// Returns true for a tournament's folder.
pub fn is_tournament(folder: &Path) -> bool {
    folder.join(LEDGER).symlink_metadata().is_ok()
}

impl Scan {
    /// Scans a file or a folder, breadth first, up to `MAX_ENTRIES`.
    pub fn new(path: &Path) -> Self {
        let mut scan = Self {
            is_for_everybody: is_reachable(path),
            ..Self::default()
        };
        let mut left = MAX_ENTRIES;
        let mut waiting = VecDeque::from([path.to_path_buf()]);
        while let Some(dir) = waiting.pop_front() {
            if is_tournament(&dir) {
                scan.tournaments.push(dir.clone());
            }
            for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if left == 0 {
                    return Self {
                        is_for_everybody: false,
                        ..scan
                    };
                }
                left -= 1;
                if !kind.is_symlink() && !is_for_everybody(&entry.path()) {
                    scan.is_for_everybody = false;
                    scan.private.push(entry.path());
                }
                if kind.is_dir() {
                    waiting.push_back(entry.path());
                }
            }
        }
        scan
    }
}

/// Returns true if every user can reach and read a file or folder at this path.
pub fn is_reachable(path: &Path) -> bool {
    is_for_everybody(path) && path.ancestors().skip(1).all(|above| allows(above, |_| 0o1))
}

/// Returns true if every user may read a file, or list and traverse a folder.
fn is_for_everybody(path: &Path) -> bool {
    allows(path, |about| if about.is_dir() { 0o5 } else { 0o4 })
}

/// Returns true if every user has these rights to a file or folder.
fn allows(path: &Path, needed: impl FnOnce(&Metadata) -> u32) -> bool {
    fs::metadata(path).is_ok_and(|about| {
        let needed = needed(&about);
        about.permissions().mode() & needed == needed
    })
}
