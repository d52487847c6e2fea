//! The units of a round: which are still to be published, and which are with the workers.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::field::{self, Field, Meeting, deals};
use arena_tournament::schedule::{self, Planned};
use arena_tournament::spec::Spec;
use arena_tournament::unit;

use crate::key::Key;

/// The most deals of a unit, and the same while a test waits for finished deals.
const MOST: u64 = 1_024;
const MOST_FOR_TEST: u64 = 16;
/// The most matches of a unit, unless it is a single deal.
const MOST_MATCHES: u64 = 8_192;
/// The number of workers that may lose a unit before it is given up.
pub const TRIES: usize = 10;
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
    /// The deals that may still have to be published, the next one last. They are in no order unless a test waits for the first ones:
    /// else a worker would see by their numbers which it is given to check.
    todo: Vec<u32>,
    /// The most deals of a unit.
    most: usize,
    /// Those that are with the workers.
    pub open: BTreeMap<Key, Open>,
    /// The workers to whom deals came to no result, and the deals.
    unplayed: BTreeMap<u32, Vec<String>>,
}

/// A unit that was published.
pub struct Open {
    /// The deals.
    pub deals: Vec<u32>,
    /// The workers that played them before; then it is a check.
    pub by: Vec<String>,
    /// The number of its matches.
    pub matches: usize,
    /// When it was published.
    pub since: Instant,
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
        let most = if spec.plan.test.is_some() {
            MOST_FOR_TEST
        } else {
            MOST
        };
        let most = most
            .min(MOST_MATCHES / unit::matches_of_a_deal(field, meetings))
            .max(1) as usize;
        let mut todo: Vec<u32> = deals(meetings).rev().collect();
        if spec.plan.test.is_none() {
            let secret = RandomState::new();
            todo.sort_by_cached_key(|deal| secret.hash_one(deal));
        }
        let (open, unplayed) = (BTreeMap::new(), BTreeMap::new());
        Self {
            field,
            meetings,
            is_static,
            todo,
            most,
            open,
            unplayed,
        }
    }

    /// The matches of some deals.
    pub fn matches(&self, deals: &[u32]) -> Vec<Planned> {
        schedule::of_deals(deals, self.field, self.meetings)
    }

    /// What workers need of the meetings on some deals.
    pub fn meetings(&self, deals: &[u32]) -> Option<Vec<Meeting>> {
        let is_needed = |meeting: &&Meeting| deals.iter().any(|deal| meeting.deals.contains(deal));
        (!self.is_static).then(|| self.meetings.iter().filter(is_needed).cloned().collect())
    }

    /// True for deals of this round that one unit may have.
    pub fn has(&self, deals: &[u32]) -> bool {
        let all = field::deals(self.meetings);
        (1..=self.most).contains(&deals.len())
            && deals.is_sorted_by(|one, next| one < next)
            && deals.iter().all(|deal| all.contains(deal))
    }

    /// The next deals of which not all is in the ledger, at most this number.
    pub fn next(&mut self, most: u32, ledger: &Ledger) -> Result<Option<Vec<u32>>, LedgerError> {
        let mut deals = Vec::new();
        while deals.len() < self.most.min(most as usize)
            && let Some(deal) = self.todo.pop()
        {
            if !self.is_done(&[deal], ledger)? {
                deals.push(deal);
            }
        }
        deals.sort_unstable();
        Ok((!deals.is_empty()).then_some(deals))
    }

    /// Deals are to be published after all, or again.
    pub fn put_back(&mut self, deals: &[u32]) {
        self.todo.extend(deals.iter().rev());
    }

    /// True if nothing more is to be published for the first time.
    pub fn is_all_published(&mut self, ledger: &Ledger) -> Result<bool, LedgerError> {
        while let Some(deal) = self.todo.last()
            && self.is_done(&[*deal], ledger)?
        {
            self.todo.pop();
        }
        Ok(self.todo.is_empty())
    }

    /// True if a further worker would find something to play.
    pub fn wants_more(&self) -> bool {
        self.left() > 0 || self.open.values().any(|open| open.taken.is_none())
    }

    /// The number of deals that were not published yet, as far as is known.
    pub fn left(&self) -> u32 {
        self.todo.len() as u32
    }

    /// All deals of the round.
    pub fn all(&self) -> RangeInclusive<u32> {
        deals(self.meetings)
    }

    /// True if all matches of some deals are in the ledger.
    pub fn is_done(&self, deals: &[u32], ledger: &Ledger) -> Result<bool, LedgerError> {
        for planned in self.matches(deals) {
            if !ledger.has(planned.deal, &planned.seats)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A unit was published, or published again, and has this place in the stream.
    pub fn published(&mut self, key: Key, deals: &[u32], by: &[String], place: u64) {
        let matches = self.matches(deals).len();
        let open = self.open.entry(key).or_insert_with(|| Open {
            deals: deals.to_vec(),
            by: by.to_vec(),
            matches,
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

    /// A deal came to no result with a worker. Returns all such workers, one for each time.
    pub fn unplayed(&mut self, deal: u32, worker: &str) -> &[String] {
        let by = self.unplayed.entry(deal).or_default();
        by.push(worker.to_owned());
        by
    }

    /// A worker began to play a unit. The one that had it before has lost it. If too many have, these are returned.
    pub fn begun(&mut self, key: Key, worker: &str) -> Option<Vec<String>> {
        let open = self.open.get_mut(&key)?;
        let before = open.holder.replace(worker.to_owned());
        if open.taken.is_none() || before.is_some() && before.as_deref() != Some(worker) {
            open.taken = Some(Instant::now());
        }
        before
            .filter(|before| before != worker)
            .and_then(|before| open.lose(before))
    }

    /// All units up to this place in the stream were given to workers, of which not all may report so.
    pub fn given_out(&mut self, place: u64) {
        for open in self.open.values_mut().filter(|open| open.place <= place) {
            open.taken.get_or_insert_with(Instant::now);
        }
    }

    /// A worker gave a unit back.
    pub fn given_back(&mut self, key: Key) {
        self.open
            .get_mut(&key)
            .into_iter()
            .for_each(|open| (open.holder, open.taken) = (None, None));
    }

    /// The units that a worker has had for longer than a unit of this number of matches may take.
    pub fn overdue(&self, limit: impl Fn(usize) -> Duration) -> Vec<Key> {
        let is_overdue = |open: &Open| {
            open.taken
                .is_some_and(|since| since.elapsed() > limit(open.matches))
        };
        self.open
            .iter()
            .filter(|(_, open)| is_overdue(open))
            .map(|(key, _)| *key)
            .collect()
    }

    /// Takes a unit from the worker that has it. Returns its name, if that is known, and all that lost it if there are too many.
    pub fn take_from(&mut self, key: Key) -> (Option<String>, Option<Vec<String>>) {
        let Some(open) = self.open.get_mut(&key) else {
            return (None, None);
        };
        open.taken = None;
        let holder = open.holder.take();
        (
            holder.clone(),
            open.lose(holder.unwrap_or_else(|| "one without a name".into())),
        )
    }

    /// The units that some comparisons in a row have not found in the stream, now that these are there.
    pub fn missing(&mut self, is_there: impl Fn(&Key) -> bool) -> Vec<Key> {
        let is_missing = |(key, open): (&Key, &mut Open)| {
            reaches(&mut open.missing, MISSED, !is_there(key)).then_some(*key)
        };
        self.open.iter_mut().filter_map(is_missing).collect()
    }

    /// The units that no worker has had for many comparisons in a row, though one was idle.
    pub fn neglected(&mut self, is_neglected: impl Fn(&Key, &[String]) -> bool) -> Vec<Key> {
        let is_so = |(key, open): (&Key, &mut Open)| {
            let is_found = is_neglected(key, &open.by);
            reaches(&mut open.neglected, NEGLECTED, is_found).then_some(*key)
        };
        self.open.iter_mut().filter_map(is_so).collect()
    }

    /// The checks that are open.
    pub fn checks(&self) -> Vec<Key> {
        self.open
            .iter()
            .filter(|(_, open)| !open.by.is_empty())
            .map(|(key, _)| *key)
            .collect()
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
                let Some(deals) = units.next(*most, &ledger).unwrap() else {
                    break;
                };
                assert!(
                    units.has(&deals) && deals.len() <= *most as usize,
                    "{deals:?}"
                );
                found.extend(deals.clone());
                let key = Key::draw().unwrap();
                units.published(key, &deals, &[], 1);
                assert_eq!(
                    (units.open[&key].matches, &units.open[&key].deals),
                    (2 * deals.len(), &deals)
                );
            }
            assert!(!found.is_sorted() || lengths == [1_000]);
            found.sort_unstable();
            assert_eq!(found, (1..=100).collect::<Vec<_>>());
            assert!(units.is_all_published(&ledger).unwrap() && units.left() == 0);
            units.put_back(&[7, 9]);
            assert_eq!(units.next(9, &ledger).unwrap(), Some(vec![7, 9]));
        }
        let units = Units::new(&spec, &meetings);
        for deals in [&[][..], &[0, 3], &[99, 101], &[3, 2], &[2, 2]] {
            assert!(!units.has(deals), "{deals:?}");
        }
    }
}
