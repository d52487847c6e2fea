//! The users as which bots run when the arena runs as root: one for each process.

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

/// The first of the users that belong to nobody, as systemd has them too.
const FIRST: u32 = 61_184;
/// The number of arenas that can have users at a time.
const ARENAS: u32 = 16;
/// The rights to read every file, of which one is kept where a bot's files are not for everybody. What else they allow, the
/// file system of the sandbox does not.
const READING: [Capability; 2] = [
    Capability::CAP_DAC_READ_SEARCH,
    Capability::CAP_DAC_OVERRIDE,
];

/// The users of this arena, which keeps them as long as it holds their lock.
#[derive(Debug)]
pub struct Users {
    first: u32,
    _lock: UnixListener,
}

/// The user of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Its id, which is that of its group too.
    pub id: u32,
    /// True if it may read what is not for everybody.
    pub reads_all: bool,
}

/// True if the arena runs as root, so that bots need other users.
pub fn is_root() -> bool {
    geteuid().is_root()
}

impl Users {
    /// The number of users that each arena has.
    pub const COUNT: u32 = 271;

    /// Reserves users for this arena, or says why there can be none.
    pub fn reserve() -> Result<Self, String> {
        let (first, lock) = (0..ARENAS)
            .find_map(|number| {
                Some((
                    FIRST + number * Self::COUNT,
                    hold(&format!("users-{number}"))?,
                ))
            })
            .ok_or_else(|| format!("{ARENAS} arenas run as root already"))?;
        let tried = Command::new("/proc/self/exe")
            .arg("--version")
            .uid(first)
            .gid(first)
            .stdout(Stdio::null())
            .spawn();
        match tried.map(|mut child| child.wait()) {
            // That this user cannot read the program does not matter.
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

    /// The first and the last of them.
    pub fn range(&self) -> [u32; 2] {
        [self.first, self.first + Self::COUNT - 1]
    }

    /// The user of this number, modulo their count.
    pub fn user(&self, number: u32, reads_all: bool) -> User {
        User {
            id: self.first + number % Self::COUNT,
            reads_all,
        }
    }
}

impl User {
    /// The name of every bot's user, in its environment and where the system has none.
    pub const NAME: &str = "bot";

    /// Makes it the owner of a file or folder.
    pub fn give(&self, path: &Path) -> io::Result<()> {
        chown(path, Some(self.id), Some(self.id))
    }

    /// Makes this process one of this user for good, with no other rights.
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

    /// The right of the superuser that it keeps, of those that this process has.
    pub fn reading(&self) -> Option<Capability> {
        let had = caps::read(None, CapSet::Permitted).unwrap_or_default();
        READING
            .into_iter()
            .find(|right| self.reads_all && had.contains(right))
    }
}

/// Holder of a name; dropping it frees the name.
pub type Lock = UnixListener;

/// Holds something by a name in the abstract namespace of sockets, which only one process of the machine can do at a time. The
/// kernel lets go of it with the process.
pub fn hold(what: &str) -> Option<Lock> {
    let address = SocketAddr::from_abstract_name(format!("coda-arena-{what}")).ok()?;
    UnixListener::bind_addr(&address).ok()
}
