//! The ways to isolate a bot.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A way to isolate a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// Namespaces for everything, set up by the program at this path.
    Bubblewrap(PathBuf),
    /// Access rights that the kernel enforces, with this version of Landlock's interface.
    Landlock(u8),
    /// No isolation, but limits.
    Off,
}

impl Backend {
    /// Its name, as `isolation` takes it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bubblewrap(_) => "bubblewrap",
            Self::Landlock(_) => "landlock",
            Self::Off => "off",
        }
    }

    /// Describes what it guarantees, in one line.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Bubblewrap(_) => "no network, private files, own process tree",
            Self::Landlock(6..) => {
                "private files, no network, no signals to others; bots see that processes and files exist"
            }
            Self::Landlock(_) => {
                "private files, no network; bots see that processes and files exist, and may signal those of their user"
            }
            Self::Off => "bots may read and write what you may, and use the network; limits hold",
        }
    }
}
