//! The workers that a coordinator knows: who they are, what they are playing, and how fast they are.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use arena_tournament::printable::clean;

use crate::key::Key;
use crate::message::{Hello, Status};
use arena_runner::units;

/// The time after which a worker without a sign of life is gone.
const GONE: Duration = Duration::from_secs(15);
/// The most workers that are here at a time, and that are known.
const MOST: usize = 5_000;
const MOST_KNOWN: usize = 100_000;
/// The most interpreters of a worker that are noted.
const MOST_LANGUAGES: usize = 8;
/// The longest text about one of them, in characters.
const LONGEST_LANGUAGE: usize = 100;

/// A worker, as its coordinator sees it.
pub struct Worker {
    pub hello: Hello,
    /// The interpreters that it has, with their versions.
    pub languages: Vec<String>,
    /// The units that it has.
    pub holding: BTreeSet<Key>,
    /// The number of its matches that were saved.
    pub matches: u64,
    seen: Instant,
    since: Instant,
    /// When it joined last.
    pub joined: Instant,
    /// True if it will play no more.
    pub left: bool,
}

/// All workers that have joined.
#[derive(Default)]
pub struct Workers(BTreeMap<String, Worker>);

impl Workers {
    /// True if one more may join: those that are gone make room, and are forgotten if they did nothing.
    pub fn has_room(&mut self) -> bool {
        if self.0.len() >= MOST {
            self.0
                .retain(|_, worker| worker.is_here() || worker.matches > 0);
        }
        self.0.len() < MOST || self.0.len() < MOST_KNOWN && self.here().count() < MOST
    }

    /// A worker joins, or joins again.
    pub fn join(&mut self, hello: Hello) {
        let now = Instant::now();
        let (languages, holding) = (Vec::new(), BTreeSet::new());
        let new = Worker {
            hello: hello.clone(),
            languages,
            holding,
            matches: 0,
            seen: now,
            since: now,
            joined: now,
            left: false,
        };
        let worker = self.0.entry(hello.worker.clone()).or_insert(new);
        (worker.hello, worker.seen, worker.joined, worker.left) = (hello, now, now, false);
    }

    /// The worker of this name, if one has joined.
    pub fn get(&self, name: &str) -> Option<&Worker> {
        self.0.get(name)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Worker> {
        self.0.get_mut(name)
    }

    /// Updates a worker. Returns the open units that it gave back, and those that it has begun.
    pub fn update(
        &mut self,
        status: &Status,
        is_open: impl Fn(Key) -> bool,
    ) -> (BTreeSet<Key>, Vec<Key>) {
        let Some(worker) = self.0.get_mut(&status.hello.worker) else {
            return Default::default();
        };
        (worker.seen, worker.left) = (Instant::now(), status.leaves);
        let shortened = |text: &String| clean(text).chars().take(LONGEST_LANGUAGE).collect();
        worker.languages = status
            .languages
            .iter()
            .take(MOST_LANGUAGES)
            .map(shortened)
            .collect();
        let keys = |texts: &[String]| {
            let keys = texts.iter().filter_map(|text| text.parse().ok());
            keys.filter(|key| is_open(*key)).collect::<BTreeSet<Key>>()
        };
        let before = std::mem::replace(&mut worker.holding, keys(&status.holding));
        (
            keys(&status.given_back),
            worker.holding.difference(&before).copied().collect(),
        )
    }

    /// Those that are here.
    pub fn here(&self) -> impl Iterator<Item = (&String, &Worker)> {
        self.0.iter().filter(|(_, worker)| worker.is_here())
    }

    /// All that have joined.
    pub fn all(&self) -> impl Iterator<Item = (&String, &Worker)> {
        self.0.iter()
    }

    /// No worker has a unit any more.
    pub fn all_finished(&mut self) {
        self.0
            .values_mut()
            .for_each(|worker| worker.holding.clear());
    }

    /// The number of matches that are played at a time.
    pub fn jobs(&self) -> usize {
        self.here().map(|(_, worker)| worker.hello.jobs).sum()
    }

    /// How many there are, and how fast.
    pub fn describe(&self) -> String {
        let rates: Vec<f64> = self.here().map(|(_, worker)| worker.rate()).collect();
        let rate = units::rate(rates.iter().sum(), "matches");
        match rates.len() {
            0 => "no workers".into(),
            1 => format!("1 worker, {rate}"),
            count => format!("{count} workers, {rate}"),
        }
    }
}

impl Worker {
    /// True if it can play.
    pub fn is_here(&self) -> bool {
        !self.left && self.seen.elapsed() < GONE
    }

    fn rate(&self) -> f64 {
        self.matches as f64 / self.since.elapsed().as_secs_f64().max(1e-3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Build;

    #[test]
    fn those_who_leave_make_room() {
        let build = Build {
            version: "1".into(),
            sha256: String::new(),
            rules: Vec::new(),
        };
        let (isolation, best) = (Vec::new(), String::new());
        let hello = Hello {
            worker: String::new(),
            id: 1,
            build,
            cores: 1,
            jobs: 1,
            speed: 1.0,
            isolation,
            best,
        };
        let mut workers = Workers::default();
        for number in 0..2 * MOST {
            assert!(workers.has_room(), "{number}");
            let worker = format!("w{number}");
            workers.join(Hello {
                worker: worker.clone(),
                ..hello.clone()
            });
            let worker = workers.get_mut(&worker).unwrap();
            (worker.matches, worker.left) = (number as u64 % 2, true);
        }
        assert!(workers.all().count() <= MOST + 1);
    }
}
