//! What the arena, the keeper of a bot and its launcher tell one another: a file with the order, and lines of JSON.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Exit;
use super::cage::Bars;
use super::limits::Limits;

/// All that is needed to keep and to launch a bot; lies in the bot's room until it is launched.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The bot's folder.
    pub dir: PathBuf,
    /// Its whole environment.
    pub env: BTreeMap<String, String>,
    /// What it may use.
    pub limits: Limits,
    /// What its cage is made of.
    pub bars: Bars,
    /// What it may read.
    pub read: Vec<PathBuf>,
    /// What it may not read although it lies within.
    pub hidden: Vec<PathBuf>,
    /// The processors that it is bound to.
    pub cores: Option<Vec<usize>>,
}

/// From the arena to the keeper. That the arena is gone means to kill.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Down {
    /// To end by itself within some milliseconds.
    Quit(u64),
    /// To end at once.
    Kill,
}

/// From the keeper to the arena.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Up {
    /// The launcher runs, and will be the bot.
    Started(u32),
    /// It does not, and this is why.
    Failed(String),
    /// The bot's own process, if it is another.
    Bot(u32),
    /// The bot's own process has ended.
    Exited(Exit),
    /// Nothing is left of it.
    Gone(Exit),
}

/// A room is a folder for one process: for what it needs at the start, and for all that it writes.
pub struct Room<'a>(pub &'a Path);

impl Room<'_> {
    /// Where the keeper reaches the arena.
    pub fn link(&self) -> PathBuf {
        self.0.join("link")
    }

    /// The order.
    pub fn order(&self) -> PathBuf {
        self.0.join("order")
    }

    /// Why the bot could not be launched.
    pub fn failure(&self) -> PathBuf {
        self.0.join("failure")
    }

    /// Where the bot runs.
    pub fn work(&self) -> PathBuf {
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
}
