//! The units of a round: which are still to be published, and which are with the workers.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::field::{Field, Meeting, deals};
use arena_tournament::schedule::Planned;
use arena_tournament::spec::Spec;
use arena_tournament::unit::{self, Unit};

use crate::queue::Key;

/// The most deals of a unit, and the same while a test waits for finished deals.
const MOST: u64 = 1_024;
const MOST_FOR_TEST: u64 = 16;
/// The most matches of a unit, unless it is a single deal.
const MOST_MATCHES: u64 = 8_192;
/// The number of workers that may lose a unit before it is given up.
const TRIES: usize = 10;
/// The number of comparisons in a row that must miss a unit before it is published again.
const MISSED: u32 = 2;
/// The same for a unit that no worker plays though one is idle.
const NEGLECTED: u32 = 5;

/// The units of a round.
pub struct Units<'a> {
    field: Field<'a>,
    meetings: &'a [Meeting],
    /// True if all that workers need of the meetings follows from the tournament.
    is_static: bool,
    /// The deals that may still have to be published.
    todo: RangeInclusive<u32>,
    /// The most deals of a unit.
    most: u32,
    open: BTreeMap<Key, Open>,
}

/// A unit that was published.
struct Open {
    /// The number of its matches.
    matches: usize,
    since: Instant,
    /// Its place in the stream.
    place: u64,
    /// Since when a worker has had it.
    taken: Option<Instant>,
    /// The worker that had it last.
    holder: Option<String>,
    /// The workers that had it and lost it.
    lost: Vec<String>,
    /// The number of comparisons in a row that did not find it in the stream.
    missing: u32,
    /// The number of comparisons in a row that found no worker at it, though one was idle.
    neglected: u32,
}

impl<'a> Units<'a> {
    /// The units of these meetings.
    pub fn new(spec: &'a Spec, meetings: &'a [Meeting]) -> Self {
        let (field, is_static) = (spec.field(), spec.rounds() == 1);
        let most = if spec.plan.test.is_some() { MOST_FOR_TEST } else { MOST };
        let most = most.min(MOST_MATCHES / unit::matches_of_a_deal(field, meetings)).max(1) as u32;
        Self { field, meetings, is_static, todo: deals(meetings), most, open: BTreeMap::new() }
    }

    /// The matches of a unit.
    pub fn matches(&self, unit: Unit) -> Vec<Planned> {
        unit.matches(self.field, self.meetings)
    }

    /// What workers need of the meetings of a unit.
    pub fn meetings(&self, unit: Unit) -> Option<Vec<Meeting>> {
        (!self.is_static).then(|| unit::within(self.meetings, &unit.deals()))
    }

    /// True for a unit of this round.
    pub fn has(&self, unit: Unit) -> bool {
        let all = deals(self.meetings);
        all.contains(&unit.first)
            && all.contains(&unit.last)
            && (1..=self.most as usize).contains(&unit.deals().count())
    }

    /// The next deals of which not all is in the ledger, at most this number.
    pub fn next(&mut self, most: u32, ledger: &Ledger) -> Result<Option<Unit>, LedgerError> {
        let is_done = |deal: u32| self.is_done(Unit { first: deal, last: deal }, ledger);
        let (mut first, end) = self.todo.clone().into_inner();
        while first <= end && is_done(first)? {
            first += 1;
        }
        let mut last = first;
        while last < end && last - first + 1 < most.min(self.most) && !is_done(last + 1)? {
            last += 1;
        }
        self.todo = first..=end;
        Ok((first <= end).then_some(Unit { first, last }))
    }

    /// True if nothing more is to be published for the first time.
    pub fn is_all_published(&mut self, ledger: &Ledger) -> Result<bool, LedgerError> {
        Ok(self.next(1, ledger)?.is_none())
    }

    /// The number of deals that were not published yet, as far as is known.
    pub fn left(&self) -> u32 {
        self.todo.size_hint().0 as u32
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

    /// A unit was published, or published again, and has this place in the stream.
    pub fn published(&mut self, key: Key, place: u64) {
        if *self.todo.start() == key.unit.first && key.check == 0 {
            self.todo = key.unit.last.saturating_add(1)..=*self.todo.end();
        }
        let (field, meetings) = (self.field, self.meetings);
        let open = self.open.entry(key).or_insert_with(|| Open {
            matches: key.unit.matches(field, meetings).len(),
            since: Instant::now(),
            place,
            taken: None,
            holder: None,
            lost: Vec::new(),
            missing: 0,
            neglected: 0,
        });
        (open.place, open.taken, open.holder) = (place, None, None);
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

    /// A worker began to play a unit. The one that had it before has lost it. If too many have, these are returned.
    pub fn begun(&mut self, key: Key, worker: &str) -> Option<Vec<String>> {
        let open = self.open.get_mut(&key)?;
        let before = open.holder.replace(worker.to_owned());
        if open.taken.is_none() || before.is_some() && before.as_deref() != Some(worker) {
            open.taken = Some(Instant::now());
        }
        before.filter(|before| before != worker).and_then(|before| open.lose(before))
    }

    /// All units up to this place in the stream were given to workers, of which not all may report so.
    pub fn given_out(&mut self, place: u64) {
        for open in self.open.values_mut().filter(|open| open.place <= place) {
            open.taken.get_or_insert_with(Instant::now);
        }
    }

    /// A worker gave a unit back.
    pub fn given_back(&mut self, key: Key) {
        self.open.get_mut(&key).into_iter().for_each(|open| (open.holder, open.taken) = (None, None));
    }

    /// The number of matches of an open unit.
    pub fn size(&self, key: Key) -> usize {
        self.open.get(&key).map_or(0, |open| open.matches)
    }

    /// The units that a worker has had for longer than a unit of this number of matches may take.
    pub fn overdue(&self, limit: impl Fn(usize) -> Duration) -> Vec<Key> {
        let is_overdue = |open: &Open| open.taken.is_some_and(|since| since.elapsed() > limit(open.matches));
        self.open.iter().filter(|(_, open)| is_overdue(open)).map(|(key, _)| *key).collect()
    }

    /// Takes a unit from the worker that has it. Returns its name, if that is known, and all that lost it if there are too many.
    pub fn take_from(&mut self, key: Key) -> (Option<String>, Option<Vec<String>>) {
        let Some(open) = self.open.get_mut(&key) else { return (None, None) };
        open.taken = None;
        let holder = open.holder.take();
        (holder.clone(), open.lose(holder.unwrap_or_else(|| "one without a name".into())))
    }

    /// The units that some comparisons in a row have not found in the stream, now that these are there.
    pub fn missing(&mut self, is_there: impl Fn(&Key) -> bool) -> Vec<Key> {
        let is_missing =
            |(key, open): (&Key, &mut Open)| reaches(&mut open.missing, MISSED, !is_there(key)).then_some(*key);
        self.open.iter_mut().filter_map(is_missing).collect()
    }

    /// The units that no worker has had for many comparisons in a row, though one was idle.
    pub fn neglected(&mut self, is_neglected: impl Fn(&Key) -> bool) -> Vec<Key> {
        let is_so =
            |(key, open): (&Key, &mut Open)| reaches(&mut open.neglected, NEGLECTED, is_neglected(key)).then_some(*key);
        self.open.iter_mut().filter_map(is_so).collect()
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
    fn lose(&mut self, worker: String) -> Option<Vec<String>> {
        self.lost.push(worker);
        (self.lost.len() >= TRIES).then(|| std::mem::take(&mut self.lost))
    }
}

/// Counts how often in a row something was found. True if that reaches a limit, and then it starts from 0.
fn reaches(count: &mut u32, limit: u32, is_found: bool) -> bool {
    *count = if is_found { *count + 1 } else { 0 };
    let is_reached = *count >= limit;
    *count %= limit;
    is_reached
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use arena_config::read::{self, Flags};

    const TOURNAMENT: &str = "game = \"coda\"\ndeals = 100\n[[bots]]\nname = \"a\"\nbuiltin = \"random\"\n[[bots]]\nname = \"b\"\nbuiltin = \"exact\"\n";

    #[test]
    fn units_of_whatever_length_hold_every_deal_once() {
        let spec = read::of_kept(TOURNAMENT, Path::new("/t.toml"), &Flags::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::create(folder.path(), &spec).unwrap();
        let meetings = spec.meetings(1, &[]);
        for lengths in [&[1][..], &[7], &[1_000], &[4, 1, 30]] {
            let mut units = Units::new(&spec, &meetings);
            let mut found = Vec::new();
            for most in lengths.iter().cycle() {
                let Some(unit) = units.next(*most, &ledger).unwrap() else { break };
                assert!(units.has(unit) && unit.deals().count() <= *most as usize, "{unit}");
                found.extend(unit.deals());
                let key = Key { unit, check: 0 };
                units.published(key, 1);
                assert_eq!(units.size(key), 2 * unit.deals().count());
            }
            assert_eq!(found, (1..=100).collect::<Vec<_>>());
            assert!(units.is_all_published(&ledger).unwrap() && units.left() == 0);
        }
        let units = Units::new(&spec, &meetings);
        assert!(!units.has(Unit { first: 0, last: 3 }) && !units.has(Unit { first: 99, last: 101 }));
    }
}
