//! The users as which the tests run the arena.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use crate::process::Command;

/// Folders of the system's programs, which every user may run.
pub const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Id of a user without an account.
const NOBODY: u32 = 54_321;

/// The user that runs the arena.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum User {
    /// The user who runs the tests.
    Own,
    /// An unprivileged user, for the case that root runs the tests.
    Nobody,
}

impl User {
    /// Returns the users available to this test.
    pub fn all() -> Vec<Self> {
        if is_root() {
            vec![Self::Own, Self::Nobody]
        } else {
            vec![Self::Own]
        }
    }

    /// Returns an unprivileged user, whichever user runs the tests.
    pub fn ordinary() -> Self {
        if is_root() { Self::Nobody } else { Self::Own }
    }

    /// Returns a command that runs as this user.
    pub fn command(self, program: &Path) -> Command {
        if self == Self::Own {
            return Command::new(program);
        }
        let mut command = Command::new("setpriv");
        let user = [
            format!("--reuid={NOBODY}"),
            format!("--regid={NOBODY}"),
            "--clear-groups".into(),
        ];
        command.args(user).arg(program);
        command
    }

    /// Sets the mode of a file or folder, and makes this user its owner.
    pub fn give(self, path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        if self == Self::Nobody {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
}

/// Returns true if root runs the tests.
pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0)
}

/// Copies a program in a child process. If this process copied it, a process forked meanwhile could inherit the file open for writing.
pub fn copy_program(from: &Path, to: &Path) {
    assert!(
        Command::new("cp")
            .arg(from)
            .arg(to)
            .status()
            .unwrap()
            .success()
    );
}
