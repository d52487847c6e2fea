//! Runs bots in sandboxes: starts each in one of its own, watches what it uses, and ends it with all that it has started.
//!
//! On Linux (`linux`) a supervisor stays between the arena and each bot; elsewhere (`unsupervised`) a bot is a child of the
//! arena.

mod access;
mod backend;
mod exit;
mod idle;
mod instructions;
#[cfg(target_os = "linux")]
pub mod linux;
mod process_dir;
mod scratch;
#[cfg(not(target_os = "linux"))]
mod unsupervised;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arena_tournament::entrant::{Cores, Program};
use arena_tournament::spec::{Isolation, Limits};

use self::backend::{Backend, choose};
pub use self::exit::{Ending, Exit};
pub use self::idle::{Idler, Watchlist};
use self::instructions::Instructions;
pub use self::instructions::StartError;
#[cfg(target_os = "linux")]
use self::linux as platform;
pub use self::platform::{Meter, Reading, SandboxedChild, State, Thread};
pub use self::process_dir::ProcessDir;
use self::scratch::Scratch;
#[cfg(not(target_os = "linux"))]
use self::unsupervised as platform;
use crate::cores;

/// The isolation of the bots of this run, and where they write.
#[derive(Debug)]
pub struct Sandbox {
    backend: Backend,
    /// One line that describes what holds, unless nothing is to be started.
    description: Option<String>,
    is_degraded: bool,
    scratch: Scratch,
    groups: Option<platform::Cgroups>,
    /// What bots compute outside their turns.
    pub watchlist: Arc<Watchlist>,
    read: Vec<PathBuf>,
    hidden: BTreeSet<PathBuf>,
}

/// Why there is no sandbox.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The isolation that was demanded is not to be had.
    #[error("the isolation that is required cannot be had: {0}")]
    Unavailable(String),
    /// Temporary files cannot be written.
    #[error("cannot make a folder for temporary files: {0}")]
    NoScratch(#[from] io::Error),
}

impl Sandbox {
    /// Makes a sandbox with the best isolation that this machine offers, found by trying, or with what is demanded. What is
    /// hidden cannot be read by any bot, though it may lie in a folder that can.
    pub fn new(isolation: Isolation, hidden: impl IntoIterator<Item = PathBuf>) -> Result<Self, SandboxError> {
        platform::prepare();
        let scratch = Scratch::new()?;
        let hidden = hidden.into_iter().map(|path| std::fs::canonicalize(&path).unwrap_or(path));
        let hidden = hidden.chain(access::secrets()).chain([scratch.path().to_path_buf()]).collect();
        let (backend, no_better) =
            choose(isolation, || platform::probe(&scratch)).map_err(SandboxError::Unavailable)?;
        Ok(Self {
            description: Some(backend.describe(no_better.as_deref())),
            backend,
            is_degraded: no_better.is_some(),
            scratch,
            groups: platform::groups(),
            watchlist: Arc::default(),
            read: access::system(),
            hidden,
        })
    }

    /// Makes a sandbox in which nothing is to be started.
    pub fn unused() -> Result<Self, SandboxError> {
        let (backend, scratch) = (Backend::None, Scratch::new()?);
        Ok(Self {
            backend,
            description: None,
            is_degraded: false,
            scratch,
            groups: None,
            watchlist: Arc::default(),
            read: Vec::new(),
            hidden: BTreeSet::new(),
        })
    }

    /// Describes what holds in it in one line, unless nothing is to be started.
    pub fn describe(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// True if this is less than could be had elsewhere.
    pub fn is_degraded(&self) -> bool {
        self.is_degraded
    }

    /// Starts a bot.
    pub async fn start(&self, program: &Program, limits: Limits) -> Result<SandboxedChild, StartError> {
        let (dir, instructions) = self.instruct(program, limits)?;
        SandboxedChild::start(dir, instructions).await
    }

    /// The folder for a new process, and what is to run there.
    fn instruct(&self, program: &Program, limits: Limits) -> Result<(ProcessDir, Instructions), StartError> {
        let failed = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        let dir = std::fs::canonicalize(&program.dir).map_err(|error| StartError::Bot(failed(&program.dir, error)))?;
        let process_dir = self.scratch.process_dir();
        let process_dir = process_dir.map_err(|error| StartError::Arena(failed(self.scratch.path(), error)))?;
        let group = self.groups.as_ref().map(|groups| groups.make(process_dir.name(), &limits)).transpose();
        let group = group.map_err(|error| StartError::Arena(format!("its control group cannot be made: {error}")))?;
        let mut own = vec![dir.clone()];
        own.extend(program.read.iter().cloned());
        let mut read = [self.read.as_slice(), &own].concat();
        let named = access::named_in(&program.command, &dir, &read);
        own.extend(named.iter().cloned());
        read.extend(named);
        let instructions = Instructions {
            command: access::in_working_folder(&program.command, &dir),
            env: environment(&program.env, &process_dir),
            limits,
            backend: self.backend.clone(),
            hidden: access::hidden_within(&self.hidden, &read, &own),
            read,
            dir,
            cores: (program.cores != Cores::One).then(cores::allowed),
            group,
        };
        Ok((process_dir, instructions))
    }
}

/// The whole environment of a bot: what says where programs are and which language is spoken, its folders, and its own.
fn environment(own: &BTreeMap<String, String>, dir: &ProcessDir) -> BTreeMap<String, String> {
    let kept = |name: &str| ["PATH", "LANG", "TZ"].contains(&name) || name.starts_with("LC_") || is_needed(name);
    let mut env: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| kept(name))
        .collect();
    let tmp = dir.tmp().display().to_string();
    env.extend(["HOME", "TMPDIR"].map(|name| (name.to_owned(), tmp.clone())));
    env.extend(own.clone());
    env
}

/// True for what no program can do without on Windows.
fn is_needed(name: &str) -> bool {
    cfg!(windows) && ["SYSTEMROOT", "PATHEXT", "COMSPEC", "WINDIR"].contains(&name.to_ascii_uppercase().as_str())
}
