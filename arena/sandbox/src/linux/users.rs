//! Reserving the users of an arena that runs as root, and becoming one of them.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use caps::{CapSet, Capability};
use nix::errno::Errno;
use nix::sys::prctl;
use nix::unistd::{Gid, Uid, setgroups, setresgid, setresuid};

use crate::users::{User, Users};

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

impl Users {
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
}

impl User {
    /// Makes this process one of this user for good, with no other rights.
    pub fn enter(&self) -> Result<(), String> {
        let failed =
            |what: &dyn std::fmt::Display| format!("cannot become user {}: {what}", self.id);
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
