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
