//! What a ledger holds beside its matches: the description of the tournament, and the days on which it was played, which no replay gives
//! again.

use std::collections::BTreeMap;

use arena_tournament::spec::Spec;
use rusqlite::{Connection, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::LedgerError;
use crate::{piece, record};

/// The number of this entry; matches have higher ones.
pub(crate) const NUMBER: i64 = 0;
/// The tables in which it is stored, and how far they are apart in the file, in bytes.
const TABLES: [&str; 2] = ["about", "about_copy"];
const GAP: u32 = 16 << 10;

/// What a ledger holds beside its matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct About {
    /// How often it was changed: of several in a file the highest holds.
    pub revision: u64,
    pub spec: Spec,
    pub days: Option<Days>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pauses: BTreeMap<String, Pauses>,
}

/// The pauses that a bot has asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

impl About {
    pub fn new(spec: &Spec) -> Self {
        Self {
            revision: 0,
            spec: spec.clone(),
            days: None,
            pauses: BTreeMap::new(),
        }
    }

    /// Stores it twice, with free pages in between, which other tables fill later.
    pub fn store(&self, connection: &Connection) -> Result<(), LedgerError> {
        let text = serde_json::to_vec(self)?;
        let pieces = piece::split(NUMBER, &record::of_json(&text)?);
        for table in TABLES {
            connection.execute(&format!("DELETE FROM {table}"), [])?;
            for (number, piece) in (NUMBER..).zip(&pieces) {
                let insert = format!("INSERT INTO {table} (number, piece) VALUES (?1, ?2)");
                connection.execute(&insert, params![number, piece])?;
            }
            if table == TABLES[0] {
                connection.execute_batch(&format!("CREATE TABLE gap AS SELECT zeroblob({GAP})"))?;
            }
        }
        Ok(connection.execute_batch("DROP TABLE gap")?)
    }

    /// What an entry holds.
    pub fn read(entry: &[u8]) -> Option<Self> {
        serde_json::from_slice(&record::json(entry)?).ok()
    }

    /// Both copies, as far as they are whole.
    pub fn copies(connection: &Connection) -> [Option<Self>; 2] {
        TABLES.map(|table| Self::read(&piece::entry(connection, table, NUMBER).ok()??))
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
