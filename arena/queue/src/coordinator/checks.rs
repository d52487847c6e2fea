//! Playing some deals again, by other workers, and finding out who is wrong where they differ.
//!
//! A deal is drawn after its result was delivered, and goes out in a unit like any other. Where two workers differ a third one
//! decides.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};

use arena_tournament::played::Played;
use arena_tournament::spec::Spec;

use super::examine;
use super::rates::Rates;
use crate::key::Key;

/// The fewest deals of each worker that are checked, unless it played fewer; over all rounds of a tournament.
const FEWEST: u32 = 15;
/// How many times as many deals are checked of a worker with other rates than the others.
const MORE: u32 = 10;
/// How often a check may come to nothing before it is given up.
const TRIES: u32 = 10;

/// The checks of a tournament.
#[derive(Default)]
pub struct Checks {
    /// The share of deals that are checked, in percent.
    percent: u32,
    /// The fewest of a worker in each round.
    fewest: u32,
    /// Decides which, so that no worker knows.
    secret: RandomState,
    /// What was delivered in this round.
    workers: BTreeMap<String, Delivered>,
    /// The deals that were delivered: by whom, and whether another worker has confirmed them.
    deals: BTreeMap<u32, (String, bool)>,
    /// Those that are not over.
    pub open: BTreeMap<Key, Check>,
    /// The bots that do not play by their seed.
    unsteady: BTreeSet<String>,
    /// The number of deals that nobody was there to check.
    pub skipped: usize,
    /// How often what happens with each worker.
    pub rates: Rates,
    /// Who has checked.
    pub by: BTreeSet<String>,
}

/// What a worker has delivered in a round.
#[derive(Default)]
struct Delivered {
    deals: u32,
    drawn: u32,
    /// Those that were not drawn.
    left: Vec<u32>,
    /// Those that were, and are not in a unit yet.
    due: Vec<u32>,
}

/// Deals that are played by several workers.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// The deals.
    pub deals: Vec<u32>,
    /// Who has played them, the one that is checked first.
    pub by: Vec<String>,
    /// The matches of the second worker, if they are not as the first played them.
    other: Vec<Played>,
    /// How often nothing came of it.
    tries: u32,
}

/// What comes of a further play of some deals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Two workers differ; a third decides who is wrong. Names a match.
    Differ(String),
    /// This worker is wrong, for this reason.
    Wrong(String, String),
    /// No two of three agree on what these bots do.
    Unsteady(Vec<String>),
}

impl Checks {
    /// Checks of this percentage of the deals of a tournament with this number of rounds.
    pub fn new(percent: u32, rounds: u32) -> Self {
        let fewest = if percent == 0 {
            0
        } else {
            FEWEST.div_ceil(rounds.max(1))
        };
        Self {
            percent,
            fewest,
            ..Self::default()
        }
    }

    /// A round begins, perhaps anew: what is there of it is delivered again.
    pub fn begin_round(&mut self) {
        self.workers.clear();
    }

    /// A worker has delivered a deal.
    pub fn delivered(&mut self, deal: u32, worker: &str) {
        let entry = self.deals.entry(deal).or_default();
        let is_known = entry.0 == worker;
        let is_drawn =
            is_known && (entry.1 || self.open.values().any(|check| check.deals.contains(&deal)));
        if !is_known {
            *entry = (worker.to_owned(), false);
        }
        let of = self.workers.entry(worker.to_owned()).or_default();
        of.deals += 1;
        if is_drawn {
            of.drawn += 1;
        } else {
            of.left.push(deal);
        }
        let percent = if self.rates.is_odd(worker) {
            (MORE * self.percent).min(100)
        } else {
            self.percent
        };
        let wanted = (u64::from(of.deals) * u64::from(percent)).div_ceil(100) as u32;
        of.draw(wanted, &self.secret);
    }

    /// All deals of the round are delivered: draws what is missing of the fewest.
    pub fn draw_rest(&mut self) {
        for (worker, of) in &mut self.workers {
            of.draw(
                if self.rates.is_odd(worker) {
                    MORE * self.fewest
                } else {
                    self.fewest
                },
                &self.secret,
            );
        }
    }

    /// Opens checks of this number of deals each, of smaller ones where nothing else is left to play.
    pub fn open_due(&mut self, size: usize, is_last: bool) -> anyhow::Result<()> {
        for (worker, of) in &mut self.workers {
            while of.due.len() >= size.max(1) || is_last && !of.due.is_empty() {
                let mut deals = of.due.split_off(of.due.len().saturating_sub(size.max(1)));
                deals.sort_unstable();
                self.open.insert(
                    Key::draw()?,
                    Check {
                        deals,
                        by: vec![worker.clone()],
                        ..Check::default()
                    },
                );
            }
        }
        Ok(())
    }

    /// True if nothing is to be checked now.
    pub fn is_over(&self) -> bool {
        self.open.is_empty() && self.workers.values().all(|of| of.due.is_empty())
    }

    /// Gives up a check, for want of others who could play.
    pub fn skip(&mut self, key: Key) {
        self.skipped += self.open.remove(&key).map_or(0, |check| check.deals.len());
    }

    /// What a worker played does not count any more.
    pub fn exclude(&mut self, worker: &str) {
        self.workers.remove(worker);
        self.rates.remove(worker);
        self.deals.retain(|_, (by, _)| by != worker);
        self.open.retain(|_, check| check.by[0] != worker);
        for check in self
            .open
            .values_mut()
            .filter(|check| check.by.iter().any(|by| by == worker))
        {
            check.by.truncate(1);
            check.other.clear();
        }
    }

    /// Nothing came of a check. False if that was too often.
    pub fn failed(&mut self, key: Key) -> bool {
        let Some(check) = self.open.get_mut(&key) else {
            return true;
        };
        check.tries += 1;
        check.tries < TRIES
    }

    /// A further worker has played a check; `kept` are the matches of the first.
    pub fn again(
        &mut self,
        spec: &Spec,
        key: Key,
        worker: &str,
        matches: Vec<Played>,
        kept: &[Played],
    ) -> anyhow::Result<Vec<Comparison>> {
        let Some(mut check) = self.open.remove(&key) else {
            return Ok(Vec::new());
        };
        self.by.insert(worker.to_owned());
        if check.by.len() == 1 {
            let differs =
                |one: &&Played| same(one, &matches).is_some_and(|other| self.differ(one, other));
            let Some(one) = kept.iter().find(differs) else {
                self.confirm(&check);
                return Ok(Vec::new());
            };
            check.other = matches;
            check.by.push(worker.to_owned());
            // Under another name, so that nobody sees that it is the same.
            self.open.insert(Key::draw()?, check);
            return Ok(vec![Comparison::Differ(one.id())]);
        }
        let found = self.decide(spec, &check, worker, &matches, kept);
        let confirms =
            |one: &Comparison| matches!(one, Comparison::Wrong(wrong, _) if *wrong != check.by[0]);
        if found.iter().all(confirms) {
            self.confirm(&check);
        }
        Ok(found)
    }

    /// Compares what three workers made of the same matches.
    fn decide(
        &mut self,
        spec: &Spec,
        check: &Check,
        worker: &str,
        matches: &[Played],
        kept: &[Played],
    ) -> Vec<Comparison> {
        let names = [&check.by[0], &check.by[1], worker];
        let (mut outvoted, mut unsteady) = (Vec::new(), None::<BTreeSet<String>>);
        for one in kept {
            let (Some(other), Some(third)) = (same(one, &check.other), same(one, matches)) else {
                continue;
            };
            let plays = [one, other, third];
            let agree = |a: usize, b: usize| !self.differ(plays[a], plays[b]);
            // Each with the number of one that the other two agree on.
            let alone = match [agree(1, 2), agree(0, 2), agree(0, 1)] {
                [true, false, false] => 0,
                [false, true, false] => 1,
                [false, false, true] => 2,
                [false, false, false] => {
                    unsteady.get_or_insert_default().extend(programs(spec, one));
                    continue;
                }
                _ => continue,
            };
            let others = [(alone + 1) % 3, (alone + 2) % 3];
            // A worker whose bots answer where they were late elsewhere is faster, not wrong.
            if !examine::is_late_against(plays[others[0]], plays[alone]) {
                let [a, b] = others.map(|other| names[other]);
                let why = format!("it played {} differently from {a} and {b}", one.id());
                outvoted.push((one, names[alone].to_owned(), why));
            }
        }
        self.unsteady.extend(unsteady.iter().flatten().cloned());
        // Two of three plays of such a bot may be the same by chance.
        outvoted.retain(|(one, ..)| !one.bots.iter().any(|bot| self.unsteady.contains(bot)));
        let wrong: BTreeMap<String, String> = outvoted
            .into_iter()
            .map(|(_, worker, why)| (worker, why))
            .collect();
        let unsteady = unsteady.map(|bots| Comparison::Unsteady(bots.into_iter().collect()));
        wrong
            .into_iter()
            .map(|(worker, why)| Comparison::Wrong(worker, why))
            .chain(unsteady)
            .collect()
    }

    fn confirm(&mut self, check: &Check) {
        for deal in &check.deals {
            self.deals
                .get_mut(deal)
                .into_iter()
                .for_each(|(_, is_confirmed)| *is_confirmed = true);
        }
    }

    /// True for two plays of one match that do not agree, and whose bots play by their seed.
    fn differ(&self, one: &Played, other: &Played) -> bool {
        !one.bots.iter().any(|bot| self.unsteady.contains(bot)) && !examine::agree(one, other)
    }

    /// The number of deals that were confirmed, and that of all that were delivered; of one worker or of all.
    pub fn count(&self, worker: Option<&str>) -> (usize, usize) {
        let of = self
            .deals
            .values()
            .filter(|(by, _)| worker.is_none_or(|worker| worker == by));
        of.fold((0, 0), |(confirmed, all), (_, is_confirmed)| {
            (confirmed + usize::from(*is_confirmed), all + 1)
        })
    }
}

impl Delivered {
    /// Draws until this number is drawn, or nothing is left.
    fn draw(&mut self, wanted: u32, secret: &RandomState) {
        while self.drawn < wanted && !self.left.is_empty() {
            let place = secret.hash_one((self.drawn, self.left.len())) % self.left.len() as u64;
            self.due.push(self.left.swap_remove(place as usize));
            self.drawn += 1;
        }
    }
}

/// The same match among others.
fn same<'a>(one: &Played, others: &'a [Played]) -> Option<&'a Played> {
    others
        .iter()
        .find(|other| other.deal == one.deal && other.bots == one.bots)
}

/// The programs in a match.
fn programs(spec: &Spec, played: &Played) -> Vec<String> {
    let programs = spec
        .bots
        .iter()
        .filter(|bot| bot.is_program() && played.bots.contains(&bot.name));
    programs.map(|bot| bot.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use arena_tournament::sample;

    use super::*;

    fn delivered(percent: u32, rounds: u32, deals: &[(&str, u32)]) -> Checks {
        let mut checks = Checks::new(percent, rounds);
        let mut deal = 0;
        for (worker, count) in deals {
            for _ in 0..*count {
                deal += 1;
                checks.delivered(deal, worker);
            }
        }
        checks
    }

    /// The numbers of deals that are drawn of each worker.
    fn drawn(checks: &mut Checks) -> BTreeMap<String, usize> {
        checks.draw_rest();
        checks.open_due(4, true).unwrap();
        assert!(
            checks
                .open
                .values()
                .all(|check| check.deals.len() <= 4 && check.deals.is_sorted())
        );
        let (mut drawn, mut all) = (BTreeMap::new(), BTreeSet::new());
        for check in checks.open.values() {
            *drawn.entry(check.by[0].clone()).or_default() += check.deals.len();
            check
                .deals
                .iter()
                .for_each(|deal| assert!(all.insert(*deal)));
        }
        drawn
    }

    #[test]
    fn of_each_worker_so_many_deals_are_drawn() {
        for (percent, rounds, deals, expected) in [
            (
                2,
                1,
                &[("a", 2_000), ("b", 100), ("c", 7)][..],
                &[("a", 40), ("b", 15), ("c", 7)][..],
            ),
            (0, 1, &[("a", 100)], &[]),
            (100, 1, &[("a", 50), ("b", 1)], &[("a", 50), ("b", 1)]),
            (2, 5, &[("a", 100)], &[("a", 3)]),
        ] {
            let expected = expected
                .iter()
                .map(|(worker, count)| ((*worker).to_owned(), *count))
                .collect();
            assert_eq!(drawn(&mut delivered(percent, rounds, deals)), expected);
        }
        // As they come, before it is known how many there will be.
        let mut checks = delivered(2, 1, &[("a", 500)]);
        checks.open_due(4, false).unwrap();
        assert_eq!(
            checks
                .open
                .values()
                .map(|check| check.deals.len())
                .sum::<usize>(),
            8
        );
        // A deal that was drawn is not drawn again when the round begins anew.
        checks.begin_round();
        (1..=500).for_each(|deal| checks.delivered(deal, "a"));
        assert_eq!(drawn(&mut checks)["a"], 15);
    }

    #[test]
    fn a_liar_is_caught_as_often_as_the_document_says() {
        for (percent, expected) in [(1, 0.26), (10, 0.96), (100, 1.0)] {
            let is_caught = |_: &u32| {
                let mut checks = delivered(2, 1, &[("liar", 500)]);
                drop(drawn(&mut checks));
                let lies = |deal: &u32| {
                    (0..2).any(|seating| checks.secret.hash_one((deal, seating)) % 100 < percent)
                };
                checks
                    .open
                    .values()
                    .any(|check| check.deals.iter().any(lies))
            };
            let share = (0..1_000).filter(is_caught).count() as f64 / 1_000.0;
            assert!((share - expected).abs() < 0.08, "{percent}: {share}");
        }
    }

    /// What a match was when it was played with this outcome.
    fn play(deal: u32, outcome: u32) -> Vec<Played> {
        let mut played = sample::really(1, deal, &["ann", "bob"], None);
        let text = format!("[[0,{{\"act\":{outcome}}}]]");
        let mut record: serde_json::Value = serde_json::from_str(&played.record).unwrap();
        record["replies"] = serde_json::from_str(&text).unwrap();
        played.record =
            serde_json::from_value(serde_json::Value::String(record.to_string())).unwrap();
        vec![played]
    }

    /// What is found where three workers play this, and whether the first is confirmed.
    fn found(outcomes: [u32; 3]) -> (Vec<String>, usize) {
        let spec = sample::tournament(&["ann", "bob"], 2, 4);
        let mut checks = delivered(100, 1, &[("a", 1)]);
        let mut found = Vec::new();
        for (worker, outcome) in ["b", "c"].into_iter().zip(&outcomes[1..]) {
            checks.open_due(1, true).unwrap();
            let Some(key) = checks.open.keys().copied().next() else {
                continue;
            };
            let new = checks
                .again(&spec, key, worker, play(1, *outcome), &play(1, outcomes[0]))
                .unwrap();
            found.extend(new.into_iter().map(|one| match one {
                Comparison::Differ(_) => "differ".to_owned(),
                Comparison::Wrong(worker, _) => worker,
                Comparison::Unsteady(_) => "unsteady".to_owned(),
            }));
            assert!(checks.open.keys().all(|other| *other != key));
        }
        assert!(checks.is_over());
        (found, checks.count(Some("a")).0)
    }

    #[test]
    fn a_third_one_decides() {
        let expect = |outcomes, names: &[&str], confirmed| {
            assert_eq!(
                found(outcomes),
                (
                    names.iter().map(|name| (*name).to_owned()).collect(),
                    confirmed
                ),
                "{outcomes:?}"
            );
        };
        expect([1, 1, 1], &[], 1);
        expect([1, 2, 1], &["differ", "b"], 1);
        expect([2, 1, 1], &["differ", "a"], 0);
        expect([1, 2, 3], &["differ", "unsteady"], 0);
    }
}
