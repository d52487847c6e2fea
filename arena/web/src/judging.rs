//! Judges finished matches when they are viewed: in the background, one at a time, and each only once.

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

/// Matches that are being judged or waiting to be judged.
#[derive(Default)]
pub struct Judging {
    /// Matches by folder and id. The value is true if the judge failed; such a match is not judged again.
    begun: Mutex<HashMap<(PathBuf, String), bool>>,
    /// A lock that is held while a match is judged.
    one: Mutex<()>,
}

impl Judging {
    /// Returns `true` if a match can be judged but has not been. While its tournament is running, returns `false`, so that the tournament
    /// can use the whole machine.
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
            // A failure is not tried again; the page reports it.
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
