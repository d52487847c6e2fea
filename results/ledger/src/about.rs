//! What a ledger holds beside its matches: the description of the tournament, and the days on which it was played, which no replay gives
//! again.

use std::collections::BTreeMap;

use arena_tournament::entrant::Entrant;
use arena_tournament::spec::Spec;
use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

use crate::error::LedgerError;
use crate::record;

/// What a ledger holds beside its matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct About {
    pub spec: Spec,
    pub days: Option<Days>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pauses: BTreeMap<String, Pauses>,
    /// The last run that saved matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<LastRun>,
    /// The version of each bot by its name, and since when it takes part.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, Version>,
}

/// A run, and the records that were there before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastRun {
    pub day: String,
    pub after: i64,
}

/// A version of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The hash of all that it plays from; for a built-in bot, its name.
    pub id: String,
    /// The day (UTC) on which it entered.
    pub since: String,
}

/// The pauses that a bot has asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pauses {
    /// How often it asked for one: each time its match was void, and the run stopped.
    pub times: u64,
    /// Why it did last, in its words.
    pub why: String,
}

/// The first and the last day on which matches were saved, such as `2026-11-22`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Days {
    pub(crate) first: String,
    pub(crate) last: String,
}

/// Today's date (UTC).
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

    /// Notes the day for versions that have entered, and forgets those of bots that are gone.
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

    /// Stores it in place of what was stored before.
    pub fn store(&self, connection: &Connection) -> Result<(), LedgerError> {
        let entry = record::of_json(&serde_json::to_vec(self)?)?;
        let insert = "INSERT OR REPLACE INTO meta (key, value) VALUES ('about', ?1)";
        connection.execute(insert, [entry])?;
        Ok(())
    }

    /// Returns what is stored, if it is whole.
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
    /// As a sentence.
    pub fn in_words(&self) -> String {
        let Self { first, last } = self;
        if first == last {
            format!("Played on {first} (UTC).")
        } else {
            format!("Played from {first} to {last} (UTC).")
        }
    }
}
