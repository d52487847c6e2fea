//! What lies in the folders that a bot may read: tournaments, and files that are not for everybody.

use std::collections::VecDeque;
use std::fs::{self, Metadata};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The file that makes a folder one of a tournament.
const LEDGER: &str = "ledger.sqlite";
/// The most entries that are checked below one folder.
const MOST_ENTRIES: usize = 20_000;

/// What was found below a folder.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The folders of tournaments.
    pub tournaments: Vec<PathBuf>,
    /// The files and folders that not every user can read.
    pub private: Vec<PathBuf>,
    /// True if none were found, the search was complete, and everybody can reach the folder.
    pub is_for_everybody: bool,
}

/// All that is hidden of a tournament's folder: itself or, where it is the bot's own, what is in it.
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

/// True for the folder of a tournament.
pub fn is_tournament(folder: &Path) -> bool {
    folder.join(LEDGER).symlink_metadata().is_ok()
}

impl Scan {
    /// Scans a file, or a folder with what is below it, level by level up to the limit above.
    pub fn of(path: &Path) -> Self {
        let mut scan = Self {
            is_for_everybody: is_reachable(path),
            ..Self::default()
        };
        let mut left = MOST_ENTRIES;
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

/// True if every user can reach a file or folder by its path, and may read it.
pub fn is_reachable(path: &Path) -> bool {
    is_for_everybody(path) && path.ancestors().skip(1).all(|above| allows(above, |_| 0o1))
}

/// True if every user may read a file, or list and traverse a folder.
fn is_for_everybody(path: &Path) -> bool {
    allows(path, |about| if about.is_dir() { 0o5 } else { 0o4 })
}

/// True if every user has these rights to a file or folder.
fn allows(path: &Path, needed: impl FnOnce(&Metadata) -> u32) -> bool {
    fs::metadata(path).is_ok_and(|about| {
        let needed = needed(&about);
        about.permissions().mode() & needed == needed
    })
}
