//! The users that tests run the arena as.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use crate::process::Command;

/// Where the programs of the system are, which every user may run.
pub const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A user that belongs to nobody.
const NOBODY: u32 = 54_321;

/// Who runs the arena.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum User {
    /// Whoever runs the tests.
    Own,
    /// An ordinary user, if root runs the tests.
    Nobody,
}

impl User {
    /// Those that this test can be.
    pub fn all() -> Vec<Self> {
        if is_root() {
            vec![Self::Own, Self::Nobody]
        } else {
            vec![Self::Own]
        }
    }

    /// An ordinary user, whoever runs the tests.
    pub fn ordinary() -> Self {
        if is_root() { Self::Nobody } else { Self::Own }
    }

    /// A command that it runs.
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

    /// Gives it a file or folder, which everybody may read.
    pub fn give(self, path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        if self == Self::Nobody {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
}

/// True if root runs the tests.
pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0)
}

/// Copies a program. Another process does it, or whatever a test starts meanwhile could hold the copy open for writing.
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
