//! Matches of people in the browser: tables are set up, played, and kept in ledgers like any other.

mod keep;
mod setup;
mod table;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use arena_engine::seat::Seat;
use serde_json::Value;

pub use self::setup::{NewTable, Program};
pub use self::table::{Reply, State, Table};
use super::key;

/// The most people that play at a time.
const PLAYING: usize = 32;
/// The age after which a table without anybody at it may be given up.
const ABANDONED: Duration = Duration::from_secs(3_600);
/// The most seats that are remembered; those of the oldest tables that are over are forgotten.
const REMEMBERED: usize = 256;

/// The tables of a server.
pub struct Tables {
    /// The folder in which matches are kept.
    root: PathBuf,
    /// The programs that may be played against.
    programs: Vec<Program>,
    all: Mutex<HashMap<String, (Arc<Table>, Seat)>>,
}

impl Tables {
    pub fn new(root: PathBuf, programs: Vec<Program>) -> Self {
        Self { root, programs, all: Mutex::default() }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, (Arc<Table>, Seat)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The table and the seat that a key is for.
    pub fn find(&self, key: &str) -> Option<(Arc<Table>, Seat)> {
        self.all().get(key).cloned()
    }

    /// What may be chosen where a table is set up.
    pub fn choices(&self) -> Value {
        setup::choices(&self.programs)
    }

    /// Sets up a table, at which the match begins at once.
    pub fn open(&self, wanted: &NewTable) -> Result<Arc<Table>, String> {
        let spec = setup::spec(wanted, &self.programs)?;
        self.make_room()?;
        let move_ms = wanted.move_s.map(|seconds| u64::from(seconds) * 1_000);
        // Without chance no key would be safe.
        let mut keys = Vec::new();
        for _ in 0..spec.plan.seats {
            keys.push(key::new().map_err(|error| error.to_string())?);
        }
        let table =
            Arc::new(Table::new(spec, move_ms, wanted.hints, || keys.pop().expect("there is one for each seat")));
        self.forget();
        self.all().extend(table.people().map(|(seat, key)| (key.to_owned(), (Arc::clone(&table), seat))));
        let (playing, root) = (Arc::clone(&table), self.root.clone());
        thread::spawn(move || playing.end(keep::play(&playing, &root)));
        Ok(table)
    }

    /// Makes room for further people: of tables at which nobody is, the oldest is given up.
    fn make_room(&self) -> Result<(), String> {
        let all = self.all();
        let playing: Vec<&Arc<Table>> =
            all.values().map(|(table, _)| table).filter(|table| matches!(table.state(), State::Playing)).collect();
        if playing.len() < PLAYING {
            return Ok(());
        }
        let left = playing.into_iter().filter(|table| table.age() > ABANDONED && table.is_empty());
        let oldest = left.max_by_key(|table| table.age());
        oldest
            .map(|table| table.give_up())
            .ok_or_else(|| format!("{PLAYING} people are playing already: try again when a match is over"))
    }

    /// Forgets the oldest of the tables that are over, if there are many.
    fn forget(&self) {
        let mut all = self.all();
        while all.len() >= REMEMBERED {
            let over = all.iter().filter(|(_, (table, _))| !matches!(table.state(), State::Playing));
            let Some(oldest) = over.max_by_key(|(_, (table, _))| table.age()).map(|(key, _)| key.clone()) else {
                break;
            };
            all.remove(&oldest);
        }
    }
}
