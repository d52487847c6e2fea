//! The folder made for one process: what it needs at the start, and all that it writes.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::users::{User, is_root};

/// The beginnings of the names of files and folders that are not worth keeping: hidden ones and caches.
const CACHES: [&str; 5] = [
    ".",
    "__pycache__",
    "hsperfdata_",
    "tmp",
    "node-compile-cache",
];
/// How many files are named.
const NAMED: usize = 3;

/// The folder of one process.
#[derive(Clone, Debug)]
pub struct ProcessDir(pub PathBuf);

impl ProcessDir {
    /// The socket at which the supervisor reaches the arena.
    pub fn socket(&self) -> PathBuf {
        self.0.join("socket")
    }

    /// The instructions for supervisor and launcher.
    pub fn instructions(&self) -> PathBuf {
        self.0.join("instructions")
    }

    /// What the working directory of the bot is in, or is.
    pub fn outer(&self) -> PathBuf {
        self.0.join("work")
    }

    /// Its temporary folder, and its home.
    pub fn tmp(&self) -> PathBuf {
        self.0.join("tmp")
    }

    /// Its shared memory.
    pub fn shm(&self) -> PathBuf {
        self.0.join("shm")
    }

    /// Creates what the bot may write to beside its working directory, and gives all of it to its user if that is another.
    pub fn create_writable(&self, work: &Path, user: Option<User>) -> io::Result<()> {
        let [tmp, shm] = [self.tmp(), self.shm()];
        create_private(&tmp)?;
        create_private(&shm)?;
        let Some(user) = user else { return Ok(()) };
        [work, &tmp, &shm]
            .into_iter()
            .try_for_each(|path| user.give(path))
    }

    /// The names of some files that the bot has written, and which are lost with the folder. At those that were granted to it
    /// bubblewrap has left an empty file.
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
                    _ if found.len() == NAMED => return found,
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

/// Creates a folder that is only for its owner.
pub fn create_private(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().mode(0o700).create(path)
}

/// Creates a folder for its owner, which the users of bots can traverse if there are such.
pub fn create_traversable(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .mode(if is_root() { 0o711 } else { 0o700 })
        .create(path)
}

/// Removes a folder with all that is in it, as far as possible: whatever rights a bot took from it, and however deep it has
/// nested folders, which are moved up one by one rather than descended into.
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
                // Those at the top stay, or the running listing would find them again.
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
