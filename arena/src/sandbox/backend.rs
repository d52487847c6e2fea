//! The ways to isolate a bot, and which of them is chosen.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use arena_tournament::spec::Isolation;

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
    const LEAST: Self = if cfg!(unix) { Self::Rlimits } else { Self::None };

    /// Describes what holds with it, in one line that also says why there is no better one.
    pub fn describe(&self, no_better: Option<&str>) -> String {
        let (name, holds) = match self {
            Self::Bubblewrap(_) => ("bubblewrap", "no network, private files, own process tree"),
            Self::Landlock(6..) => ("landlock", "private files, no TCP, no signals to others"),
            Self::Landlock(4..) => ("landlock", "private files, no TCP"),
            Self::Landlock(_) => ("landlock", "private files; the network can be reached"),
            Self::Rlimits => ("none", "bots may read and write what you may, and use the network; limits hold"),
            Self::None => ("none", "bots may do what you may; nothing but time is limited"),
        };
        let why = no_better.map(|why| format!(" ({why})")).unwrap_or_default();
        format!("isolation  {name}{why}: {holds}")
    }
}

/// The backends of this machine, or for each why there is none.
pub struct Available {
    /// The path of a bubblewrap that works.
    pub bubblewrap: Result<PathBuf, String>,
    /// The version of Landlock's interface.
    pub landlock: Result<u8, String>,
}

/// Chooses the best of what is there, or what was demanded, with what was passed over and why.
pub fn choose(isolation: Isolation, probe: impl FnOnce() -> Available) -> Result<(Backend, Option<String>), String> {
    if isolation == Isolation::Off {
        return Ok((Backend::LEAST, None));
    }
    let Available { bubblewrap, landlock } = probe();
    match (isolation, bubblewrap, landlock) {
        (Isolation::Landlock, _, landlock) => landlock.map(|version| (Backend::Landlock(version), None)),
        (_, Ok(program), _) => Ok((Backend::Bubblewrap(program), None)),
        (Isolation::Bubblewrap, Err(why), _) => Err(why),
        (_, Err(why), Ok(version)) => Ok((Backend::Landlock(version), Some(why))),
        (Isolation::Require, Err(first), Err(second)) => Err(format!("{first}; {second}")),
        (_, Err(first), Err(second)) => Ok((Backend::LEAST, Some(format!("{first}; {second}")))),
    }
}
