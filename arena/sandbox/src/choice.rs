//! Chooses the isolation from what is requested and what is available.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use arena_tournament::spec::{Isolation, Memory};

use super::backend::Backend;
use super::protection::left_open;
use super::users::{Users, is_root};

/// Requested isolation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Isolation level.
    pub isolation: Isolation,
    /// True if bots may run as root when no other users are available.
    pub as_root: bool,
    /// Mechanism that enforces the memory limit.
    pub memory: Memory,
}

/// The features of this machine. An unavailable feature has a reason.
#[derive(Clone)]
pub struct Available {
    /// Users for bots; `None` if bots run as the arena's user.
    pub users: Result<Option<Arc<Users>>, String>,
    /// Path of a working bubblewrap.
    pub bubblewrap: Result<PathBuf, String>,
    /// Version of the Landlock ABI.
    pub landlock: Result<u8, String>,
}

/// The isolation that was chosen.
#[derive(Debug)]
pub struct Chosen {
    pub backend: Backend,
    /// Users that the bots run as; `None` for the arena's user.
    pub users: Option<Arc<Users>>,
    /// A better backend that is unavailable, with the reason.
    pub no_better: Option<String>,
}

/// The reason why a sandbox cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The required isolation is not available.
    #[error("the required isolation is not available: {0}")]
    Unavailable(String),
    /// Bots would have the rights of root.
    #[error(
        "bots would run as root ({0}): run the arena as another user, or add --as-root if bots may do all that root may"
    )]
    AsRoot(String),
    /// The kernel is required to enforce memory limits, but does not.
    #[error(
        "memory = \"kernel\" needs control groups that hold bots to their memory limit, and there are none ({0}): start the arena \
         with `systemd-run --user --scope -p Delegate=yes`, or as root; `arena tools doctor` shows what is there"
    )]
    MemoryNotHeld(String),
    /// Temporary files cannot be written.
    #[error("cannot make a folder for temporary files in {dir} (TMPDIR): {0}", dir = std::env::temp_dir().display())]
    NoScratch(#[from] io::Error),
}

/// Chooses the best available backend, or the required one.
pub fn choose(wanted: Wanted, available: &Available) -> Result<Chosen, SandboxError> {
    let users = match available.users.clone() {
        Err(why) if !wanted.as_root => return Err(SandboxError::AsRoot(why)),
        users => users.ok().flatten(),
    };
    let level = level(wanted.isolation, available.clone(), users.is_some());
    let (backend, no_better) = level.map_err(SandboxError::Unavailable)?;
    let is_off = backend == Backend::Off;
    if let Some(why) = no_better.as_ref().filter(|_| is_off)
        && is_root()
        && !wanted.as_root
    {
        return Err(SandboxError::AsRoot(why.clone()));
    }
    Ok(Chosen {
        backend,
        users: users.filter(|_| !is_off),
        no_better,
    })
}

/// Returns the backend for a level, and the better backend that is unavailable, if any.
fn level(
    isolation: Isolation,
    available: Available,
    own_users: bool,
) -> Result<(Backend, Option<String>), String> {
    let both = |first: String, second: String| {
        if first == second {
            first
        } else {
            format!("{first}; {second}")
        }
    };
    match (
        isolation,
        available.bubblewrap,
        available.landlock.map(Backend::Landlock),
    ) {
        (Isolation::Landlock, _, landlock) => landlock.map(|landlock| (landlock, None)),
        (_, Ok(program), _) => Ok((Backend::Bubblewrap(program), None)),
        (Isolation::Bubblewrap, Err(why), _) => Err(why),
        (Isolation::Require, Err(why), Ok(landlock)) => {
            match left_open(&landlock, own_users).as_slice() {
                [] => Ok((landlock, Some(why))),
                open => Err(format!(
                    "{why}; with landlock a bot still {}",
                    open.join(", ")
                )),
            }
        }
        (_, Err(why), Ok(landlock)) => Ok((landlock, Some(why))),
        (Isolation::Require, Err(first), Err(second)) => Err(both(first, second)),
        (_, Err(first), Err(second)) => Ok((Backend::Off, Some(both(first, second)))),
    }
}

impl Chosen {
    /// No isolation, as requested by `isolation = "off"`.
    pub const OFF: Self = Self {
        backend: Backend::Off,
        users: None,
        no_better: None,
    };

    /// Returns one short line with the name of the level, and the reason why no better level is used; `arena tools doctor` describes the
    /// levels.
    pub fn describe(&self) -> String {
        let level = self.backend.name();
        let why = self.no_better.as_ref().map(|why| format!(" ({why})"));
        format!("isolation  {level}{}", why.unwrap_or_default())
    }
}
