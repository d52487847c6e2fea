//! How often bots crash, are late or come first with each worker: a worker with other rates than the others with the same bots is checked more.

use std::collections::{BTreeMap, BTreeSet};

use arena_engine::fault::Cause;
use arena_engine::record::{Record, Reply};
use arena_engine::seat::Seat;
use arena_tournament::deals::Seated;
use arena_tournament::played::Played;
use serde::de::IgnoredAny;

/// What is counted.
const WHAT: [&str; 3] = ["crashed", "was late", "came first"];
/// By how many standard errors a rate must differ, so that chance rarely does it, with many workers and bots.
const ODD: f64 = 4.0;
/// The fewest matches on both sides.
const FEWEST: f64 = 20.0;

/// The rates of a tournament.
#[derive(Default)]
pub struct Rates {
    /// Of each worker, by bot.
    workers: BTreeMap<String, BTreeMap<String, Tally>>,
    /// Of all workers together.
    all: BTreeMap<String, Tally>,
    /// The workers that differ.
    odd: BTreeSet<String>,
}

/// The number of matches, and of those in which each thing happened.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    matches: f64,
    counts: [f64; WHAT.len()],
}

impl Rates {
    /// Notes a match. Returns in which way its worker differs, if that is found now.
    pub fn note(&mut self, worker: &str, played: &Played) -> Option<String> {
        let of = self.workers.entry(worker.to_owned()).or_default();
        let mut found = None;
        for (bot, now) in played.bots.iter().zip(happened(played)) {
            let (own, all) = (
                of.entry(bot.clone()).or_default(),
                self.all.entry(bot.clone()).or_default(),
            );
            (*own, *all) = (own.plus(now, 1.0), all.plus(now, 1.0));
            let others = all.plus(*own, -1.0);
            if let Some(what) = own.differs(others) {
                let [here, there] =
                    [*own, others].map(|of| format!("{} of {}", of.counts[what], of.matches));
                found = Some(format!(
                    "bot {bot} {} in {here} matches there, in {there} elsewhere",
                    WHAT[what]
                ));
            }
        }
        found.filter(|_| self.odd.insert(worker.to_owned()))
    }

    /// True for a worker that differs from the others.
    pub fn is_odd(&self, worker: &str) -> bool {
        self.odd.contains(worker)
    }

    /// Forgets a worker, and whom it made seem odd.
    pub fn remove(&mut self, worker: &str) {
        self.odd.clear();
        for (bot, tally) in self.workers.remove(worker).unwrap_or_default() {
            self.all
                .entry(bot)
                .and_modify(|all| *all = all.plus(tally, -1.0));
        }
    }
}

/// What happened to the bot in each seat of a match.
fn happened(played: &Played) -> Vec<Tally> {
    let is_first = |seated: Seated| Tally {
        matches: 1.0,
        counts: [0.0, 0.0, f64::from(u8::from(seated.place == 1))],
    };
    let mut tallies: Vec<Tally> = Seated::all(&played.verdict)
        .into_iter()
        .map(is_first)
        .collect();
    let record = serde_json::from_str::<Record<IgnoredAny, IgnoredAny>>(&played.record);
    for replied in record.into_iter().flat_map(|record| record.replies) {
        let what = match &replied.1 {
            Reply::Failed(fault) if fault.cause() == Cause::Crash => 0,
            Reply::Failed(fault) if fault.cause() == Cause::Time => 1,
            Reply::Late => 1,
            _ => continue,
        };
        let seat: Seat = replied.0;
        tallies
            .get_mut(seat.index())
            .into_iter()
            .for_each(|tally| tally.counts[what] = 1.0);
    }
    tallies
}

impl Tally {
    /// With another one, so many times.
    fn plus(mut self, other: Self, times: f64) -> Self {
        self.matches += times * other.matches;
        self.counts
            .iter_mut()
            .zip(other.counts)
            .for_each(|(count, more)| *count += times * more);
        self
    }

    /// What happens more or less often here than there, by the test of two proportions with the correction for continuity (Yates, 1934).
    fn differs(self, there: Self) -> Option<usize> {
        let sizes = 1.0 / self.matches + 1.0 / there.matches;
        let differs = |what: &usize| {
            let (here, elsewhere) = (self.counts[*what], there.counts[*what]);
            let mean = (here + elsewhere) / (self.matches + there.matches);
            let difference = (here / self.matches - elsewhere / there.matches).abs() - sizes / 2.0;
            difference > ODD * (mean * (1.0 - mean) * sizes).sqrt()
        };
        let is_enough = self.matches.min(there.matches) >= FEWEST;
        (0..WHAT.len()).filter(|_| is_enough).find(differs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many matches in which the last thing happened this number of times.
    fn tally(count: f64, matches: f64) -> Tally {
        Tally {
            matches,
            counts: [0.0, 0.0, count],
        }
    }

    #[test]
    fn rates_differ_where_chance_hardly_explains_it() {
        for (here, there, expected) in [
            ((10.0, 100.0), (0.0, 1_000.0), true),
            ((1.0, 20.0), (0.0, 1_000.0), false),
            ((50.0, 100.0), (60.0, 100.0), false),
            ((50.0, 100.0), (800.0, 1_000.0), true),
            ((5.0, 5.0), (0.0, 1_000.0), false),
            ((0.0, 100.0), (0.0, 100.0), false),
        ] {
            let [here, there] = [here, there].map(|(count, matches)| tally(count, matches));
            assert_eq!(
                [here.differs(there), there.differs(here)],
                [expected.then_some(2); 2],
                "{here:?} {there:?}"
            );
        }
    }
}
