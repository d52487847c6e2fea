//! Isolation backends.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// An isolation backend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// Namespaces, set up by the bubblewrap at this path.
    Bubblewrap(PathBuf),
    /// File access rights enforced by the kernel, with this version of the Landlock ABI.
    Landlock(u8),
    /// Resource limits without isolation.
    Off,
}

impl Backend {
    /// Returns the name of the backend, as in `isolation`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bubblewrap(_) => "bubblewrap",
            Self::Landlock(_) => "landlock",
            Self::Off => "off",
        }
    }

    /// Returns the number of processes that stand between the supervisor and the bot: under bubblewrap, bubblewrap itself and the init
    /// process.
    pub fn around(&self) -> usize {
        match self {
            Self::Bubblewrap(_) => 2,
            Self::Landlock(_) | Self::Off => 0,
        }
    }

    /// Describes the guarantees of the backend in one line.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Bubblewrap(_) => "no network, private files, own processes",
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
