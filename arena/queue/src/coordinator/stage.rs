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
const TRIES: u32 = 10;
/// The number of looks in a row that must miss a unit before it is published again.
const MISSED: u32 = 2;
/// The same for a unit that nobody plays though somebody could.
const NEGLECTED: u32 = 5;

/// The units of a round.
pub struct Stage<'a> {
    field: Field<'a>,
    meetings: &'a [Meeting],
    /// True if all that workers need of the meetings follows from the tournament.
    is_static: bool,
    /// The deals that are still to be looked at.
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
    /// Since when somebody has had it.
    taken: Option<Instant>,
    /// Who had it last.
    holder: Option<String>,
    /// Who had it and lost it.
    lost: Vec<String>,
    /// The looks that did not find it in the stream.
    missing: Streak,
    /// The looks that found nobody at it who could be.
    neglected: Streak,
}

/// The number of looks in a row that found the same.
#[derive(Default)]
struct Streak(u32);

impl Streak {
    /// One more look. True if so many in a row found it, and then it begins anew.
    fn reaches(&mut self, limit: u32, found: bool) -> bool {
        self.0 = if found { self.0 + 1 } else { 0 };
        let is_reached = self.0 >= limit;
        if is_reached {
            self.0 = 0;
        }
        is_reached
    }
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
        let most = if spec.plan.test.is_some() { MOST_FOR_TEST } else { MOST };
        let most = most.min(MOST_MATCHES / unit::matches_of_a_deal(field, meetings)).max(1) as u32;
        Self { field, meetings, is_static, todo: deals(meetings), most, open: BTreeMap::new() }
    }

    /// The matches of a unit.
    pub fn matches(&self, unit: Unit) -> Vec<Planned> {
        unit.matches(self.field, self.meetings)
    }

    /// What workers must be told of the meetings of a unit.
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

    /// The next deals of which not all is in the ledger, so many at most.
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
            missing: Streak::default(),
            neglected: Streak::default(),
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

    /// A worker began to play a unit. Whoever had it before has lost it.
    pub fn begun(&mut self, key: Key, worker: &str) -> Lost {
        let Some(open) = self.open.get_mut(&key) else { return Lost::Again };
        let before = open.holder.replace(worker.to_owned());
        if open.taken.is_none() || before.is_some() && before.as_deref() != Some(worker) {
            open.taken = Some(Instant::now());
        }
        match before {
            Some(before) if before != worker => open.lose(before),
            _ => Lost::Again,
        }
    }

    /// All units up to this place in the stream were given to workers, of whom not all may say so.
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

    /// The units that somebody has had for longer than a unit of so many matches may take.
    pub fn overdue(&self, limit: impl Fn(usize) -> Duration) -> Vec<Key> {
        let is_overdue = |open: &Open| open.taken.is_some_and(|since| since.elapsed() > limit(open.matches));
        self.open.iter().filter(|(_, open)| is_overdue(open)).map(|(key, _)| *key).collect()
    }

    /// Takes a unit from whoever has it, who is named if that is known.
    pub fn take_from(&mut self, key: Key) -> (Option<String>, Lost) {
        let Some(open) = self.open.get_mut(&key) else { return (None, Lost::Again) };
        open.taken = None;
        let holder = open.holder.take();
        (holder.clone(), open.lose(holder.unwrap_or_else(|| "one that does not say its name".into())))
    }

    /// The units that have not been in the stream for some looks in a row, now that these are there.
    pub fn missing(&mut self, is_there: impl Fn(&Key) -> bool) -> Vec<Key> {
        let is_missing = |(key, open): (&Key, &mut Open)| open.missing.reaches(MISSED, !is_there(key)).then_some(*key);
        self.open.iter_mut().filter_map(is_missing).collect()
    }

    /// The units that for many looks in a row nobody has had who could, which is now known of each.
    pub fn neglected(&mut self, is_neglected: impl Fn(&Key) -> bool) -> Vec<Key> {
        let is_so =
            |(key, open): (&Key, &mut Open)| open.neglected.reaches(NEGLECTED, is_neglected(key)).then_some(*key);
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
    fn lose(&mut self, worker: String) -> Lost {
        self.lost.push(worker);
        if self.lost.len() as u32 >= TRIES { Lost::GivenUp(std::mem::take(&mut self.lost)) } else { Lost::Again }
    }
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
            let mut stage = Stage::new(&spec, &meetings);
            let mut found = Vec::new();
            for most in lengths.iter().cycle() {
                let Some(unit) = stage.next(*most, &ledger).unwrap() else { break };
                assert!(stage.has(unit) && unit.deals().count() <= *most as usize, "{unit}");
                found.extend(unit.deals());
                let key = Key { unit, check: 0 };
                stage.published(key, 1);
                assert_eq!(stage.size(key), 2 * unit.deals().count());
            }
            assert_eq!(found, (1..=100).collect::<Vec<_>>());
            assert!(stage.is_all_published(&ledger).unwrap() && stage.left() == 0);
        }
        let stage = Stage::new(&spec, &meetings);
        assert!(!stage.has(Unit { first: 0, last: 3 }) && !stage.has(Unit { first: 99, last: 101 }));
    }
}
