//! What is to be launched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arena_tournament::spec::Limits;

/// What is needed to start a bot in a sandbox.
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
