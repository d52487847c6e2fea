//! Runs bots in sandboxes: starts each in one of its own, watches what it uses, and ends it with all that it has started.
//!
//! On Linux (`linux`) a supervisor stays between the arena and each bot; elsewhere (`unsupervised`) a bot is a child of the
//! arena.

pub mod access;
mod backend;
mod choice;
pub mod cores;
mod exit;
mod idle;
mod instructions;
pub mod interpreter;
#[cfg(target_os = "linux")]
pub mod linux;
pub mod paths;
mod process_dir;
mod protection;
pub mod scan;
mod scratch;
#[cfg(not(target_os = "linux"))]
mod unsupervised;
mod usage;
#[cfg(unix)]
mod working_dir;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arena_tournament::entrant::{Cores, Program};
use arena_tournament::spec::{Isolation, Limits};

pub use self::backend::Backend;
use self::choice::Chosen;
pub use self::choice::{Available, Refusal, Wanted, choose};
pub use self::exit::{Ending, Exit, NOT_STARTED};
pub use self::idle::{Idler, Watchlist};
use self::instructions::Instructions;
pub use self::instructions::StartError;
#[cfg(target_os = "linux")]
use self::linux as platform;
pub use self::platform::{Cgroups, Meter, SandboxedChild, Users, groups, is_root};
pub use self::process_dir::ProcessDir;
pub use self::protection::{ATTACKS, Attack};
pub use self::scan::hidden_of;
use self::scan::{Scan, is_reachable};
use self::scratch::Scratch;
#[cfg(not(target_os = "linux"))]
use self::unsupervised as platform;
pub use self::usage::{Reading, State, Thread};

/// The isolation of the bots of this run, and where they write.
#[derive(Debug)]
pub struct Sandbox {
    /// None if nothing is to be started.
    chosen: Option<Chosen>,
    scratch: Scratch,
    groups: Option<Cgroups>,
    /// What bots compute outside their turns.
    pub watchlist: Arc<Watchlist>,
    read: Vec<PathBuf>,
    /// True if every user comes to these files, and to the folders of processes.
    is_for_everybody: bool,
    hidden: BTreeSet<PathBuf>,
    /// What is hidden, too, from those who may read what is not for everybody.
    secrets: Vec<PathBuf>,
    scans: Mutex<BTreeMap<PathBuf, Arc<Scan>>>,
}

/// Why there is no sandbox.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The isolation that is wanted cannot be had.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Temporary files cannot be written.
    #[error("cannot make a folder for temporary files in {dir} (TMPDIR): {0}", dir = std::env::temp_dir().display())]
    NoScratch(#[from] io::Error),
}

/// Tries what this machine offers.
pub fn available() -> Result<Available, SandboxError> {
    platform::prepare();
    Ok(platform::probe(&Scratch::new()?))
}

impl Sandbox {
    /// Makes a sandbox with the best isolation that this machine offers, found by trying, or with what is demanded. What is
    /// hidden cannot be read by any bot, though it may lie in a folder that can.
    pub fn new(wanted: Wanted, hidden: impl IntoIterator<Item = PathBuf>) -> Result<Self, SandboxError> {
        platform::prepare();
        let scratch = Scratch::new()?;
        let hidden = hidden.into_iter().map(|path| std::fs::canonicalize(&path).unwrap_or(path));
        let hidden = hidden.chain([scratch.path().to_path_buf()]).collect();
        let chosen = match wanted.isolation {
            Isolation::Off => Chosen::off(),
            _ => choose(wanted, &platform::probe(&scratch))?,
        };
        let read = access::system();
        let is_for_everybody = scratch.is_reachable() && read.iter().all(|path| is_reachable(path));
        Ok(Self {
            chosen: Some(chosen),
            scratch,
            groups: groups().ok(),
            watchlist: Arc::default(),
            read,
            is_for_everybody,
            hidden,
            secrets: access::secrets(),
            scans: Mutex::default(),
        })
    }

    /// Makes a sandbox in which nothing is to be started.
    pub fn unused() -> Result<Self, SandboxError> {
        Ok(Self {
            chosen: None,
            scratch: Scratch::new()?,
            groups: None,
            watchlist: Arc::default(),
            read: Vec::new(),
            is_for_everybody: true,
            hidden: BTreeSet::new(),
            secrets: Vec::new(),
            scans: Mutex::default(),
        })
    }

    /// Describes what holds in it in one line, unless nothing is to be started.
    pub fn describe(&self) -> Option<String> {
        self.chosen.as_ref().map(Chosen::describe)
    }

    /// True if bots do not see the command lines of other processes.
    pub fn hides_processes(&self) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| matches!(chosen.backend, Backend::Bubblewrap(_)))
    }

    /// True if this is less than could be had elsewhere.
    pub fn is_degraded(&self) -> bool {
        self.chosen.as_ref().is_some_and(|chosen| chosen.no_better.is_some())
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
        let Some(Chosen { backend, users, .. }) = &self.chosen else {
            return Err(StartError::Arena("nothing was to be started".into()));
        };
        let process_dir = self.scratch.process_dir(users.as_ref().map_or(u32::MAX, |users| users.count()));
        let (process_dir, number) =
            process_dir.map_err(|error| StartError::Arena(failed(self.scratch.path(), error)))?;
        let group = self.groups.as_ref().map(|groups| groups.make(&limits)).transpose();
        let group = group.map_err(|error| StartError::Arena(format!("its control group cannot be made: {error}")))?;
        let command = access::located(&program.command, &dir);
        let mut own = vec![dir.clone()];
        own.extend(program.read.iter().cloned());
        let mut read = [self.read.as_slice(), &own].concat();
        let named = access::named_in(&command, &dir, &read);
        own.extend(named.iter().cloned());
        read.extend(named);
        let scans: Vec<Arc<Scan>> = own.iter().map(|path| self.scan(path)).collect();
        let reads_all = !self.is_for_everybody || !scans.iter().all(|scan| scan.is_for_everybody);
        let user = users.as_ref().map(|users| users.user(number, reads_all));
        let hidden = self.hidden(&scans, reads_all || user.is_none());
        let instructions = Instructions {
            command,
            env: environment(&program.env, &process_dir),
            limits,
            backend: backend.clone(),
            hidden: access::hidden_within(&hidden, &read, &own),
            read,
            beside: program.read.clone(),
            dir,
            user,
            cores: (program.cores != Cores::One).then(cores::allowed),
            group,
        };
        Ok((process_dir, instructions))
    }

    /// All that is hidden from a bot; the secrets of the system only if it could read them.
    fn hidden(&self, scans: &[Arc<Scan>], reads_secrets: bool) -> BTreeSet<PathBuf> {
        let secrets = if reads_secrets { self.secrets.as_slice() } else { &[] };
        let tournaments = scans.iter().flat_map(|scan| &scan.tournaments).flat_map(|folder| hidden_of(folder));
        self.hidden.iter().chain(secrets).cloned().chain(tournaments).collect()
    }

    /// What lies in one of a bot's folders, as it was when it was first asked for.
    fn scan(&self, path: &Path) -> Arc<Scan> {
        let mut scans = self.scans.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(scans.entry(path.to_path_buf()).or_insert_with(|| Arc::new(Scan::of(path))))
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
