//! Judges finished matches when they are viewed: in the background, one at a time, and each once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use arena_ledger::lock::Lock;
use arena_runner::lock;
use arena_tournament::played::Played;

use arena_session::judgements;

/// Maximum number of matches in the backlog.
const MAX_BACKLOG: usize = 64;

/// Matches being judged or waiting for it.
#[derive(Default)]
pub struct Judging {
    /// Matches by folder and id; true if the judge failed, so that they are not retried.
    begun: Mutex<HashMap<(PathBuf, String), bool>>,
    /// Lock held while a match is judged.
    one: Mutex<()>,
}

impl Judging {
    /// Returns `true` if a match can be judged and has not been. False while its tournament runs, to leave it the machine.
    pub fn is_wanted(&self, dir: &Path, game: &str, played: &Played) -> bool {
        let begun = lock(&self.begun).get(&place(dir, played)).copied();
        begun != Some(true) && !Lock::is_held(dir) && judgements::is_missing(dir, game, played)
    }

    /// Queues a match to be judged, unless it already is or the backlog is full.
    pub fn begin(self: &Arc<Self>, dir: &Path, game: &str, played: &Played) {
        let mut begun = lock(&self.begun);
        let place = place(dir, played);
        let waiting = begun.values().filter(|is_done| !**is_done).count();
        if begun.contains_key(&place) || waiting >= MAX_BACKLOG {
            return;
        }
        begun.insert(place.clone(), false);
        let (judging, game, played) = (Arc::clone(self), game.to_owned(), played.clone());
        thread::spawn(move || {
            let _one = lock(&judging.one);
            let (dir, _) = &place;
            // Failures are not retried: the page reports them.
            let _ = judgements::judged(dir, &game, &played);
            let is_kept = !judgements::is_missing(dir, &game, &played);
            let mut begun = lock(&judging.begun);
            if is_kept {
                begun.remove(&place);
            } else {
                begun.insert(place.clone(), true);
            }
        });
    }
}

fn place(dir: &Path, played: &Played) -> (PathBuf, String) {
    (dir.to_owned(), played.id())
}
