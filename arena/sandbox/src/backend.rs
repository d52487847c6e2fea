//! The ways to isolate a bot.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A way to isolate a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// Namespaces of its own for everything, by the program at this path.
    Bubblewrap(PathBuf),
    /// Rights on files, and on what else the kernel can withhold, by this version of its interface.
    Landlock(u8),
    /// Limits for each process.
    Rlimits,
    /// Nothing.
    None,
}

impl Backend {
    /// The best that every machine of this kind has.
    pub const LEAST: Self = if cfg!(unix) { Self::Rlimits } else { Self::None };

    /// Its name, as `isolation` takes it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bubblewrap(_) => "bubblewrap",
            Self::Landlock(_) => "landlock",
            Self::Rlimits | Self::None => "off",
        }
    }

    /// The version of its interface, if that matters.
    pub fn version(&self) -> Option<u8> {
        match self {
            Self::Landlock(version) => Some(*version),
            _ => None,
        }
    }

    /// True if it isolates.
    pub fn isolates(&self) -> bool {
        matches!(self, Self::Bubblewrap(_) | Self::Landlock(_))
    }

    /// Describes what holds with it, in one line.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Bubblewrap(_) => "no network, private files, own process tree",
            Self::Landlock(6..) => {
                "private files, no network, no signals to others; bots see that processes and files exist"
            }
            Self::Landlock(_) => {
                "private files, no network; bots see that processes and files exist, and may signal those of their user"
            }
            Self::Rlimits => "bots may read and write what you may, and use the network; limits hold",
            Self::None => "bots may do what you may; nothing but time is limited",
        }
    }
}
