//! Unfinished matches of people. Each is saved in a separate file, so that it can resume after a restart.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use arena_engine::chance::Seed;
use arena_engine::seat::Seat;
use arena_ledger::lock::Lock;
use arena_runner::Begun;
use serde::{Deserialize, Serialize};

use super::setup::NewTable;
use crate::key;

/// The folder of saved matches, within the served folder. It is hidden, to keep it out of the list of tournaments.
pub const FOLDER: &str = "played/.open";
/// Extension of the files.
const END: &str = "json";

/// Reply of a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Answers the question of this turn with an action.
    Act { turn: u32, action: String },
    /// Leaves the match.
    Leave,
}

/// An unfinished match, with everything needed to resume it. Programs are stored only by name, and the command line must still provide
/// them.
#[derive(Clone, Serialize, Deserialize)]
pub struct Saved {
    pub wanted: NewTable,
    pub seed: Seed,
    /// Keys by seat.
    pub keys: Vec<String>,
    /// The key of the spectators.
    pub watch: String,
    pub begun: Option<Begun>,
    /// Accepted replies that are not in `begun` yet.
    #[serde(default)]
    pub replies: Vec<(Seat, Reply)>,
    /// Seats that have used a hint, each with the turn. Hints that `begun` contains are left out.
    #[serde(default)]
    pub hinted: Vec<(Seat, u32)>,
    /// Number of rematches that led to this match, by the seat of the person who opened them.
    #[serde(default)]
    pub rematches: Vec<u32>,
    /// The folder of the match; `None` until it is over.
    #[serde(default)]
    pub folder: Option<String>,
}

impl Saved {
    /// Returns a match that has not begun.
    pub fn new(
        wanted: NewTable,
        rematches: Vec<u32>,
        seed: Seed,
        keys: Vec<String>,
        watch: String,
    ) -> Self {
        Self {
            wanted,
            seed,
            keys,
            watch,
            begun: None,
            replies: Vec::new(),
            hinted: Vec::new(),
            rematches,
            folder: None,
        }
    }

    /// Adds a reply. An action replaces an earlier one of the same seat, which was not legal.
    pub fn accept(&mut self, seat: Seat, reply: Reply) {
        let is_act = |reply: &Reply| matches!(reply, Reply::Act { .. });
        let is_replaced =
            |(other, earlier): &(Seat, Reply)| *other == seat && is_act(earlier) == is_act(&reply);
        self.replies.retain(|earlier| !is_replaced(earlier));
        self.replies.push((seat, reply));
    }

    /// Returns the accepted action of a seat in a turn, if there is one.
    pub fn action(&self, seat: Seat, of: u32) -> Option<&str> {
        self.replies.iter().find_map(|(other, reply)| match reply {
            Reply::Act { turn, action } if (*other, *turn) == (seat, of) => Some(&**action),
            _ => None,
        })
    }

    /// Saves a step of the match, which includes all actions accepted so far.
    pub fn step(&mut self, begun: Begun) {
        self.begun = Some(begun);
        self.replies
            .retain(|(_, reply)| matches!(reply, Reply::Leave));
        self.hinted.clear();
    }

    pub fn read(file: &Path) -> anyhow::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(file)?)?)
    }

    /// Writes the file atomically.
    pub fn write(&self, file: &Path) -> anyhow::Result<()> {
        let new = file.with_extension("new");
        // The file may have been left by a server that was killed.
        if new.exists() {
            fs::remove_file(&new)?;
        }
        key::private(&new)?.write_all(&serde_json::to_vec(self)?)?;
        Ok(fs::rename(&new, file)?)
    }
}

/// The folder of saved matches, which is locked by one server at a time.
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

    /// Returns a path for a new match. The file name is public, so it must not be the key of a seat.
    pub fn file(&self) -> anyhow::Result<PathBuf> {
        Ok(self.dir.join(key::new()?).with_extension(END))
    }

    /// Returns the files of saved matches.
    pub fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let all = entries.map(|entry| entry.path());
        all.filter(|path| path.extension().is_some_and(|end| end == END))
            .collect()
    }
}
