//! Users for bots if the arena runs as root: one per process.

use std::fmt::Display;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::chown;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use caps::{CapSet, Capability};
use nix::errno::Errno;
use nix::sys::prctl;
use nix::unistd::{Gid, Uid, geteuid, setgroups, setresgid, setresuid};
use serde::{Deserialize, Serialize};

/// The first user id of a range that is not assigned to any user. Systemd uses the same range.
const FIRST_ID: u32 = 61_184;
/// Maximum number of arenas that can have users at the same time.
const MAX_ARENAS: u32 = 16;
/// Capabilities to read every file. A bot keeps one of them if its files are not world-readable. The sandbox's file system blocks
/// everything else that they allow.
const READ_CAPABILITIES: [Capability; 2] = [
    Capability::CAP_DAC_READ_SEARCH,
    Capability::CAP_DAC_OVERRIDE,
];

/// The users reserved for this arena while it holds their lock.
#[derive(Debug)]
pub struct Users {
    first: u32,
    _lock: UnixListener,
}

/// The user of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// User id, which is also used as the group id.
    pub id: u32,
    /// True if the user may read files that are not world-readable.
    pub reads_all: bool,
}

/// Returns true if the arena runs as root, so that bots need other users.
pub fn is_root() -> bool {
    geteuid().is_root()
}

impl Users {
    /// Number of users per arena.
    pub const COUNT: u32 = 271;

    /// Reserves users for this arena. The error is the reason why that is impossible.
    pub fn reserve() -> Result<Self, String> {
        let (first, lock) = (0..MAX_ARENAS)
            .find_map(|number| {
                Some((
                    FIRST_ID + number * Self::COUNT,
                    hold(&format!("users-{number}"))?,
                ))
            })
            .ok_or_else(|| {
                format!("{MAX_ARENAS} arenas run as root already: wait until one ends")
            })?;
        let tried = Command::new("/proc/self/exe")
            .arg("--version")
            .uid(first)
            .gid(first)
            .stdout(Stdio::null())
            .spawn();
        match tried.map(|mut child| child.wait()) {
            // The bot's user need not be able to read the program, so ignore that error.
            Err(error)
                if [Some(Errno::EPERM as i32), Some(Errno::EINVAL as i32)]
                    .contains(&error.raw_os_error()) =>
            {
                Err(format!(
                    "bots cannot run as a user other than root: {error}"
                ))
            }
            _ => Ok(Self { first, _lock: lock }),
        }
    }

    /// Returns the first and the last user id.
    pub fn range(&self) -> [u32; 2] {
        [self.first, self.first + Self::COUNT - 1]
    }

    /// Returns the user with this number, modulo the number of users.
    pub fn user(&self, number: u32, reads_all: bool) -> User {
        User {
            id: self.first + number % Self::COUNT,
            reads_all,
        }
    }
}

impl User {
    /// Name of every bot's user, in its environment, and where the system has no name for the user.
    pub const NAME: &str = "bot";

    /// Makes this user the owner of a file or folder.
    pub fn give(&self, path: &Path) -> io::Result<()> {
        chown(path, Some(self.id), Some(self.id))
    }

    /// Switches this process to this user permanently, and drops all other rights.
    pub fn enter(&self) -> Result<(), String> {
        let failed = |what: &dyn Display| format!("cannot become user {}: {what}", self.id);
        let kept = self.reading().into_iter().collect();
        let (user, group) = (Uid::from_raw(self.id), Gid::from_raw(self.id));
        prctl::set_keepcaps(true)
            .and_then(|()| setgroups(&[]))
            .and_then(|()| setresgid(group, group, group))
            .and_then(|()| setresuid(user, user, user))
            .map_err(|errno| failed(&errno))?;
        [
            CapSet::Effective,
            CapSet::Permitted,
            CapSet::Inheritable,
            CapSet::Ambient,
        ]
        .into_iter()
        .try_for_each(|set| caps::set(None, set, &kept))
        .map_err(|error| failed(&error))
    }

    /// Returns the capability that the user keeps, of those that this process has.
    pub fn reading(&self) -> Option<Capability> {
        let had = caps::read(None, CapSet::Permitted).unwrap_or_default();
        READ_CAPABILITIES
            .into_iter()
            .find(|right| self.reads_all && had.contains(right))
    }
}

/// A lock on a name. Dropping it releases the name.
pub type Lock = UnixListener;

/// Locks a name machine-wide by binding an abstract socket. The kernel releases it when the process ends.
pub fn hold(what: &str) -> Option<Lock> {
    let address = SocketAddr::from_abstract_name(format!("coda-arena-{what}")).ok()?;
    UnixListener::bind_addr(&address).ok()
}
