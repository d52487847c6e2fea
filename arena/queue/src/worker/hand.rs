//! The units that a worker has in hand, with what is finished of each.

use std::collections::BTreeMap;
use std::time::Instant;

use arena_tournament::played::Played;
use arena_tournament::schedule::Planned;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;

use crate::message::{LONGEST, Order, Report};
use crate::queue::Key;

/// The most letters of all lines of a report.
const TEXTS: usize = 8 << 10;

/// A unit in hand.
pub struct Held {
    /// What was asked for.
    pub order: Order,
    /// The number of its matches.
    pub due: usize,
    /// Those that have a result.
    pub played: Vec<Played>,
    /// Why the others have none.
    pub unplayed: Vec<String>,
    /// What a person should read.
    pub news: Vec<String>,
    /// The number of times that it had been delivered.
    pub delivered: i64,
    /// True if its result is on its way.
    pub is_sent: bool,
    /// When its last sign of progress was given.
    pub shown: Instant,
    acker: Acker,
}

/// The units in hand.
#[derive(Default)]
pub struct Hand {
    units: BTreeMap<Key, Held>,
    /// Where each match belongs.
    matches: BTreeMap<String, Key>,
}

impl Hand {
    /// Takes a unit; false if it is there already, and only its latest delivery counts from now on.
    pub fn take(&mut self, key: Key, order: Order, planned: &[Planned], names: &[String], from: (Acker, i64)) -> bool {
        let (acker, delivered) = from;
        if let Some(held) = self.units.get_mut(&key) {
            (held.acker, held.delivered) = (acker, delivered);
            return false;
        }
        self.matches.extend(planned.iter().map(|planned| (planned.id(names), key)));
        let (played, unplayed, news) = (Vec::with_capacity(planned.len()), Vec::new(), Vec::new());
        let due = planned.len();
        let held = Held { order, due, played, unplayed, news, delivered, is_sent: false, shown: Instant::now(), acker };
        self.units.insert(key, held);
        true
    }

    /// True if one of these matches is in hand in another unit.
    pub fn overlaps(&self, key: Key, planned: &[Planned], names: &[String]) -> bool {
        planned.iter().any(|planned| self.matches.get(&planned.id(names)).is_some_and(|other| *other != key))
    }

    /// The unit of a match that has ended, with that match no longer in hand.
    pub fn of(&mut self, id: &str) -> Option<(Key, &mut Held)> {
        let key = self.matches.remove(id)?;
        Some((key, self.units.get_mut(&key)?))
    }

    /// All units.
    pub fn units(&mut self) -> impl Iterator<Item = (&Key, &mut Held)> {
        self.units.iter_mut()
    }

    /// The units, by the last words of their subjects.
    pub fn names(&self) -> Vec<String> {
        self.units.keys().map(ToString::to_string).collect()
    }

    /// A unit, which is no longer in hand.
    pub fn put_down(&mut self, key: Key) -> Option<Held> {
        self.matches.retain(|_, of| *of != key);
        self.units.remove(&key)
    }

    /// True if nothing is in hand.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }
}

impl Held {
    /// True if nothing of it is missing.
    pub fn is_finished(&self) -> bool {
        self.played.len() + self.unplayed.len() == self.due
    }

    /// Acknowledges, gives back, or shows that it is being played. A message that is lost only makes it be played again.
    pub async fn acknowledge(&self, kind: AckKind) {
        let _ = self.acker.ack_with(kind).await;
    }

    /// What is to be said of it.
    pub fn report(&self, worker: &str) -> Report {
        let Order { plan, epoch, unit, checks, .. } = self.order.clone();
        let (unplayed, news) = (in_short(&self.unplayed), in_short(&self.news));
        Report {
            plan,
            epoch,
            unit,
            checks,
            worker: worker.to_owned(),
            delivered: self.delivered,
            unplayed,
            news,
            object: None,
        }
    }
}

/// These lines, shortened as far as all of them must be in front of the matches in a message.
fn in_short(lines: &[String]) -> Vec<String> {
    let room = TEXTS / lines.len().max(1);
    lines.iter().map(|line| line.chars().take(room.min(4 * LONGEST)).collect()).collect()
}
