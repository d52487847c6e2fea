//! The users as which bots run when the arena runs as root: one of its own for each process.

use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use caps::{CapSet, Capability};
use nix::errno::Errno;
use nix::sys::prctl;
use nix::unistd::{Gid, Uid, geteuid, setgroups, setresgid, setresuid};
use serde::{Deserialize, Serialize};

/// The first of the users that belong to nobody, as systemd has them too.
const FIRST: u32 = 61_184;
/// The number of arenas that can have users at a time.
const ARENAS: u32 = 16;
/// The number of users that each has.
const EACH: u32 = 271;
/// The rights to read every file, of which one is kept where a bot's files are not for everybody. What else they allow, the
/// file system of the sandbox does not.
const READING: [Capability; 2] = [Capability::CAP_DAC_READ_SEARCH, Capability::CAP_DAC_OVERRIDE];

/// The users of this arena, which has them as long as the name is its own.
#[derive(Debug)]
pub struct Users {
    first: u32,
    _name: UnixListener,
}

/// The user of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Its id, which is that of its group too.
    pub id: u32,
    /// True if it may read what is not for everybody.
    pub reads_all: bool,
}

/// True if bots need users other than that of the arena.
pub fn is_root() -> bool {
    geteuid().is_root()
}

impl Users {
    /// Takes users for this arena, or says why there can be none.
    pub fn take() -> Result<Self, String> {
        let (first, name) = (0..ARENAS)
            .find_map(|number| Some((FIRST + number * EACH, name(number)?)))
            .ok_or_else(|| format!("{ARENAS} arenas run as root already"))?;
        let tried = Command::new("/proc/self/exe").arg("--version").uid(first).gid(first).stdout(Stdio::null()).spawn();
        match tried.map(|mut child| child.wait()) {
            // That this user cannot read the program does not matter.
            Err(error) if [Some(Errno::EPERM as i32), Some(Errno::EINVAL as i32)].contains(&error.raw_os_error()) => {
                Err(format!("bots cannot run as another user than root: {error}"))
            }
            _ => Ok(Self { first, _name: name }),
        }
    }

    /// The first and the last of them.
    pub fn range(&self) -> [u32; 2] {
        [self.first, self.first + EACH - 1]
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        EACH
    }

    /// One of them, by its number below that.
    pub fn user(&self, number: u32, reads_all: bool) -> User {
        User { id: self.first + number % EACH, reads_all }
    }
}

impl User {
    /// Gives it a folder.
    pub fn give(&self, path: &Path) -> io::Result<()> {
        std::os::unix::fs::chown(path, Some(self.id), Some(self.id))
    }

    /// Makes this process one of this user for good, with no other rights.
    pub fn enter(&self) -> Result<(), String> {
        let failed = |what: &dyn std::fmt::Display| format!("cannot become user {}: {what}", self.id);
        let kept = self.reading().into_iter().collect();
        let (user, group) = (Uid::from_raw(self.id), Gid::from_raw(self.id));
        prctl::set_keepcaps(true)
            .and_then(|()| setgroups(&[]))
            .and_then(|()| setresgid(group, group, group))
            .and_then(|()| setresuid(user, user, user))
            .map_err(|errno| failed(&errno))?;
        [CapSet::Effective, CapSet::Permitted, CapSet::Inheritable, CapSet::Ambient]
            .into_iter()
            .try_for_each(|set| caps::set(None, set, &kept))
            .map_err(|error| failed(&error))
    }

    /// The right of the superuser that it keeps, of those that this process has.
    pub fn reading(&self) -> Option<Capability> {
        let had = caps::read(None, CapSet::Permitted).unwrap_or_default();
        READING.into_iter().find(|right| self.reads_all && had.contains(right))
    }
}

/// A name that only one process of the machine has at a time.
fn name(number: u32) -> Option<UnixListener> {
    let address = SocketAddr::from_abstract_name(format!("coda-arena-users-{number}")).ok()?;
    UnixListener::bind_addr(&address).ok()
}
