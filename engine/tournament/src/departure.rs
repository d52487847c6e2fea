//! Bots that have left a tournament that has begun: replaced by a newer version, or disqualified.

use serde::{Deserialize, Serialize};

/// A bot that has left, and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Departure {
    /// Its name.
    pub name: String,
    /// The name of the newer version in its place; null if it was disqualified.
    #[serde(default)]
    pub replaced_by: Option<String>,
    /// Why it was disqualified, in the words of the tournament director; null if it was replaced.
    #[serde(default)]
    pub why: Option<String>,
    /// The number of its matches that were set aside and count for nobody; null if they stand.
    #[serde(default)]
    pub set_aside: Option<u64>,
}
