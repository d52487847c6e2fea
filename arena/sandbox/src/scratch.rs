//! The temporary folder of one run, with a folder for each process. It is removed at the end of the run.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::process_dir::{ProcessDir, create_traversable, remove};

/// Prefix of the folders of all runs.
const PREFIX: &str = "coda-arena-";
/// The file in the folder that a running arena keeps locked.
const LOCK_FILE: &str = "lock";
/// Maximum length of the folder's path, because socket addresses are limited to 108 bytes.
const MAX_PATH_BYTES: usize = 60;
/// Age from which a folder without a lock file counts as left over.
const STALE_AGE: Duration = Duration::from_secs(60);

/// Temporary folder of this run.
#[derive(Debug)]
pub struct Scratch {
    /// Path of the folder.
    pub path: PathBuf,
    processes: AtomicU32,
    _lock: File,
}

impl Scratch {
    /// Removes folders left by earlier runs, and creates one for this run.
    pub fn new() -> io::Result<Self> {
        let refused = |why: String| Err(io::Error::new(io::ErrorKind::InvalidFilename, why));
        let temporary = std::env::temp_dir();
        if temporary.as_os_str().is_empty() {
            return refused("the variable is empty: unset it, or set it to a folder".into());
        }
        let parent = fs::canonicalize(temporary)?;
        let shown = parent.display();
        if parent.as_os_str().len() > MAX_PATH_BYTES {
            return refused(format!(
                "{shown} is too long for the sockets in it: set TMPDIR to at most {MAX_PATH_BYTES} bytes"
            ));
        }
        if parent.to_str().is_none() {
            return refused(format!(
                "the name of {shown} is not UTF-8: set TMPDIR to another folder"
            ));
        }
        sweep(&parent);
        let named = |number| parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        let (path, _) = create_first(0..1_000, named, "no name is free for a temporary folder")?;
        // The folder gets its final name only once it is locked, because another arena would remove an unlocked folder.
        let unnamed = path.join(".lock");
        let lock = File::create(&unnamed)?;
        lock.lock()?;
        fs::rename(&unnamed, path.join(LOCK_FILE))?;
        Ok(Self {
            path,
            processes: AtomicU32::new(0),
            _lock: lock,
        })
    }

    /// Creates a folder for one process. Its number is below `most`, and no running process has it.
    pub fn process_dir(&self, most: u32) -> io::Result<(ProcessDir, u32)> {
        let numbers = (0..most).map(|_| self.processes.fetch_add(1, Ordering::Relaxed) % most);
        let full = format!("{most} bots are running already, each as its own user");
        let (path, number) =
            create_first(numbers, |number| self.path.join(number.to_string()), &full)?;
        Ok((ProcessDir(path), number))
    }
}

/// Creates the first of the numbered folders that does not exist yet. `none_free` is the error if all exist.
fn create_first(
    numbers: impl Iterator<Item = u32>,
    path: impl Fn(u32) -> PathBuf,
    none_free: &str,
) -> io::Result<(PathBuf, u32)> {
    for (path, number) in numbers.map(|number| (path(number), number)) {
        match create_traversable(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|()| (path, number)),
        }
    }
    Err(io::Error::other(none_free))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes the folders of arenas that have ended.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX));
        if ours && is_left_over(&entry.path()) {
            remove(&entry.path());
        }
    }
}

/// Returns true for a folder of this user whose arena has ended.
fn is_left_over(path: &Path) -> bool {
    let Ok(about) = fs::symlink_metadata(path) else {
        return false;
    };
    if !about.is_dir() || about.uid() != nix::unistd::geteuid().as_raw() {
        return false;
    }
    match File::open(path.join(LOCK_FILE)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(_) => about
            .modified()
            .is_ok_and(|made| made.elapsed().is_ok_and(|age| age > STALE_AGE)),
    }
}
