//! Units held by a worker, with their finished matches.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;

use crate::message::UnitReport;

/// A unit being played.
pub struct HeldUnit {
    pub report: UnitReport,
    /// Number of unfinished matches of the unit.
    pub due: usize,
    /// Number of times that the unit has been delivered to workers.
    pub delivered: i64,
    /// Time of the last progress report to the server.
    pub shown: Instant,
    pub acker: Acker,
}

/// Units held by a worker, by their first deal.
#[derive(Default)]
pub struct HeldUnits {
    pub units: BTreeMap<u32, HeldUnit>,
    /// Unit of each unfinished match.
    matches: BTreeMap<String, u32>,
}

impl HeldUnits {
    /// Adds a unit of these matches.
    pub fn insert(&mut self, key: u32, ids: Vec<String>, held: HeldUnit) {
        self.matches.extend(ids.into_iter().map(|id| (id, key)));
        self.units.insert(key, held);
    }

    /// Returns the units with this key or with any of these matches.
    pub fn overlapping(&self, key: u32, ids: &[String]) -> BTreeSet<u32> {
        let of_matches = ids.iter().filter_map(|id| self.matches.get(id)).copied();
        of_matches.chain([key]).collect()
    }

    /// Returns the unit of a match that has ended.
    pub fn ended(&mut self, id: &str) -> Option<(u32, &mut HeldUnit)> {
        let key = self.matches.remove(id)?;
        Some((key, self.units.get_mut(&key)?))
    }

    /// Removes a unit, and reports the outcome to the server. If the report is lost, the unit is played again.
    pub async fn release(&mut self, key: u32, kind: AckKind) {
        if let Some(held) = self.units.remove(&key) {
            self.matches.retain(|_, of| *of != key);
            let _ = held.acker.ack_with(kind).await;
        }
    }
}
