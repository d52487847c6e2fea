//! The temporary folder of one run of the arena, in which each process gets a folder of its own; removed in the end.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::process_dir::{ProcessDir, create_private, remove};

/// The name of the folders of all runs, with a number behind.
const NAME: &str = "coda-arena-";
/// The file in it that a living arena holds a lock on.
const LOCK: &str = "lock";
/// The age of a folder without a lock at which nobody is about to lock it any more.
const STALE: Duration = Duration::from_secs(60);

/// The folder of this run.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    processes: AtomicU64,
    _lock: File,
}

impl Scratch {
    /// Removes what earlier runs have left, and makes a folder for this one.
    pub fn new() -> io::Result<Self> {
        let parent = fs::canonicalize(std::env::temp_dir())?;
        sweep(&parent);
        let path = (0..1_000)
            .map(|number| parent.join(format!("{NAME}{}-{number}", std::process::id())))
            .find_map(|path| match create_private(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
                made => Some(made.map(|()| path)),
            })
            .unwrap_or_else(|| Err(io::Error::other("no name is free for a temporary folder")))?;
        // Under its name only once it is locked, or another arena would find it free and sweep the folder.
        let unnamed = path.join(".lock");
        let lock = File::create(&unnamed)?;
        lock.lock()?;
        fs::rename(&unnamed, path.join(LOCK))?;
        Ok(Self { path, processes: AtomicU64::new(0), _lock: lock })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A new folder in it, for one process.
    pub fn process_dir(&self) -> io::Result<ProcessDir> {
        ProcessDir::create(self.path.join(self.processes.fetch_add(1, Ordering::Relaxed).to_string()))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes the folders of arenas that do not live any more.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(NAME));
        if ours && is_left_over(&entry.path()) {
            remove(&entry.path());
        }
    }
}

/// True if a folder is of ours and of no living arena.
fn is_left_over(path: &Path) -> bool {
    let Ok(about) = fs::symlink_metadata(path) else { return false };
    if !about.is_dir() || !is_owned(&about) {
        return false;
    }
    match File::open(path.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(_) => about.modified().is_ok_and(|made| made.elapsed().is_ok_and(|age| age > STALE)),
    }
}

#[cfg(unix)]
fn is_owned(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    about.uid() == nix::unistd::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_owned(_: &fs::Metadata) -> bool {
    true
}
