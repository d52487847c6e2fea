//! Judges finished matches that somebody looks at: in the background, one at a time, and each once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use arena_ledger::lock::Lock;
use arena_runner::lock;
use arena_tournament::played::Played;

use arena_session::judgements;

/// The most matches that wait.
const MOST: usize = 64;

/// The matches that are being judged.
#[derive(Default)]
pub struct Judging {
    /// By folder and id, whether the judge is done with it.
    begun: Mutex<HashMap<(PathBuf, String), bool>>,
    /// Held while a match is judged.
    one: Mutex<()>,
}

impl Judging {
    /// Returns true if a match can be judged and is not. While its tournament is being played, the machine is left to that.
    pub fn is_wanted(&self, dir: &Path, game: &str, played: &Played) -> bool {
        let begun = lock(&self.begun).get(&place(dir, played)).copied();
        begun != Some(true) && !Lock::is_held(dir) && judgements::is_missing(dir, game, played)
    }

    /// Begins to judge a match unless that has begun.
    pub fn begin(self: &Arc<Self>, dir: &Path, game: &str, played: &Played) {
        let mut begun = lock(&self.begun);
        let place = place(dir, played);
        let waiting = begun.values().filter(|is_done| !**is_done).count();
        if begun.contains_key(&place) || waiting >= MOST {
            return;
        }
        begun.insert(place.clone(), false);
        let (judging, game, played) = (Arc::clone(self), game.to_owned(), played.clone());
        thread::spawn(move || {
            let _one = lock(&judging.one);
            let (dir, _) = &place;
            // What cannot be judged or kept is not tried again, and the page says so.
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
