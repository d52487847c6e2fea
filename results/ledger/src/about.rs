//! Metadata of a ledger that cannot be recomputed from its matches: the tournament, and the days on which it was played.

use std::collections::BTreeMap;
use std::fmt;

use arena_tournament::entrant::Entrant;
use arena_tournament::spec::Spec;
use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

use crate::error::LedgerError;
use crate::record;

/// Metadata of a ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct About {
    pub spec: Spec,
    pub days: Option<Days>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pauses: BTreeMap<String, Pauses>,
    /// Last run that saved matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<LastRun>,
    /// Version and entry date of each bot, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, Version>,
}

/// Day of a run, and the number of the last record before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastRun {
    pub day: String,
    pub after: i64,
}

/// A version of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Hash of everything from which the bot runs; for a built-in bot, its name.
    pub id: String,
    /// Day (UTC) on which this version entered.
    pub since: String,
}

/// Pauses that a bot has requested.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pauses {
    /// Number of pauses. Each voided a match and stopped the run.
    pub times: u64,
    /// Reason for the last pause, in the bot's words.
    pub why: String,
}

/// First and last day on which matches were saved, such as `2026-11-22`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Days {
    pub(crate) first: String,
    pub(crate) last: String,
}

/// Returns today's date (UTC).
pub(crate) fn today(connection: &Connection) -> rusqlite::Result<String> {
    connection.query_row("SELECT date('now')", [], |row| row.get(0))
}

impl About {
    pub fn new(spec: &Spec) -> Self {
        Self {
            spec: spec.clone(),
            days: None,
            pauses: BTreeMap::new(),
            last_run: None,
            versions: BTreeMap::new(),
        }
    }

    /// Records the day on which new versions entered, and removes bots that no longer exist.
    pub fn note_versions(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let today = today(connection)?;
        let version = |bot: &Entrant| {
            let id = bot
                .sources()
                .map_or_else(|| bot.bot.to_string(), str::to_owned);
            let known = self.versions.get(&bot.name).filter(|known| known.id == id);
            let since = known.map_or(&today, |known| &known.since).clone();
            (bot.name.clone(), Version { id, since })
        };
        self.versions = self.spec.bots.iter().map(version).collect();
        Ok(())
    }

    /// Stores the metadata, replacing the previous version.
    pub fn store(&self, connection: &Connection) -> Result<(), LedgerError> {
        let entry = record::of_json(&serde_json::to_vec(self)?)?;
        let insert = "INSERT OR REPLACE INTO meta (key, value) VALUES ('about', ?1)";
        connection.execute(insert, [entry])?;
        Ok(())
    }

    /// Returns the stored metadata, if intact.
    pub fn load(connection: &Connection) -> rusqlite::Result<Option<Self>> {
        let query = "SELECT value FROM meta WHERE key = 'about'";
        let entry: Option<Vec<u8>> = connection
            .query_row(query, [], |row| row.get(0))
            .optional()?;
        let text = entry.and_then(|entry| record::json(&entry));
        Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
    }
}

impl Days {
    /// Returns the last day.
    pub fn last(&self) -> &str {
        &self.last
    }
}

impl fmt::Display for Days {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last } = self;
        if first == last {
            write!(f, "Played on {first} (UTC).")
        } else {
            write!(f, "Played from {first} to {last} (UTC).")
        }
    }
}
