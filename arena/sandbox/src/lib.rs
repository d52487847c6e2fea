//! Runs bots in sandboxes: starts each bot, limits and measures its resources, and ends it with all its descendants.
//!
//! A supervisor process stands between the arena and each bot (see `linux`).

pub mod access;
mod backend;
mod cgroup;
mod choice;
mod command;
mod copied;
pub mod cores;
pub mod executable;
mod exit;
mod instructions;
pub mod interpreter;
pub mod linux;
mod machine;
mod meter;
pub mod paths;
mod process_dir;
mod process_tree;
mod protection;
pub mod requests;
pub mod scan;
mod scratch;
mod users;
mod working_dir;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arena_tournament::entrant::{Cores, Program};
use arena_tournament::spec::{Isolation, Limits, Memory};

pub use self::backend::Backend;
pub use self::cgroup::{Cgroups, memory_mb};
pub use self::choice::{Available, Chosen, SandboxError, Wanted, choose};
pub use self::copied::Copied;
pub use self::exit::{Ending, Exit};
use self::instructions::Instructions;
pub use self::instructions::StartError;
pub use self::linux::SandboxedChild;
use self::linux::last_stage::LastStage;
pub use self::meter::{Meter, Thread};
pub use self::process_dir::ProcessDir;
pub use self::protection::{ATTACKS, Attack};
pub use self::scan::hidden_of;
use self::scan::{Scan, is_reachable};
use self::scratch::Scratch;
use self::users::User;
pub use self::users::{Lock, Users, hold, is_root};

/// The file that lists the name servers.
const RESOLVER: &str = "/etc/resolv.conf";

/// The isolation of the bots of a run, and their writable folders. The default value cannot start any bot.
#[derive(Debug, Default)]
pub struct Sandbox {
    setup: Option<Setup>,
    /// The copies from which programs run, by bot name.
    pub copies: BTreeMap<String, Copied>,
}

/// Everything needed to start bots.
#[derive(Debug)]
struct Setup {
    chosen: Chosen,
    scratch: Scratch,
    groups: Option<Cgroups>,
    read: Vec<PathBuf>,
    /// True if every user can reach the copies and the process folders.
    is_for_everybody: bool,
    hidden: BTreeSet<PathBuf>,
    /// Paths that are also hidden from bots that can read files of other users.
    secrets: Vec<PathBuf>,
    scans: Mutex<BTreeMap<PathBuf, Arc<Scan>>>,
}

/// Locks a mutex, ignoring poisoning.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tests which features this machine offers.
pub fn available() -> Result<Available, SandboxError> {
    linux::prepare();
    Ok(linux::probe(&Scratch::new()?))
}

impl Sandbox {
    /// Creates a sandbox with the best isolation that is available on this machine, or with the required one. No bot can read hidden paths,
    /// even within a readable folder.
    pub fn new(
        wanted: Wanted,
        hidden: impl IntoIterator<Item = PathBuf>,
    ) -> Result<Self, SandboxError> {
        linux::prepare();
        let scratch = Scratch::new()?;
        let hidden = hidden
            .into_iter()
            .map(|path| std::fs::canonicalize(&path).unwrap_or(path));
        let hidden = hidden
            .chain([scratch.path.clone()])
            .chain(access::arena().iter().cloned())
            .collect();
        let chosen = match wanted.isolation {
            Isolation::Off => Chosen::OFF,
            _ => choose(wanted, &linux::probe(&scratch))?,
        };
        let (read, secrets) = (access::system(), access::secrets());
        let is_for_everybody = scratch.path.parent().is_some_and(is_reachable)
            && read.iter().all(|path| is_reachable(path));
        let groups = Cgroups::new();
        if wanted.memory == Memory::Kernel {
            Cgroups::check_held(&groups).map_err(SandboxError::MemoryNotHeld)?;
        }
        let setup = Setup {
            chosen,
            scratch,
            groups: groups.ok(),
            read,
            is_for_everybody,
            hidden,
            secrets,
            scans: Mutex::default(),
        };
        Ok(Self {
            setup: Some(setup),
            copies: BTreeMap::new(),
        })
    }

    /// Returns the isolation of the sandbox; `None` if nothing can be started.
    pub fn chosen(&self) -> Option<&Chosen> {
        self.setup.as_ref().map(|setup| &setup.chosen)
    }

    /// Returns the folder of this run if bots can write wherever the arena's user can; `None` if they cannot.
    pub fn unprotected(&self) -> Option<&Path> {
        let setup = self.setup.as_ref()?;
        (setup.chosen.backend == Backend::Off).then_some(&setup.scratch.path)
    }

    /// Starts a bot by name.
    pub async fn start(
        &self,
        bot: &str,
        program: &Program,
        limits: Limits,
    ) -> Result<SandboxedChild, StartError> {
        let setup = self.setup()?;
        let copied = self.copies.get(bot).cloned();
        let copied = copied.unwrap_or_else(|| Copied::in_place(program));
        let others = self.copies.values().map(|copied| copied.home.clone());
        let others = others.filter(|home| *home != copied.home).collect();
        let (dir, instructions) = setup.instruct(program, &copied, others, limits)?;
        SandboxedChild::start(dir, instructions).await
    }

    /// Starts the build of a program, which may write to the program's own, persistent folder.
    pub async fn start_build(
        &self,
        program: &Program,
        limits: Limits,
    ) -> Result<SandboxedChild, StartError> {
        let copied = Copied::in_place(program);
        let (dir, mut instructions) =
            self.setup()?
                .instruct(program, &copied, Vec::new(), limits)?;
        (instructions.cache, instructions.is_build) = (Some(copied.dir), true);
        SandboxedChild::start(dir, instructions).await
    }

    fn setup(&self) -> Result<&Setup, StartError> {
        self.setup
            .as_ref()
            .ok_or_else(|| StartError::Arena("this sandbox starts nothing".into()))
    }
}

impl Setup {
    /// Prepares the folder and the instructions of a new process, which can read its program's own files, but not those of other bots.
    fn instruct(
        &self,
        program: &Program,
        copied: &Copied,
        others: Vec<PathBuf>,
        limits: Limits,
    ) -> Result<(ProcessDir, Instructions), StartError> {
        let failed = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        let home = copied.at(&copied.dir);
        std::fs::read_dir(&home).map_err(|error| StartError::Bot(failed(&home, error)))?;
        let Chosen { backend, users, .. } = &self.chosen;
        let most = users.as_ref().map_or(u32::MAX, |_| Users::COUNT);
        let (process_dir, number) = self
            .scratch
            .process_dir(most)
            .map_err(|error| StartError::Arena(failed(&self.scratch.path, error)))?;
        let group = self.groups.as_ref().map(|groups| groups.make(&limits));
        let group = group.transpose().map_err(|error| {
            StartError::Arena(format!("its control group cannot be made: {error}"))
        })?;
        let words = command::located(&program.command, copied);
        let mut own: Vec<PathBuf> = copied.roots.iter().map(|root| copied.at(root)).collect();
        if program.build.is_none() {
            // The program may name its own files by absolute paths. Files that are not copied are used in place.
            own.extend(copied.roots.iter().cloned());
        }
        own.extend(program.read.iter().cloned());
        let mut read = [self.read.as_slice(), &own].concat();
        let command::Named {
            by_command,
            by_files,
        } = command::named_in(&words, copied, &read);
        read.extend(by_files.iter().chain(&by_command).cloned());
        own.extend(by_command);
        if program.network {
            // The file may be a link to a folder outside the system folders.
            read.extend(std::fs::canonicalize(RESOLVER));
        }
        let scans: Vec<Arc<Scan>> = own
            .iter()
            .chain(&by_files)
            .map(|path| self.scan(path))
            .collect();
        let reads_all = !self.is_for_everybody || !scans.iter().all(|scan| scan.is_for_everybody);
        let user = users.as_ref().map(|users| users.user(number, reads_all));
        let cache = program
            .cache
            .as_ref()
            .map(|path| made(path, user))
            .transpose()
            .map_err(StartError::Arena)?;
        let mut hidden = self.hidden(&scans, reads_all || user.is_none());
        // Hide the copies of hidden files too.
        let copies: Vec<PathBuf> = hidden.iter().map(|path| copied.at(path)).collect();
        hidden.extend(copies.into_iter().chain(others));
        let mut hidden = access::hidden_within(&hidden, &read, &own);
        let lent = access::lent(program, &copied.dir)
            .into_iter()
            .chain(cache.clone());
        let lent: Vec<PathBuf> = lent.flat_map(|path| [copied.at(&path), path]).collect();
        hidden.retain(|path| !lent.contains(path));
        let (dir, beside) = (&copied.dir, &program.read);
        let work = working_dir::place(&process_dir, dir, beside);
        working_dir::create(&process_dir, [dir, &home], beside, &hidden)
            .and_then(|()| {
                let made = process_dir.create_writable(&work, user);
                made.map_err(|error| error.to_string())
            })
            .inspect_err(|_| process_dir.remove())
            .map_err(StartError::Arena)?;
        let stage = LastStage {
            user,
            dir: work,
            refused: None,
            command: words,
            env: environment(program, copied, cache.as_deref(), &process_dir),
            started: None,
        };
        let instructions = Instructions {
            stage,
            limits,
            backend: backend.clone(),
            hidden,
            read,
            cores: (program.cores != Cores::One).then(cores::allowed),
            cache,
            is_build: false,
            network: program.network,
            group,
        };
        Ok((process_dir, instructions))
    }

    /// Returns the paths that are hidden from a bot. Secrets of the system are included only if the bot could read them.
    fn hidden(&self, scans: &[Arc<Scan>], reads_secrets: bool) -> BTreeSet<PathBuf> {
        let secrets = self.secrets.iter().filter(|_| reads_secrets);
        let tournaments = scans
            .iter()
            .flat_map(|scan| &scan.tournaments)
            .flat_map(|folder| hidden_of(folder));
        self.hidden
            .iter()
            .chain(secrets)
            .cloned()
            .chain(tournaments)
            .collect()
    }

    /// Returns the scan of one of a bot's folders, which is cached.
    fn scan(&self, path: &Path) -> Arc<Scan> {
        let mut scans = lock(&self.scans);
        Arc::clone(
            scans
                .entry(path.to_path_buf())
                .or_insert_with(|| Arc::new(Scan::new(path))),
        )
    }
}

/// Returns the environment variables of the arena that a program is passed by name, with their values if set.
pub fn passed(program: &Program) -> impl Iterator<Item = (&str, Option<String>)> {
    program
        .pass_env
        .iter()
        .map(|name| (name.as_str(), std::env::var(name).ok()))
}

/// Creates a bot's persistent folder if necessary, and returns its canonical path. If each process has its own user, the folder is open to
/// all users.
fn made(path: &Path, user: Option<User>) -> Result<PathBuf, String> {
    let failed = |error: io::Error| format!("its cache {}: {error}", path.display());
    std::fs::create_dir_all(path).map_err(failed)?;
    if user.is_some() {
        std::fs::set_permissions(path, Permissions::from_mode(0o777)).map_err(failed)?;
    }
    std::fs::canonicalize(path).map_err(failed)
}

/// Returns the complete environment of a bot: some variables of the arena, the bot's folders, passed variables, and the bot's own
/// variables.
fn environment(
    program: &Program,
    copied: &Copied,
    cache: Option<&Path>,
    dir: &ProcessDir,
) -> BTreeMap<String, String> {
    let kept = |name: &str| ["PATH", "LANG", "TZ"].contains(&name) || name.starts_with("LC_");
    let mut env: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| kept(name))
        .collect();
    let tmp = dir.tmp().display().to_string();
    env.extend(["HOME", "TMPDIR"].map(|name| (name.to_owned(), tmp.clone())));
    env.extend(["USER", "LOGNAME"].map(|name| (name.to_owned(), User::NAME.to_owned())));
    env.extend(
        cache
            .and_then(Path::to_str)
            .map(|path| ("XDG_CACHE_HOME".to_owned(), path.to_owned())),
    );
    env.extend(passed(program).filter_map(|(name, value)| Some((name.to_owned(), value?))));
    env.extend(
        program
            .env
            .iter()
            .map(|(name, value)| (name.clone(), copied.in_text(value))),
    );
    env
}
