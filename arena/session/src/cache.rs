//! The user's cache of copies of bots. Each copy is stored with a hash of its content, under a key that identifies everything that the copy
//! was made from.

use std::fs::{self, DirEntry, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, SystemTime};

use anyhow::Context;
use arena_runner::status::status;
use arena_sandbox::ProcessDir;

use crate::snapshot;

/// Age, counted from the last match, after which a copy is removed.
const MAX_AGE: Duration = Duration::from_secs(90 * 86_400);
/// Minimum age of a copy that is removed because of the total size, counted from the start of the last run that used the copy.
const MIN_AGE: Duration = Duration::from_secs(7 * 86_400);
/// Age after which an unfinished copy must have been left by an arena that was killed. A build takes much less time.
const MAX_UNFINISHED_AGE: Duration = Duration::from_secs(3_600);
/// Maximum total size of all copies. Beyond it, copies older than `MIN_AGE` are removed.
const MAX_BYTES: u64 = 10 << 30;
/// Limits the removal of old copies to once per process, because it reads the sizes of all copies.
static FORGET_OLD: Once = Once::new();

/// The beginning of the random name of an unfinished copy.
const UNFINISHED: &str = "part-";
/// The folder with the files of a copy.
const FILES: &str = "files";
/// The file with the hash of the copied files.
const CONTENT: &str = "sha256";

/// The cache of copies, private to this user.
pub struct Cache(PathBuf);

/// A copy that is being made. Dropping it removes the copy.
pub struct Unfinished(ProcessDir);

impl Unfinished {
    /// Returns the folder for the copy's files. The folder does not exist yet.
    pub fn files(&self) -> PathBuf {
        self.0.0.join(FILES)
    }

    /// Returns the folder for the build. The folder does not exist yet.
    pub fn building(&self) -> PathBuf {
        self.0.0.join("building")
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.remove();
    }
}

impl Cache {
    /// Opens the cache, creating it if necessary.
    pub fn open() -> anyhow::Result<Self> {
        let of_user = std::env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute());
        let base = of_user.or_else(|| std::env::home_dir().map(|home| home.join(".cache")));
        let base = base.context(
            "HOME is not set, so there is no folder for copies of bots: set it, or XDG_CACHE_HOME",
        )?;
        let cache = base.join(snapshot::COPIES);
        let made = fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&cache);
        let cache = made.and_then(|()| fs::canonicalize(&cache)).with_context(|| {
            format!("copies of bots are kept in {}: set XDG_CACHE_HOME to a folder that you may write to", cache.display())
        })?;
        Ok(Self(cache))
    }

    /// Returns the folder that holds all copies.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Returns the folder for the files of a copy, whether or not the copy exists.
    pub fn home(&self, key: &str) -> PathBuf {
        self.0.join(key).join(FILES)
    }

    /// Returns the folder with the files of a copy if they are unchanged. A copy that has changed is removed.
    pub fn take(&self, key: &str) -> Option<PathBuf> {
        let (copy, home) = (self.0.join(key), self.home(key));
        if !copy.exists() {
            return None;
        }
        let made = fs::read_to_string(copy.join(CONTENT)).ok();
        if made.is_none() || made != snapshot::hash_all(&home).ok() {
            status(format_args!(
                "damaged    {} has been changed or damaged, and is made again",
                copy.display()
            ));
            // Rename the copy first, so that no other arena uses one that is half removed.
            let removed = self.begin().ok()?;
            let _ = fs::rename(&copy, removed.files());
            return None;
        }
        // Mark the copy as recently used.
        let _ = File::open(&copy).and_then(|folder| folder.set_modified(SystemTime::now()));
        Some(home)
    }

    /// Begins a copy under a random name, because other machines and containers may share the cache.
    pub fn begin(&self) -> io::Result<Unfinished> {
        FORGET_OLD.call_once(|| forget_old(&self.0, MAX_BYTES));
        let folder = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(&self.0)?;
        // Bots may run as separate users, which must be able to read their copies.
        let shared = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(folder.path(), shared)?;
        Ok(Unfinished(ProcessDir(folder.keep())))
    }

    /// Stores a complete copy under its key, and returns the folder of its files. If another arena has stored the same copy first, that one
    /// is kept.
    pub fn store(&self, made: &Unfinished, key: &str) -> anyhow::Result<PathBuf> {
        let content = snapshot::hash_all(&made.files())?;
        ProcessDir(made.building()).remove();
        let unfinished = &made.0.0;
        fs::write(unfinished.join(CONTENT), content)?;
        let copy = self.0.join(key);
        match fs::rename(unfinished, &copy) {
            Ok(()) => Some(self.home(key)),
            Err(_) if copy.is_dir() => self.take(key),
            Err(error) => return Err(error).context(copy.display().to_string()),
        }
        .with_context(|| {
            format!(
                "{} was changed just now: run the command again",
                copy.display()
            )
        })
    }
}

/// Returns the key of a copy, given the folder of its files.
pub fn key(home: &Path) -> Option<String> {
    let copy = home.parent()?.file_name()?;
    Some(copy.to_str()?.to_owned())
}

/// Removes copies that have not been used for a long time, and then, while the total size is above the maximum, the least recently used
/// ones. Errors are ignored, because a later run will retry.
fn forget_old(cache: &Path, max_bytes: u64) {
    let age = |folder: DirEntry| {
        let modified = folder.metadata().and_then(|about| about.modified());
        Some((modified.ok()?.elapsed().ok()?, folder.path()))
    };
    let mut copies: Vec<(Duration, PathBuf)> = fs::read_dir(cache)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(age)
        .collect();
    copies.sort_unstable();
    let mut total = 0;
    for (age, copy) in copies {
        total += size(&copy);
        let name = copy.file_name().unwrap_or_default().as_encoded_bytes();
        let max_age = if name.starts_with(UNFINISHED.as_bytes()) {
            MAX_UNFINISHED_AGE
        } else {
            MAX_AGE
        };
        if age > max_age || age > MIN_AGE && total > max_bytes {
            ProcessDir(copy).remove();
        }
    }
}

/// Returns the size of all files in a folder, in bytes.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |entry: DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => size(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// Stores a copy of two files and a link under the key "k".
    fn stored(folder: &Path) -> (Cache, PathBuf) {
        let cache = Cache(folder.to_path_buf());
        let made = cache.begin().unwrap();
        fs::create_dir_all(made.files().join("lib")).unwrap();
        fs::write(made.files().join("bot.py"), "print()").unwrap();
        fs::write(made.files().join("lib/helper.py"), "VERSION = 1").unwrap();
        symlink("bot.py", made.files().join("link")).unwrap();
        let home = cache.store(&made, "k").unwrap();
        (cache, home)
    }

    #[test]
    fn a_copy_that_was_changed_is_not_taken() {
        type Damage = fn(&Path);
        let damages: [Damage; 9] = [
            |home| fs::write(home.join("lib/helper.py"), "VERSION = 2").unwrap(),
            |home| fs::write(home.join("lib/helper.py"), "").unwrap(),
            |home| fs::remove_file(home.join("bot.py")).unwrap(),
            |home| fs::write(home.join("random.py"), "").unwrap(),
            |home| fs::set_permissions(home.join("bot.py"), Permissions::from_mode(0o755)).unwrap(),
            |home| {
                fs::remove_file(home.join("link")).unwrap();
                symlink("lib/helper.py", home.join("link")).unwrap();
            },
            |home| fs::rename(home.join("lib"), home.join("lib2")).unwrap(),
            |home| fs::remove_dir_all(home).unwrap(),
            |home| fs::remove_file(home.with_file_name(CONTENT)).unwrap(),
        ];
        for (number, damage) in damages.into_iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            let (cache, home) = stored(folder.path());
            assert_eq!(cache.take("k"), Some(home.clone()));
            damage(&home);
            assert_eq!(cache.take("k"), None, "damage {number}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
            // The copy is made again.
            let (cache, home) = stored(folder.path());
            assert_eq!(cache.take("k"), Some(home));
        }
    }

    #[test]
    fn of_two_arenas_that_make_the_same_copy_the_first_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, home) = stored(folder.path());
        let second = cache.begin().unwrap();
        fs::create_dir(second.files()).unwrap();
        fs::write(second.files().join("bot.py"), "built a second later").unwrap();
        assert_eq!(cache.store(&second, "k").unwrap(), home);
        drop(second);
        assert_eq!(fs::read_to_string(home.join("bot.py")).unwrap(), "print()");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_least_recently_played_copies_leave_when_all_are_too_large() {
        let cache = tempfile::tempdir().unwrap();
        let days = |days: u64| Duration::from_secs(days * 86_400 + 60);
        for (name, age) in [
            ("a", days(0)),
            ("b", days(8)),
            ("c", days(9)),
            ("d", days(91)),
            ("part-x", MAX_UNFINISHED_AGE * 2),
        ] {
            let copy = cache.path().join(name);
            fs::create_dir_all(copy.join("data")).unwrap();
            fs::write(copy.join("data/model"), [0; 1000]).unwrap();
            let folder = File::open(&copy).unwrap();
            folder.set_modified(SystemTime::now() - age).unwrap();
        }
        let left = || {
            let copies = fs::read_dir(cache.path()).unwrap();
            let names = copies.map(|copy| copy.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort_unstable();
            names.concat()
        };
        forget_old(cache.path(), 10_000);
        assert_eq!(left(), "abc");
        forget_old(cache.path(), 2_500);
        assert_eq!(left(), "ab");
        forget_old(cache.path(), 0);
        assert_eq!(left(), "a", "what was played within a week stays");
    }
}
