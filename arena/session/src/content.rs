//! Names of the files and folders in the folder of a tournament.

use std::fs;
use std::path::Path;

use arena_config::diagnostic::UsageError;
use arena_ledger::{ledger, saved};

use super::{crashes, judgements};

/// The tournament file in the folder. It is written for people; the ledger also contains the tournament.
pub const FILE: &str = "tournament.toml";

/// The subfolder for the tournament as it was before it started over.
pub const EARLIER: &str = "earlier";

/// Files and folders that are derived from the ledger or written during play.
pub const DERIVED: &[&str] = &[
    "charts",
    "logs",
    EARLIER,
    "standings.json",
    "comparison.json",
    "report.html",
    "pairings.html",
    judgements::FILE,
    crashes::FILE,
    saved::FILE,
    "repairing",
    "stop",
];

/// The subfolder with the copies of the game, each under its full name.
pub const GAMES: &str = "games";

/// The lock of the folder, which is the first file written into it.
const LOCK: &str = "lock";

/// Beginnings of the names of other files that the arena may have written before there is a ledger.
const OURS: &[&str] = &[
    LOCK,
    FILE,
    "bots",
    GAMES,
    ledger::FILE,
    "generation-",
    "tuning.",
];

/// Returns `true` if the folder has a tournament file but no ledger, as after a reset.
pub fn has_description_only(path: &Path) -> bool {
    path.join(FILE).is_file() && refuse_foreign(path).is_ok()
}

/// Returns `true` if the folder belongs to a tournament that was killed before it had a ledger.
pub fn is_just_begun(path: &Path) -> bool {
    path.join(LOCK).is_file() && refuse_foreign(path).is_ok()
}

/// Refuses a folder that is used for something else.
pub fn refuse_foreign(dir: &Path) -> Result<(), UsageError> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_ours = |name: &String| {
        DERIVED.contains(&name.as_str()) || OURS.iter().any(|ours| name.starts_with(ours))
    };
    match names.find(|name| !is_ours(name)) {
        None => Ok(()),
        Some(name) => Err(UsageError::one(format!(
            "{} is not a tournament's folder, since it holds {name:?}: choose another with --out",
            dir.display()
        ))),
    }
}
