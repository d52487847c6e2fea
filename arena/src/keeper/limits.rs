//! What a bot may use.

use serde::{Deserialize, Serialize};

/// What a bot may use: all of its processes together, unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Memory that is resident, in MiB.
    pub memory_mb: u64,
    /// Processes.
    pub processes: u64,
    /// The size of each file that it writes, in MiB.
    pub file_mb: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory_mb: 2_048, processes: 64, file_mb: 256 }
    }
}

/// How many threads a process may have on average.
const THREADS: u64 = 32;

impl Limits {
    /// How many threads all processes may have together.
    pub fn threads(&self) -> u64 {
        self.processes.saturating_mul(THREADS)
    }
}

/// Allows this process as many descriptors as it needs, if it may; returns how many it may have.
#[cfg(unix)]
pub fn raise_descriptors(needed: u64) -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let (Some(now), most) = (current, maximum.unwrap_or(u64::MAX)) else { return u64::MAX };
    let wanted = needed.min(most);
    if wanted > now && setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).is_ok() {
        return wanted;
    }
    now
}

/// There is no such limit here.
#[cfg(not(unix))]
pub fn raise_descriptors(_: u64) -> u64 {
    u64::MAX
}
