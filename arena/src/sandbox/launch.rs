//! The description of a bot that is to be launched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arena_tournament::spec::Limits;

/// All that is needed to start a bot in a sandbox.
pub struct Launch<'a> {
    /// The program and its arguments.
    pub command: &'a [String],
    /// The bot's folder.
    pub dir: &'a Path,
    /// Additions to its environment.
    pub env: &'a BTreeMap<String, String>,
    /// The files and folders that it may read beside its own.
    pub read: &'a [PathBuf],
    /// Its limits.
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
