//! Identifies the running build. Workers must run the same build as their coordinator.

use anyhow::{Context, ensure};
use arena_session::sha256;
use serde::{Deserialize, Serialize};

/// A build of the arena.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Build {
    pub version: String,
    /// SHA-256 of the executable.
    pub sha256: String,
}

impl Build {
    /// Returns the running build.
    pub fn this() -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("cannot find the program's own file")?;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            sha256: sha256::of_file(&program).with_context(|| program.display().to_string())?,
        })
    }

    /// Checks that a coordinator runs this build.
    pub fn check(&self, coordinator: &Self) -> anyhow::Result<()> {
        ensure!(
            self == coordinator,
            "the coordinator's arena (version {}) is not the same file as this one (version {}): copy it",
            coordinator.version,
            self.version
        );
        Ok(())
    }
}
