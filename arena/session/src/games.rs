//! Loads games that are programs: from a folder, or from the copy that a tournament keeps.
//!
//! A game runs from a copy, as bots do. Its full name includes the beginning of the copy's hash, so that a tournament with a changed game
//! is a different tournament. The folder of a tournament keeps the copy, because nothing can be replayed without it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Context;
use arena_config::game;
use arena_engine::table::{self, Entry, Loader};
use arena_referee::Setup;
use arena_sandbox::{Copied, Sandbox, Wanted, lock};
use arena_tournament::entrant::Program;
use arena_tournament::printable::clean;
use arena_tournament::spec::{Isolation, Memory};

use crate::cache::{self, Cache};
use crate::content::GAMES;
use crate::{build, snapshot};

/// Number of digits of a copy's hash in the name of a game.
const VERSION_DIGITS: usize = 12;
/// The requested isolation for all games: the best that the machine offers.
const WANTED: Wanted = Wanted {
    isolation: Isolation::Auto,
    as_root: false,
    memory: Memory::Auto,
};

/// The loaded games by version.
static LOADED: Mutex<BTreeMap<String, Loaded>> = Mutex::new(BTreeMap::new());

/// A loaded game.
struct Loaded {
    entry: &'static Entry,
    /// The copy from which the game runs.
    home: PathBuf,
    /// The folder from which the game was loaded; `None` if only the copy is known.
    folder: Option<PathBuf>,
}

/// The loader of games for the whole program.
pub struct Games;

impl Loader for Games {
    fn load(&self, folder: &Path) -> Result<&'static Entry, String> {
        let folder = fs::canonicalize(folder)
            .map_err(|_| format!("there is no folder {}", folder.display()))?;
        let home = copied(&folder)?;
        let key = cache::key(&home).unwrap_or_default();
        let version = &key[..VERSION_DIGITS.min(key.len())];
        let entry = start(version, &home)
            .map_err(|why| format!("the game in {} cannot be played: {why}", folder.display()))?;
        if let Some(loaded) = lock(&LOADED).get_mut(version) {
            loaded.folder = Some(folder);
        }
        Ok(entry)
    }

    fn find(&self, name: &str, folders: &[PathBuf]) -> Result<&'static Entry, String> {
        let version = name.rsplit('@').next().unwrap_or_default();
        let is_hash = !version.is_empty() && version.chars().all(|c| c.is_ascii_hexdigit());
        if !is_hash || name.contains('/') {
            return Err(format!(
                "{name:?} is not the full name of a game, such as name@1a2b3c"
            ));
        }
        if let Some(loaded) = lock(&LOADED).get(version) {
            return Ok(loaded.entry);
        }
        let kept = folders.iter().map(|folder| folder.join(GAMES).join(name));
        let home = kept
            .filter(|home| home.is_dir())
            .chain(in_cache(version))
            .next();
        let home = home.ok_or_else(|| {
            format!("there is no copy of the game {name} in the folder {GAMES} of its tournament")
        })?;
        let entry = start(version, &home)?;
        if entry.name == name {
            return Ok(entry);
        }
        Err(format!(
            "the copy of the game {name} in {} is damaged: it holds {}",
            home.display(),
            entry.name
        ))
    }
}

/// Returns the copy of a game, which is made and built if it does not exist.
fn copied(folder: &Path) -> Result<PathBuf, String> {
    let program = game::read(folder)?.program;
    let roots = Copied::in_place(&program).roots;
    if roots != [folder] {
        let outside = roots.iter().find(|root| *root != folder);
        let outside = outside
            .map(|root| root.display().to_string())
            .unwrap_or_default();
        return Err(format!(
            "{outside} is not in the game's folder: put it there"
        ));
    }
    let failed =
        |why: anyhow::Error| format!("the game in {} cannot be built: {why:#}", folder.display());
    let sandbox = if program.builds() {
        Sandbox::new(WANTED, []).map_err(|error| error.to_string())?
    } else {
        Sandbox::default()
    };
    let title = folder.file_name().unwrap_or_default().to_string_lossy();
    let title = format!("game {}", clean(&title));
    let copied = build::copied(&title, &program, &sandbox, None, true);
    Ok(copied.map_err(failed)?.home)
}

/// Returns the copy in the cache whose hash begins like this version.
fn in_cache(version: &str) -> Option<PathBuf> {
    let cache = Cache::open().ok()?;
    let copies = fs::read_dir(cache.folder()).ok()?.flatten();
    let mut keys = copies.filter_map(|copy| copy.file_name().into_string().ok());
    cache.take(&keys.find(|key| key.starts_with(version))?)
}

/// Starts the game in a copy, unless it is already loaded.
fn start(version: &str, home: &Path) -> Result<&'static Entry, String> {
    if let Some(loaded) = lock(&LOADED).get(version) {
        return Ok(loaded.entry);
    }
    let game::GameFolder {
        program,
        limits,
        answer,
    } = game::read(home)?;
    let entry = arena_referee::load(
        version,
        Setup {
            copied: Copied::in_place(&program),
            program: Program {
                build: None,
                ..program
            },
            limits,
            answer,
            wanted: WANTED,
        },
    )?;
    let loaded = Loaded {
        entry,
        home: home.to_path_buf(),
        folder: None,
    };
    lock(&LOADED).insert(version.to_owned(), loaded);
    Ok(entry)
}

/// Returns the folder from which a game was loaded.
pub fn folder(game: &str) -> Option<PathBuf> {
    let loaded = lock(&LOADED);
    let found = loaded.values().find(|loaded| loaded.entry.name == game)?;
    found.folder.clone()
}

/// Stores the copy of a loaded game in the folder of its tournament.
pub fn keep(game: &str, dir: &Path) -> anyhow::Result<()> {
    let to = dir.join(GAMES).join(game);
    if !table::is_loaded(game) || to.is_dir() {
        return Ok(());
    }
    let loaded = lock(&LOADED);
    let Some(Loaded { home, .. }) = loaded.values().find(|loaded| loaded.entry.name == game) else {
        return Ok(());
    };
    let unfinished = dir.join(GAMES).join("unfinished");
    let _ = fs::remove_dir_all(&unfinished);
    fs::create_dir_all(&unfinished)
        .and_then(|()| snapshot::copy_built(home, &unfinished))
        .and_then(|()| fs::rename(&unfinished, &to))
        .with_context(|| format!("the game cannot be copied to {}", to.display()))
}
