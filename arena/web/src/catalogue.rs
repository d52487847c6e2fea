//! Catalogue of the tournaments in a folder.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use arena_config::class;
use arena_ledger::ledger::Ledger;
use arena_ledger::{ledger, written};
use arena_runner::lock;
use arena_tournament::entrant::Entrant;

/// Maximum depth of the search below the folder.
const MAX_DEPTH: usize = 3;
/// Maximum number of folders searched.
const MAX_FOLDERS: usize = 5_000;
/// Minimum time between two scans.
const SCAN_INTERVAL: Duration = Duration::from_secs(1);
/// Key of the tournament in the folder itself.
const HERE: &str = "here";

/// The folder of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TournamentFolder {
    /// The name in addresses: the path relative to the served folder.
    pub key: String,
    pub dir: PathBuf,
    /// Time of the last change to the ledger.
    pub changed: SystemTime,
    /// True in the folder of a bot. Its author may have forged the ledger, so the tournament is listed but not opened.
    pub is_of_bot: bool,
}

/// Tournaments in a folder and its subfolders.
pub struct Catalogue {
    root: PathBuf,
    found: Mutex<(Option<Instant>, BTreeMap<String, TournamentFolder>)>,
}

impl Catalogue {
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            found: Mutex::default(),
        }
    }

    /// Returns all tournaments, most recently changed first.
    pub fn all(&self) -> Vec<TournamentFolder> {
        let mut all: Vec<TournamentFolder> = self.scan().into_values().collect();
        // The sort is stable: tournaments changed at the same time stay sorted by key.
        all.sort_by_key(|found| Reverse(found.changed));
        all
    }

    /// Returns the tournament with this key, if it may be shown. The key is only compared, and never used as a path.
    pub fn find(&self, key: &str) -> Option<TournamentFolder> {
        let known = lock(&self.found).1.get(key).cloned();
        let found = known.filter(|found| found.dir.join(ledger::FILE).is_file());
        let found = found.or_else(|| {
            // The cached scan may be older than the tournament.
            lock(&self.found).0 = None;
            self.scan().remove(key)
        });
        found.filter(|found| !found.is_of_bot)
    }

    fn scan(&self) -> BTreeMap<String, TournamentFolder> {
        let mut found = lock(&self.found);
        if found.0.is_none_or(|when| when.elapsed() > SCAN_INTERVAL) {
            *found = (Some(Instant::now()), scan(&self.root));
        }
        found.1.clone()
    }
}

/// Returns the game of a tournament that counts for a season. Matches of people do not.
pub fn game(ledger: &Ledger) -> Option<&str> {
    let spec = ledger.spec();
    let has_people = spec.bots.iter().any(Entrant::is_person);
    (!has_people).then_some(&spec.plan.game)
}

/// Finds ledgers breadth-first. Skips hidden folders and the subfolders of tournaments.
fn scan(root: &Path) -> BTreeMap<String, TournamentFolder> {
    let mut found = BTreeMap::new();
    let mut layer = vec![(root.to_path_buf(), String::new(), false)];
    let mut left = MAX_FOLDERS;
    for _ in 0..=MAX_DEPTH {
        let mut next = Vec::new();
        for (dir, key, is_of_bot) in layer {
            if dir.join(ledger::FILE).is_file() {
                let changed = stamp(&dir).unwrap_or(SystemTime::UNIX_EPOCH);
                let key = if key.is_empty() { HERE.into() } else { key };
                let one = TournamentFolder {
                    key: key.clone(),
                    dir,
                    changed,
                    is_of_bot,
                };
                found.insert(key, one);
            } else {
                let below = below(&dir, &key, &mut left).into_iter();
                next.extend(below.map(|(dir, key)| {
                    let is_of_bot = is_of_bot || class::is_of_bot(&dir);
                    (dir, key, is_of_bot)
                }));
            }
        }
        layer = next;
    }
    found
}

fn below(dir: &Path, key: &str, left: &mut usize) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        // Symbolic links could leave the folder or form cycles.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && !name.starts_with('.') && *left > 0 {
            *left -= 1;
            let slash = if key.is_empty() { "" } else { "/" };
            all.push((entry.path(), format!("{key}{slash}{name}")));
        }
    }
    all
}

/// Returns the time of the last write to a ledger. Ignores an empty log, because a reader may leave one.
fn stamp(dir: &Path) -> Option<SystemTime> {
    written::written(dir)
        .into_iter()
        .flatten()
        .filter(|(_, size)| *size > 0)
        .map(|(when, _)| when)
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ledgers_are_found_below_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        for dir in ["a", "runs/b-1", "a/earlier/1", ".hidden/c", "d/e/f/g/h"] {
            let dir = folder.path().join(dir);
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join(ledger::FILE), "").unwrap();
        }
        let catalogue = Catalogue::new(folder.path().to_path_buf());
        let mut keys: Vec<String> = catalogue.all().into_iter().map(|found| found.key).collect();
        keys.sort();
        assert_eq!(keys, ["a", "runs/b-1"]);
        assert!(catalogue.find("runs/b-1").is_some());
        assert!(
            ["", "..", "../a", "runs", "/etc", "a/", "here"]
                .iter()
                .all(|key| catalogue.find(key).is_none())
        );
        let itself = Catalogue::new(folder.path().join("a"));
        assert_eq!(itself.all()[0].key, HERE);
    }

    #[test]
    fn ledgers_of_bots_are_named_but_not_found() {
        let folder = tempfile::tempdir().unwrap();
        for dir in ["week", "class/ann", "class/bob/t"] {
            let dir = folder.path().join(dir);
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join(ledger::FILE), "").unwrap();
        }
        fs::write(folder.path().join("class/ann/bot.toml"), "").unwrap();
        fs::write(folder.path().join("class/bob/main.py"), "").unwrap();
        let catalogue = Catalogue::new(folder.path().to_path_buf());
        let of_bots = catalogue
            .all()
            .into_iter()
            .map(|found| (found.key, found.is_of_bot));
        let of_bots: BTreeMap<String, bool> = of_bots.collect();
        let expected = [("class/ann", true), ("class/bob/t", true), ("week", false)];
        assert_eq!(
            of_bots,
            BTreeMap::from(expected.map(|(key, is)| (key.to_owned(), is)))
        );
        let is_found = |key: &str| catalogue.find(key).is_some();
        assert!(is_found("week") && !is_found("class/ann") && !is_found("class/bob/t"));
        // The owner of a bot may serve the bot's folder.
        let own = Catalogue::new(folder.path().join("class/bob"));
        assert!(own.find("t").is_some());
    }
}
