//! The record of a match as text, and its compact form, which is what a ledger stores.

use std::ops::Deref;

use arena_engine::chance::Seed;
use arena_engine::game::Vocabulary;
use arena_engine::record::{Record, Replied};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A record as JSON text. If the record was at hand when the text was written, its compact form is kept with it, so that the
/// text need not be read again. Two are equal if their texts are.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(transparent)]
pub struct RecordText {
    text: String,
    #[serde(skip)]
    compact: Option<Compact>,
}

/// A record without what follows from its tournament.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Compact(
    /// The version of the game's rules.
    pub u32,
    /// The source of its chance.
    pub Seed,
    /// Its replies, each in few bytes.
    pub Vec<Vec<u8>>,
);

impl RecordText {
    /// The text of a record.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn of<Rules: Vocabulary, Action: Vocabulary>(
        record: &Record<Rules, Action>,
    ) -> serde_json::Result<Self> {
        Ok(Self {
            text: serde_json::to_string(record)?,
            compact: Compact::of(record),
        })
    }

    /// The compact form, if the record was at hand.
    pub fn compact(&self) -> Option<&Compact> {
        self.compact.as_ref()
    }
}

impl Compact {
    /// The compact form of a record; none if a reply cannot be written.
    pub fn of<Rules, Action: Vocabulary>(record: &Record<Rules, Action>) -> Option<Self> {
        let replies = record.replies.iter().map(compact).collect::<Option<_>>()?;
        Some(Self(record.rules_version, record.seed, replies))
    }
}

/// A seat's reply in few bytes, or as JSON where that would be something else: an action that leaves out fields, for one. JSON
/// begins with a bracket, and all else with the number of a seat.
fn compact<Action: Vocabulary>(replied: &Replied<Action>) -> Option<Vec<u8>> {
    let bytes = postcard::to_allocvec(replied)
        .ok()
        .filter(|bytes| self::replied(bytes).as_ref() == Some(replied));
    bytes.or_else(|| serde_json::to_vec(replied).ok())
}

/// The reply of such bytes, if it is one.
pub fn replied<Action: DeserializeOwned>(bytes: &[u8]) -> Option<Replied<Action>> {
    if bytes.first() == Some(&b'[') {
        serde_json::from_slice(bytes).ok()
    } else {
        postcard::from_bytes(bytes).ok()
    }
}

impl Deref for RecordText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq for RecordText {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl From<String> for RecordText {
    fn from(text: String) -> Self {
        Self {
            text,
            compact: None,
        }
    }
}
