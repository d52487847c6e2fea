//! The games compiled into this program, by name, and games loaded from folders.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::entry::Entry;
use crate::games::ENTRIES;

/// The character between a loaded game's name and the version of its files.
const VERSION_MARK: char = '@';

static GAMES: OnceLock<&'static [Entry]> = OnceLock::new();
static GAME_NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
static LOADER: OnceLock<&'static dyn Loader> = OnceLock::new();
static LOADED: Mutex<Vec<&'static Entry>> = Mutex::new(Vec::new());
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A loader of games that are not compiled into this program.
pub trait Loader: Sync {
    /// Loads the game in a folder; its entry is named after the game and the version of its files.
    ///
    /// # Errors
    /// An explanation for the author of the game.
    fn load(&self, folder: &Path) -> Result<&'static Entry, String>;
    /// Finds a version of a loaded game by its full name, among the games already loaded and the copies in these folders.
    ///
    /// # Errors
    /// An explanation for the author of the game.
    fn find(&self, name: &str, folders: &[PathBuf]) -> Result<&'static Entry, String>;
}

/// Registers these games instead of this crate's own. Has no effect after the first call, or after any game has been looked up.
pub fn make_known(games: &'static [Entry]) {
    GAMES.get_or_init(|| games);
}

/// Registers the loader of games that are not compiled into this program. Has no effect after the first call.
pub fn set_loader(loader: &'static dyn Loader) {
    LOADER.get_or_init(|| loader);
}

/// Adds a folder that may hold copies of loaded games.
pub fn search_in(folder: &Path) {
    let mut folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    if !folders.iter().any(|known| known == folder) {
        folders.push(folder.to_owned());
    }
}

/// Returns the registered games; the first is the default.
pub fn games() -> &'static [Entry] {
    GAMES.get_or_init(|| ENTRIES)
}

/// Returns the game with this name; `None` if there is none.
pub fn find(name: &str) -> Option<&'static Entry> {
    get(name).ok()
}

/// Returns the game with this name.
///
/// # Errors
/// If there is no such game; the error gives the reason.
pub fn get(name: &str) -> Result<&'static Entry, String> {
    let known = games().iter().find(|entry| entry.name == name);
    match (known, LOADER.get()) {
        (Some(entry), _) => Ok(entry),
        (None, Some(loader)) if name.contains(VERSION_MARK) => {
            let folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
            let folders = folders.clone();
            loader.find(name, &folders)
        }
        _ => Err(format!("this program does not know {name:?}")),
    }
}

/// Loads the game in a folder.
///
/// # Errors
/// An explanation for the author of the game.
pub fn load(folder: &Path) -> Result<&'static Entry, String> {
    let loader = LOADER.get().ok_or("this program loads no games")?;
    let entry = loader.load(folder)?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if !loaded.iter().any(|known| known.name == entry.name) {
        loaded.push(entry);
    }
    Ok(entry)
}

/// Returns the games of this program, followed by the games loaded from folders.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    let loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    games().iter().chain(loaded.clone())
}

/// Returns the full name of a loaded game: its name and the version of its files.
pub fn versioned(name: &str, version: &str) -> String {
    format!("{name}{VERSION_MARK}{version}")
}

/// Returns the name of a game as bots know it, without the version of its files.
pub fn plain_name(name: &str) -> &str {
    name.split(VERSION_MARK).next().unwrap_or_default()
}

/// Returns `true` if the name belongs to a game loaded from a folder.
pub fn is_loaded(name: &str) -> bool {
    name.contains(VERSION_MARK)
}

/// Returns the names of the games of this program.
pub fn names() -> &'static [&'static str] {
    GAME_NAMES.get_or_init(|| games().iter().map(|entry| entry.name).collect())
}
