//! The folder of one process: its start files and everything that it writes.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::users::{User, is_root};

/// Name prefixes of files and folders that are not reported: hidden ones and caches.
const CACHES: [&str; 5] = [
    ".",
    "__pycache__",
    "hsperfdata_",
    "tmp",
    "node-compile-cache",
];
/// Maximum number of reported files.
const MAX_NAMED: usize = 3;

/// Folder of one process.
#[derive(Clone, Debug)]
pub struct ProcessDir(pub PathBuf);

impl ProcessDir {
    /// Returns the path of the socket between the supervisor and the arena.
    pub fn socket(&self) -> PathBuf {
        self.0.join("socket")
    }

    /// Returns the path of the instructions for the supervisor and the launcher.
    pub fn instructions(&self) -> PathBuf {
        self.0.join("instructions")
    }

    /// Returns the folder that contains the bot's working directory, or is that directory.
    pub fn outer(&self) -> PathBuf {
        self.0.join("work")
    }

    /// Returns the path of the process's temporary folder, which is also its home.
    pub fn tmp(&self) -> PathBuf {
        self.0.join("tmp")
    }

    /// Returns the path of the process's shared memory.
    pub fn shm(&self) -> PathBuf {
        self.0.join("shm")
    }

    /// Creates the writable folders of the process, except the working directory. If the process has its own user, all of them are given to
    /// that user.
    pub fn create_writable(&self, work: &Path, user: Option<User>) -> io::Result<()> {
        let [tmp, shm] = [self.tmp(), self.shm()];
        create_private(&tmp)?;
        create_private(&shm)?;
        let Some(user) = user else { return Ok(()) };
        [work, &tmp, &shm]
            .into_iter()
            .try_for_each(|path| user.give(path))
    }

    /// Returns the names of some files that the bot wrote, which are removed with the folder. Empty files that bubblewrap leaves as mount
    /// points of granted files are ignored.
    pub fn written(&self, granted: &[PathBuf]) -> Vec<String> {
        let (mut found, mut waiting) = (Vec::new(), vec![self.tmp(), self.outer()]);
        let points = granted
            .iter()
            .filter_map(|path| path.strip_prefix("/tmp").ok());
        let points: Vec<PathBuf> = points.map(|path| self.tmp().join(path)).collect();
        while let Some(dir) = waiting.pop() {
            for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                match entry.file_type() {
                    _ if found.len() == MAX_NAMED => return found,
                    _ if CACHES.iter().any(|cache| name.starts_with(cache)) => {}
                    _ if points.contains(&entry.path()) => {}
                    Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                    Ok(kind) if kind.is_file() => found.push(name),
                    _ => {}
                }
            }
        }
        found
    }

    /// Removes the folder.
    pub fn remove(&self) {
        remove(&self.0);
    }
}

/// Creates a folder that only its owner can access.
pub fn create_private(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().mode(0o700).create(path)
}

/// Creates a folder for its owner that other users, such as those of bots, can traverse.
pub fn create_traversable(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .mode(if is_root() { 0o711 } else { 0o700 })
        .create(path)
}

/// Removes a folder with its content as far as possible, even if a bot has removed permissions. Nested folders are moved up rather than
/// descended into, so that any depth works.
pub fn remove(path: &Path) {
    let mut waiting = vec![path.to_path_buf()];
    let mut number = 0_u64;
    while let Some(dir) = waiting.pop() {
        make_accessible(&dir);
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let inside = entry.path();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let _ = fs::remove_file(&inside);
            } else if fs::remove_dir(&inside).is_err() {
                make_accessible(&inside);
                number += 1;
                let moved = path.join(format!(".{number}"));
                // Folders that are already at the top stay in place, because renaming them would make the running listing return them
                // again.
                waiting.push(if dir != path && fs::rename(&inside, &moved).is_ok() {
                    moved
                } else {
                    inside
                });
            }
        }
        if dir != path {
            let _ = fs::remove_dir(&dir);
        }
    }
    let _ = fs::remove_dir(path);
}

fn make_accessible(dir: &Path) {
    let _ = fs::set_permissions(dir, fs::Permissions::from_mode(0o700));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_granted_to_a_bot_was_not_written_by_it() {
        let own = tempfile::tempdir().unwrap();
        let dir = ProcessDir(own.path().to_path_buf());
        fs::create_dir_all(dir.tmp().join("bots")).unwrap();
        for file in ["bot.py", "bots/rules.py", "weights.bin"] {
            fs::write(dir.tmp().join(file), "").unwrap();
        }
        let granted = ["/usr", "/tmp/bot.py", "/tmp/bots/rules.py"].map(PathBuf::from);
        assert_eq!(dir.written(&granted), ["weights.bin"]);
    }
}
