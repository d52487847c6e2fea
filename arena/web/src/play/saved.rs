//! Matches of people that are not over: each is saved in a file of its own, and goes on after a restart.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use arena_engine::chance::Seed;
use arena_ledger::lock::Lock;
use arena_runner::Begun;
use serde::{Deserialize, Serialize};

use super::setup::NewTable;
use crate::key;

/// The folder for them, in the one that is served. Its name keeps it out of the list of tournaments.
pub const FOLDER: &str = "played/.open";
/// The end of the files' names.
const END: &str = "json";

/// A match, with all that it takes to go on. Programs are those of the command line, as when it began.
#[derive(Clone, Serialize, Deserialize)]
pub struct Saved {
    pub wanted: NewTable,
    pub seed: Seed,
    /// The key of each seat.
    pub keys: Vec<String>,
    /// The key of those who only watch.
    pub watch: String,
    pub begun: Option<Begun>,
}

impl Saved {
    pub fn read(file: &Path) -> anyhow::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(file)?)?)
    }

    /// Writes the file, of which no reader sees half.
    pub fn write(&self, file: &Path) -> anyhow::Result<()> {
        let new = file.with_extension("new");
        // A server that was killed may have left it.
        if new.exists() {
            fs::remove_file(&new)?;
        }
        key::private(&new)?.write_all(&serde_json::to_vec(self)?)?;
        Ok(fs::rename(&new, file)?)
    }
}

/// The folder of the files, for one server at a time.
pub struct Folder {
    dir: PathBuf,
    _lock: Lock,
}

impl Folder {
    pub fn take(root: &Path) -> anyhow::Result<Self> {
        let dir = root.join(FOLDER);
        fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        let lock = Lock::take(&dir)?;
        Ok(Self { dir, _lock: lock })
    }

    /// A file for a new match. Its name is no key of a seat: others may see it.
    pub fn file(&self) -> anyhow::Result<PathBuf> {
        Ok(self.dir.join(key::new()?).with_extension(END))
    }

    /// The files that there are.
    pub fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let all = entries.map(|entry| entry.path());
        all.filter(|path| path.extension().is_some_and(|end| end == END))
            .collect()
    }
}
