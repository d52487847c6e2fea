//! The instructions for the supervisor and the launcher of a bot: a file in the folder of its process.

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

/// All that is needed to launch a bot and to supervise it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Instructions {
    /// The last stage of its start.
    pub stage: LastStage,
    /// Its limits.
    pub limits: Limits,
    /// The way to isolate it.
    pub backend: Backend,
    /// The files and folders that it may read.
    #[serde(with = "as_on_disk")]
    pub read: Vec<PathBuf>,
    /// Those within that it may not read.
    #[serde(with = "as_on_disk")]
    pub hidden: Vec<PathBuf>,
    /// The processors that it is bound to.
    pub cores: Option<Vec<usize>>,
    /// The folder that stays, to which it may write.
    pub cache: Option<PathBuf>,
    /// True for a build: what it writes to the folder that stays counts as well.
    pub is_build: bool,
    /// True if it may use the network.
    pub network: bool,
    /// The control group that it enters.
    pub group: Option<Cgroup>,
}

impl Instructions {
    /// Reads them from the folder of a process.
    pub fn read(dir: &ProcessDir) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(dir.instructions())?)?)
    }

    /// What has a place in its file system, though others made it.
    pub fn granted(&self) -> Vec<PathBuf> {
        self.read.iter().chain(&self.hidden).cloned().collect()
    }

    /// Writes them there, for nobody else: they hold the bot's environment.
    pub fn write(&self, dir: &ProcessDir) -> io::Result<()> {
        let mut file = fs::File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(dir.instructions())?;
        file.write_all(&serde_json::to_vec(self)?)
    }
}

/// Paths whose names need not be UTF-8.
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
