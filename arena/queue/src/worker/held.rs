//! The units that a worker has, with what is finished of each.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;

use crate::message::Report;

/// A unit that is being played.
pub struct Held {
    pub report: Report,
    /// The number of its matches.
    pub due: usize,
    /// The number of times that it was delivered to workers.
    pub delivered: i64,
    /// The time of the last sign of progress for the server.
    pub shown: Instant,
    pub acker: Acker,
}

/// The units that a worker has, by their first deals.
#[derive(Default)]
pub struct HeldUnits {
    pub units: BTreeMap<u32, Held>,
    /// The unit of each match that has not ended.
    matches: BTreeMap<String, u32>,
}

impl HeldUnits {
    /// Adds a unit of these matches.
    pub fn insert(&mut self, key: u32, ids: Vec<String>, held: Held) {
        self.matches.extend(ids.into_iter().map(|id| (id, key)));
        self.units.insert(key, held);
    }

    /// Returns the units of this name or with one of these matches.
    pub fn overlapping(&self, key: u32, ids: &[String]) -> BTreeSet<u32> {
        let of_matches = ids.iter().filter_map(|id| self.matches.get(id)).copied();
        of_matches.chain([key]).collect()
    }

    /// Returns the unit of a match that has ended.
    pub fn ended(&mut self, id: &str) -> Option<(u32, &mut Held)> {
        let key = self.matches.remove(id)?;
        Some((key, self.units.get_mut(&key)?))
    }

    /// Removes a unit, and tells the server what has become of it. If the server does not hear it, the unit is played again.
    pub async fn release(&mut self, key: u32, kind: AckKind) {
        if let Some(held) = self.units.remove(&key) {
            self.matches.retain(|_, of| *of != key);
            let _ = held.acker.ack_with(kind).await;
        }
    }
}
