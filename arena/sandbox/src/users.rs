//! The users as which bots run when the arena runs as root: one for each process.

use std::io;
use std::os::unix::net::UnixListener;
use std::path::Path;

use nix::unistd::geteuid;
use serde::{Deserialize, Serialize};

/// The users of this arena, which keeps them as long as it holds their lock.
#[derive(Debug)]
pub struct Users {
    pub(crate) first: u32,
    pub(crate) _lock: UnixListener,
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
        std::os::unix::fs::chown(path, Some(self.id), Some(self.id))
    }
}
