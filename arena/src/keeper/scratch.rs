//! Folders for what bots write: one for each run of the arena, in it one for each process, all removed in the end.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What the folders of all runs are called, with a number behind.
const NAME: &str = "coda-arena-";
/// The file in it that a living arena holds a lock on.
const LOCK: &str = "lock";
/// How old a folder without a lock is when nobody is about to lock it any more.
const STALE: Duration = Duration::from_secs(60);

/// The folder of this run.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    rooms: AtomicU64,
    _lock: File,
}

impl Scratch {
    /// Removes what earlier runs have left, and makes a folder for this one.
    pub fn new() -> io::Result<Self> {
        let parent = fs::canonicalize(std::env::temp_dir())?;
        sweep(&parent);
        let path = (0..1_000)
            .map(|number| parent.join(format!("{NAME}{}-{number}", std::process::id())))
            .find_map(|path| match private_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
                made => Some(made.map(|()| path)),
            })
            .unwrap_or_else(|| Err(io::Error::other("no name is free for a temporary folder")))?;
        // Under its name only once it is locked, or another arena would find it free and sweep the folder.
        let unnamed = path.join(".lock");
        let lock = File::create(&unnamed)?;
        lock.lock()?;
        fs::rename(&unnamed, path.join(LOCK))?;
        Ok(Self { path, rooms: AtomicU64::new(0), _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A new folder in it.
    pub fn room(&self) -> io::Result<PathBuf> {
        let room = self.path.join(self.rooms.fetch_add(1, Ordering::Relaxed).to_string());
        private_dir(&room)?;
        Ok(room)
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

/// Whether a folder is of ours and of no living arena.
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
    about.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_owned(_: &fs::Metadata) -> bool {
    true
}

#[cfg(unix)]
fn private_dir(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn private_dir(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// Removes a folder with all that is in it, as far as possible: whatever rights a bot took from it, and however deep it has
/// nested folders, which are moved up one by one rather than descended into.
pub fn remove(path: &Path) {
    let mut waiting = vec![path.to_path_buf()];
    let mut number = 0_u64;
    while let Some(dir) = waiting.pop() {
        open_up(&dir);
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let inside = entry.path();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let _ = fs::remove_file(&inside);
            } else if fs::remove_dir(&inside).is_err() {
                open_up(&inside);
                number += 1;
                let moved = path.join(format!(".{number}"));
                // Those at the top stay, lest the listing that goes on meets them again.
                waiting.push(if dir != path && fs::rename(&inside, &moved).is_ok() { moved } else { inside });
            }
        }
        if dir != path {
            let _ = fs::remove_dir(&dir);
        }
    }
    let _ = fs::remove_dir(path);
}

#[cfg(unix)]
fn open_up(dir: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(dir, fs::Permissions::from_mode(0o700));
}

#[cfg(not(unix))]
fn open_up(_: &Path) {}

/// Makes the folder in which a process runs: a link for every entry of the bot's folder, but those that are hidden.
#[cfg(unix)]
pub fn furnish(work: &Path, dir: &Path, hidden: &[PathBuf]) -> Result<(), String> {
    let said = |error: io::Error| format!("{}: {error}", dir.display());
    private_dir(work).map_err(said)?;
    for (count, entry) in fs::read_dir(dir).map_err(said)?.enumerate() {
        let entry = entry.map_err(said)?;
        if count >= MOST_ENTRIES {
            let shown = dir.display();
            return Err(format!("{shown} holds more than {MOST_ENTRIES} entries: give the bot a folder of its own"));
        }
        if !hidden.contains(&entry.path()) {
            std::os::unix::fs::symlink(entry.path(), work.join(entry.file_name())).map_err(said)?;
        }
    }
    Ok(())
}

/// How many entries a bot's folder may hold.
#[cfg(unix)]
const MOST_ENTRIES: usize = 10_000;
