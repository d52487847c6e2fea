//! Matches of people in the browser, stored in ledgers like any other match.

mod keep;
mod saved;
mod setup;
mod table;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use arena_engine::seat::Seat;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;
use serde_json::{Value, json};

pub use self::saved::Reply;
use self::saved::Saved;
pub use self::setup::{NewTable, Program};
pub use self::table::{NOT_YET_ASKED, State, Table, UNSAVED};
use super::key;
use arena_runner::lock;
use arena_runner::status::status;

/// Maximum number of people who play at the same time.
const MAX_PEOPLE: usize = 32;
/// Time without an open page after which a table may be closed.
const ABANDONED_AFTER: Duration = Duration::from_secs(300);
/// Maximum number of keys that are remembered. The keys of the oldest finished tables are forgotten first.
const MAX_KEYS: usize = 256;

/// Tables of a server.
pub struct Tables {
    /// Folder in which matches are stored.
    root: PathBuf,
    /// Programs against which people may play.
    programs: Vec<Program>,
    /// The folder of saved unfinished matches; `None` until it is needed.
    saved: Mutex<Option<saved::Folder>>,
    all: Mutex<HashMap<String, Place>>,
}

/// The access that a key grants: a table and the seat to play, or `None` for watching.
type Place = (Arc<Table>, Option<Seat>);

impl Tables {
    pub fn new(root: PathBuf, programs: Vec<Program>) -> Self {
        Self {
            root,
            programs,
            saved: Mutex::default(),
            all: Mutex::default(),
        }
    }

    /// Returns the table and the seat to which a key grants access.
    pub fn find(&self, key: &str) -> Option<Place> {
        lock(&self.all).get(key).cloned()
    }

    /// Returns the tables with a match in progress, newest first.
    pub fn playing(&self) -> Vec<Arc<Table>> {
        let all = lock(&self.all);
        let is_open =
            |(table, seat): &&Place| seat.is_none() && matches!(table.state(), State::Playing);
        let open = all.values().filter(is_open);
        let mut open: Vec<_> = open.map(|(table, _)| Arc::clone(table)).collect();
        open.sort_by_key(|table| table.begun.elapsed());
        open
    }

    /// Returns the choices for setting up a table, and the tables with a match in progress.
    pub fn choices(&self) -> Value {
        let open = |table: &Arc<Table>| {
            let (spec, is_empty) = (&table.spec, table.is_empty());
            json!({"id": table.id(), "name": clean(&spec.name), "game": spec.plan.game, "is_empty": is_empty, "watch": table.watch_address()})
        };
        let mut choices = setup::choices(&self.programs);
        choices["open"] = self.playing().iter().map(open).collect();
        choices
    }

    /// Ends the match at a table by making all people leave. Returns `false` if there is no such table.
    pub fn close(&self, id: &str) -> bool {
        let found = self.playing().into_iter().find(|table| table.id() == id);
        found.inspect(|table| table.give_up()).is_some()
    }

    /// Calls a function with the folder of saved matches, which is created if missing.
    fn saved<T>(&self, act: impl FnOnce(&saved::Folder) -> T) -> anyhow::Result<T> {
        let mut saved = lock(&self.saved);
        if saved.is_none() {
            *saved = Some(saved::Folder::take(&self.root)?);
        }
        saved.as_ref().map(act).context("there is a folder")
    }

    /// Sets up a table and starts its match. `rematches` counts the rematches that led to this table, by seat.
    pub fn open(&self, wanted: NewTable, rematches: Vec<u32>) -> anyhow::Result<Arc<Table>> {
        let spec = setup::spec(&wanted, &self.programs).map_err(anyhow::Error::msg)?;
        self.make_room().map_err(anyhow::Error::msg)?;
        // Fails if the system has no random numbers, because a predictable key would give anybody access.
        let keys = (0..spec.plan.seats).map(|_| key::new());
        let keys = keys.collect::<anyhow::Result<_>>()?;
        let saved = Saved::new(wanted, rematches, spec.plan.seed, keys, key::new()?);
        let file = self.saved(saved::Folder::file)??;
        saved
            .write(&file)
            .with_context(|| format!("cannot write {}", file.display()))?;
        Ok(self.begin(spec, saved, file))
    }

    /// Resumes the matches that an earlier server process saved.
    pub fn resume(&self) -> anyhow::Result<()> {
        if !self.root.join(saved::FOLDER).is_dir() {
            return Ok(());
        }
        for file in self.saved(saved::Folder::files)? {
            let begin = |saved: Saved| {
                let mut spec =
                    setup::spec(&saved.wanted, &self.programs).map_err(anyhow::Error::msg)?;
                spec.plan.seed = saved.seed;
                self.begin(spec, saved, file.clone());
                Ok(())
            };
            if let Err(error) = Saved::read(&file).and_then(begin) {
                status(format_args!(
                    "cannot resume the match in {}: {error:#}",
                    file.display()
                ));
            }
        }
        Ok(())
    }

    fn begin(&self, spec: Spec, saved: Saved, file: PathBuf) -> Arc<Table> {
        let begun = saved.begun.clone();
        let table = Arc::new(Table::new(spec, saved, file));
        self.forget();
        let seats = table.people().map(|(seat, key)| (key, Some(seat)));
        let places = seats.chain([(table.watch_key(), None)]);
        lock(&self.all)
            .extend(places.map(|(key, place)| (key.to_owned(), (Arc::clone(&table), place))));
        let (playing, root) = (Arc::clone(&table), self.root.clone());
        thread::spawn(move || playing.end(keep::play(&playing, begun.as_ref(), &root)));
        table
    }

    /// Makes room for more people if there are too many, by closing the oldest abandoned table.
    fn make_room(&self) -> Result<(), String> {
        let all = lock(&self.all).clone();
        let people = all.values().filter(|(_, seat)| seat.is_some());
        let tables = people.map(|(table, _)| table);
        let is_playing = |table: &&Arc<Table>| matches!(table.state(), State::Playing);
        let playing: Vec<&Arc<Table>> = tables.filter(is_playing).collect();
        if playing.len() < MAX_PEOPLE {
            return Ok(());
        }
        let left = playing
            .into_iter()
            .filter(|table| table.idle() > ABANDONED_AFTER);
        let oldest = left.max_by_key(|table| table.begun.elapsed());
        oldest.map(|table| table.give_up()).ok_or_else(|| {
            format!("{MAX_PEOPLE} people are playing already: try again when a match is over")
        })
    }

    /// Forgets the keys of the oldest finished tables, if there are too many.
    fn forget(&self) {
        let mut all = lock(&self.all);
        while all.len() >= MAX_KEYS {
            let over = all
                .iter()
                .filter(|(_, (table, _))| !matches!(table.state(), State::Playing));
            let oldest = over.max_by_key(|(_, (table, _))| table.begun.elapsed());
            let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                break;
            };
            all.remove(&key);
        }
    }
}
