//! The units of a round: which are still to be published, and which are with the workers.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::time::{Duration, Instant};

use arena_results::ledger::{Ledger, LedgerError};
use arena_tournament::field::{Field, Meeting};
use arena_tournament::schedule::Planned;
use arena_tournament::spec::Spec;
use arena_tournament::unit::{self, Unit};

use crate::distributed::queue::Key;

/// The number of workers that may lose a unit before it is given up.
const TRIES: u32 = 10;
/// The number of looks in a row that must miss a unit before it is published again.
const MISSED: u32 = 2;

/// The units of a round.
pub struct Stage<'a> {
    field: Field<'a>,
    meetings: &'a [Meeting],
    /// True if all that workers need of the meetings follows from the tournament.
    is_static: bool,
    todo: Peekable<Box<dyn Iterator<Item = Unit>>>,
    open: BTreeMap<Key, Open>,
}

/// A unit that was published.
struct Open {
    since: Instant,
    /// Who had it last.
    holder: Option<String>,
    /// Who had it and lost it.
    lost: Vec<String>,
    /// The number of looks in a row that did not find it in the stream.
    missed: u32,
}

/// What becomes of a unit that a worker did not finish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// Others may try.
    Again,
    /// Too many tried; these.
    GivenUp(Vec<String>),
}

impl<'a> Stage<'a> {
    /// The units of these meetings.
    pub fn new(spec: &'a Spec, meetings: &'a [Meeting]) -> Self {
        let (field, is_static) = (spec.field(), spec.rounds() == 1);
        let longest = if spec.plan.test.is_some() { unit::LONGEST_FOR_TEST } else { unit::LONGEST };
        let todo: Box<dyn Iterator<Item = Unit>> = Box::new(unit::units(field, meetings, longest));
        Self { field, meetings, is_static, todo: todo.peekable(), open: BTreeMap::new() }
    }

    /// The matches of a unit.
    pub fn matches(&self, unit: Unit) -> Vec<Planned> {
        unit.matches(self.field, self.meetings)
    }

    /// What workers must be told of the meetings of a unit.
    pub fn meetings(&self, unit: Unit) -> Option<Vec<Meeting>> {
        (!self.is_static).then(|| unit::within(self.meetings, &unit.deals()))
    }

    /// True if a unit belongs to this round.
    pub fn has(&self, unit: Unit) -> bool {
        self.meetings.iter().any(|meeting| meeting.deals.contains(&unit.first))
    }

    /// The next unit that is not all in the ledger.
    pub fn next(&mut self, ledger: &Ledger) -> Result<Option<Unit>, LedgerError> {
        while let Some(unit) = self.todo.peek().copied() {
            if !self.is_done(unit, ledger)? {
                return Ok(Some(unit));
            }
            self.todo.next();
        }
        Ok(None)
    }

    /// True if all matches of a unit are in the ledger.
    pub fn is_done(&self, unit: Unit, ledger: &Ledger) -> Result<bool, LedgerError> {
        for planned in self.matches(unit) {
            if !ledger.has(planned.deal, &planned.seats)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A unit was published.
    pub fn published(&mut self, key: Key) {
        if self.todo.peek() == Some(&key.unit) && key.check == 0 {
            self.todo.next();
        }
        let open = Open { since: Instant::now(), holder: None, lost: Vec::new(), missed: 0 };
        self.open.entry(key).or_insert(open);
    }

    /// A unit is finished or given up.
    pub fn close(&mut self, key: Key) {
        self.open.remove(&key);
    }

    /// True if a unit is with the workers.
    pub fn is_open(&self, key: Key) -> bool {
        self.open.contains_key(&key)
    }

    /// The number of units that are with the workers.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// A worker began to play a unit. Whoever had it before has lost it.
    pub fn begun(&mut self, key: Key, worker: &str) -> Lost {
        let Some(open) = self.open.get_mut(&key) else { return Lost::Again };
        match open.holder.replace(worker.to_owned()) {
            Some(before) if before != worker => open.lose(before),
            _ => Lost::Again,
        }
    }

    /// A worker gave a unit back.
    pub fn given_back(&mut self, key: Key) {
        self.open.get_mut(&key).into_iter().for_each(|open| open.holder = None);
    }

    /// A worker has had a unit for too long.
    pub fn overdue(&mut self, key: Key) -> Lost {
        let Some(open) = self.open.get_mut(&key) else { return Lost::Again };
        open.since = Instant::now();
        open.holder.take().map_or(Lost::Again, |holder| open.lose(holder))
    }

    /// The units that have not been in the stream for some looks in a row, now that these are there.
    pub fn missing(&mut self, is_there: impl Fn(&Key) -> bool) -> Vec<Key> {
        let mut missing = Vec::new();
        for (key, open) in &mut self.open {
            open.missed = if is_there(key) { 0 } else { open.missed + 1 };
            if open.missed >= MISSED {
                open.missed = 0;
                missing.push(*key);
            }
        }
        missing
    }

    /// The checks that are open.
    pub fn checks(&self) -> Vec<Key> {
        self.open.keys().filter(|key| key.check > 0).copied().collect()
    }

    /// How long it has been since a unit was published.
    pub fn age(&self, key: Key) -> Duration {
        self.open.get(&key).map_or(Duration::ZERO, |open| open.since.elapsed())
    }
}

impl Open {
    fn lose(&mut self, worker: String) -> Lost {
        self.lost.push(worker);
        if self.lost.len() as u32 >= TRIES { Lost::GivenUp(std::mem::take(&mut self.lost)) } else { Lost::Again }
    }
}
