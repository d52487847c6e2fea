//! The units that a worker has, with what is finished of each.

use std::collections::BTreeMap;
use std::time::Instant;

use arena_tournament::played::Played;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;

use crate::key::Key;
use crate::message::Report;

/// A unit that is being played.
pub struct Held {
    pub report: Report,
    /// The number of its matches.
    pub due: usize,
    pub played: Vec<Played>,
    /// True if its result is on its way.
    pub is_sent: bool,
    /// When the server last got a sign of progress.
    pub shown: Instant,
    pub acker: Acker,
}

#[derive(Default)]
pub struct HeldUnits {
    pub units: BTreeMap<Key, Held>,
    /// The unit of each match that has not ended.
    matches: BTreeMap<String, Key>,
}

impl HeldUnits {
    /// Adds a unit of these matches.
    pub fn insert(&mut self, key: Key, ids: Vec<String>, held: Held) {
        self.matches.extend(ids.into_iter().map(|id| (id, key)));
        self.units.insert(key, held);
    }

    /// True if one of these matches belongs to another unit.
    pub fn overlaps(&self, key: Key, ids: &[String]) -> bool {
        ids.iter()
            .any(|id| self.matches.get(id).is_some_and(|other| *other != key))
    }

    /// The unit of a match that has ended.
    pub fn ended(&mut self, id: &str) -> Option<(Key, &mut Held)> {
        let key = self.matches.remove(id)?;
        Some((key, self.units.get_mut(&key)?))
    }

    pub fn remove(&mut self, key: Key) -> Option<Held> {
        self.matches.retain(|_, of| *of != key);
        self.units.remove(&key)
    }
}

impl Held {
    /// Acknowledges, gives back, or shows that it is being played. A message that is lost only makes it be played again.
    pub async fn acknowledge(&self, kind: AckKind) {
        let _ = self.acker.ack_with(kind).await;
    }
}
