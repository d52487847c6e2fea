//! Instructions for a bot's supervisor and launcher, passed as a file in the folder of its process.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::backend::Backend;
use super::cgroup::Cgroup;
use super::linux::last_stage::LastStage;
use super::process_dir::ProcessDir;
use arena_tournament::spec::Limits;

/// Everything that is needed to launch and supervise a bot.
#[derive(Debug, Serialize, Deserialize)]
pub struct Instructions {
    /// The last stage of the bot's start.
    pub stage: LastStage,
    /// Resource limits.
    pub limits: Limits,
    /// Isolation backend.
    pub backend: Backend,
    /// Files and folders that the bot may read.
    #[serde(with = "as_on_disk")]
    pub read: Vec<PathBuf>,
    /// Paths within the readable ones that the bot may not read.
    #[serde(with = "as_on_disk")]
    pub hidden: Vec<PathBuf>,
    /// Cores to which the bot is pinned.
    pub cores: Option<Vec<usize>>,
    /// Persistent folder that the bot may write to.
    pub cache: Option<PathBuf>,
    /// True for a build, whose writes to the persistent folder count towards the disk limit.
    pub is_build: bool,
    /// True if the bot may use the network.
    pub network: bool,
    /// Control group that the bot enters.
    pub group: Option<Cgroup>,
}

impl Instructions {
    /// Reads the instructions from a process's folder.
    pub fn read(dir: &ProcessDir) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(dir.instructions())?)?)
    }

    /// Returns the paths in the bot's file system that the bot did not create.
    pub fn granted(&self) -> Vec<PathBuf> {
        self.read.iter().chain(&self.hidden).cloned().collect()
    }

    /// Writes the instructions to a process's folder. They are private to the owner, because they contain the bot's environment.
    pub fn write(&self, dir: &ProcessDir) -> io::Result<()> {
        let mut file = fs::File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(dir.instructions())?;
        file.write_all(&serde_json::to_vec(self)?)
    }
}

/// Serialisation of paths that need not be UTF-8.
mod as_on_disk {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(paths.iter().map(|path| path.as_os_str()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
        Ok(Vec::<OsString>::deserialize(from)?
            .into_iter()
            .map(PathBuf::from)
            .collect())
    }
}

/// Reason why a bot could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The bot's program cannot be started; its author can fix this.
    #[error("{0}")]
    Bot(String),
    /// The arena or the machine failed; the bot is not to blame.
    #[error("{0}")]
    Arena(String),
}
