//! Playing some units twice, by different workers, and finding out who is wrong where they differ.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};

use arena_tournament::played::Played;
use arena_tournament::spec::Spec;
use arena_tournament::unit::Unit;

use super::examine;
use crate::queue::Key;

/// The checks of a tournament.
pub struct Checks {
    /// The share of units that are checked, in percent.
    percent: u32,
    /// Decides which, so that no worker knows.
    secret: RandomState,
    /// Those that are not over.
    open: BTreeMap<Unit, Check>,
    /// The number of units that two workers agreed on.
    pub passed: u64,
    /// The number of units that nobody was there to check.
    pub skipped: u64,
}

/// A unit that is played by several workers.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// Who has played it.
    pub by: Vec<String>,
    /// The matches of the second worker, if they are not as the first played them.
    other: Vec<Played>,
}

/// How a further play of a unit compares with those before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Both agree, or it was settled before.
    Agreed,
    /// They do not; a third decides who is wrong. Names a match.
    Differ(String),
    /// It does not decide who is wrong, such as where bots ran out of time; another must.
    Undecided,
    /// This worker is wrong, for this reason.
    Wrong(String, String),
    /// No two of three agree on what these bots do.
    Unsteady(Vec<String>),
}

impl Checks {
    /// Checks of this percentage of the units.
    pub fn new(percent: u32) -> Self {
        Self { percent, secret: RandomState::new(), open: BTreeMap::new(), passed: 0, skipped: 0 }
    }

    /// A unit was played for the first time.
    pub fn played(&mut self, unit: Unit, worker: &str) {
        if self.secret.hash_one(unit) % 100 < u64::from(self.percent) {
            self.open.insert(unit, Check { by: vec![worker.to_owned()], other: Vec::new() });
        }
    }

    /// The open checks.
    pub fn open(&self) -> impl Iterator<Item = (Unit, &Check)> {
        self.open.iter().map(|(unit, check)| (*unit, check))
    }

    /// Who has played a unit that is a check; nobody for other units, and where the check is not open any more.
    pub fn by(&self, key: Key) -> &[String] {
        self.open.get(&key.unit).filter(|_| key.check > 0).map_or(&[], |check| &check.by)
    }

    /// Gives up a check, for want of others who could play.
    pub fn skip(&mut self, unit: Unit) {
        self.skipped += u64::from(self.open.remove(&unit).is_some());
    }

    /// What a worker played does not count any more.
    pub fn exclude(&mut self, worker: &str) {
        self.open.retain(|_, check| check.by[0] != worker);
        for check in self.open.values_mut().filter(|check| check.by.iter().any(|by| by == worker)) {
            *check = Check { by: vec![check.by[0].clone()], other: Vec::new() };
        }
    }

    /// Forgets a check, since what was to be checked was taken back.
    pub fn forget(&mut self, unit: Unit) {
        self.open.remove(&unit);
    }

    /// A further worker has played a unit; `kept` are the matches of the first.
    pub fn again(
        &mut self,
        spec: &Spec,
        unit: Unit,
        worker: &str,
        matches: Vec<Played>,
        kept: &[Played],
    ) -> Comparison {
        let Some(mut check) = self.open.remove(&unit) else { return Comparison::Agreed };
        if check.by.len() == 1 {
            let Some(id) = difference(kept, &matches) else {
                self.passed += 1;
                return Comparison::Agreed;
            };
            (check.other, check.by) = (matches, vec![check.by.remove(0), worker.to_owned()]);
            self.open.insert(unit, check);
            return Comparison::Differ(id);
        }
        let with = |other: &[Played]| difference(other, &matches).is_none();
        let id = difference(kept, &check.other).unwrap_or_default();
        let why = |right: &str| format!("it played {id} differently from {right} and {worker}");
        match (with(kept), with(&check.other)) {
            (true, false) => Comparison::Wrong(check.by[1].clone(), why(&check.by[0])),
            (false, true) => Comparison::Wrong(check.by[0].clone(), why(&check.by[1])),
            (true, true) => {
                check.by.push(worker.to_owned());
                self.open.insert(unit, check);
                Comparison::Undecided
            }
            (false, false) => {
                self.percent = 0;
                self.open.clear();
                let differs = |one: &&Played| matches.iter().any(|other| differ(one, other));
                Comparison::Unsteady(programs(spec, &kept.iter().filter(differs).collect::<Vec<_>>()))
            }
        }
    }
}

/// A match that was played otherwise, if there is one.
fn difference(some: &[Played], others: &[Played]) -> Option<String> {
    some.iter().find(|one| others.iter().any(|other| differ(one, other))).map(Played::id)
}

/// True for two plays of one match that do not agree.
fn differ(one: &Played, other: &Played) -> bool {
    one.deal == other.deal && one.bots == other.bots && !examine::agree(one, other)
}

/// The programs in these matches.
fn programs(spec: &Spec, matches: &[&Played]) -> Vec<String> {
    let plays = |name: &String| matches.iter().any(|played| played.bots.contains(name));
    let programs = spec.bots.iter().filter(|bot| bot.is_program() && plays(&bot.name));
    programs.map(|bot| bot.name.clone()).collect()
}
