//! Keeps bots: starts each in a cage of its own, watches what it uses, and ends it with everything that it started.
//!
//! On Linux three processes are at work for each bot. The arena (`kept.rs`) starts `arena keep` (`keep.rs`), which stays
//! between it and the bot: it adopts whatever the bot's processes leave behind, holds them to their limits, and ends them
//! all when the arena says so or is gone. It starts `arena launch` (`launch.rs`), which puts itself into the cage and
//! becomes the bot. Lines go between the arena and the bot directly. Elsewhere (`plain.rs`) a bot is a child of the arena.

#[cfg(target_os = "linux")]
mod bubblewrap;
pub mod cage;
mod demand;
mod folders;
#[cfg(target_os = "linux")]
pub mod keep;
#[cfg(target_os = "linux")]
mod kept;
#[cfg(not(target_os = "linux"))]
#[path = "plain.rs"]
mod kept;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
pub mod launch;
pub mod limits;
mod scratch;
#[cfg(target_os = "linux")]
mod strays;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod watch;
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::cage::Cage;
pub use self::kept::{Kept, prepare};
use self::limits::Limits;

/// What is needed to start a bot.
pub struct Launch<'a> {
    /// The program and its arguments.
    pub command: &'a [String],
    /// The bot's folder.
    pub dir: &'a Path,
    /// What is added to its environment.
    pub env: &'a BTreeMap<String, String>,
    /// What it may read beside its folder.
    pub read: &'a [PathBuf],
    /// What it may use.
    pub limits: Limits,
    /// What it is put into.
    pub cage: &'a Cage,
    /// The processors that it is bound to, if it is.
    pub cores: Option<&'a [usize]>,
}

/// Why a bot could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its program cannot be, for its author.
    #[error("{0}")]
    Bot(String),
    /// The arena, or the machine, is not able to; the bot is not to blame.
    #[error("{0}")]
    Arena(String),
}

/// How a bot is to end.
#[derive(Clone, Copy, Debug)]
pub enum Ending {
    /// By itself within this time; then it is told to, and then killed.
    Quit(Duration),
    /// At once.
    Kill,
}

/// How a bot ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// Its code or the signal, in words: `exited with code 3`.
    pub status: String,
    /// How long its processes have computed.
    pub cpu: Duration,
    /// The most memory that it has used at a time, in bytes.
    pub max_rss: u64,
    /// How many other processes it left running.
    pub left: u32,
    /// Why it was ended, if it broke a limit or could not be started: `used more than 2048 MiB of memory`.
    pub why: Option<String>,
}

impl Exit {
    /// Why it ended, for its author: the limit it broke, or its status.
    pub fn reason(&self) -> &str {
        self.why.as_deref().unwrap_or(&self.status)
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.status)?;
        if let Some(why) = &self.why {
            write!(f, "; {why}")?;
        }
        match self.left {
            0 => {}
            1 => f.write_str("; left a process running, which was ended (a wrapper script should exec the bot)")?,
            left => write!(f, "; left {left} processes running, which were ended")?,
        }
        write!(f, "; computed for {:.2} s, used {} MiB at most", self.cpu.as_secs_f64(), self.max_rss >> 20)
    }
}
