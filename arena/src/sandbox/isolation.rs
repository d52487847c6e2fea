//! How much isolation a tournament demands.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// How much isolation is demanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// The best that can be had
    #[default]
    Auto,
    /// Bubblewrap or Landlock, or nothing is played
    Require,
    /// Bubblewrap, or nothing is played
    Bubblewrap,
    /// Landlock, or nothing is played
    Landlock,
    /// None: bots may read and write what you may
    Off,
}
