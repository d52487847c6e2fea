//! The games of this program, by name.

use std::sync::OnceLock;

use super::entry::Entry;
use crate::games::ENTRIES;

static GAMES: OnceLock<&'static [Entry]> = OnceLock::new();
static GAME_NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();

/// Registers these games instead of this crate's own. No effect after the first call, or once any game was looked up.
pub fn make_known(games: &'static [Entry]) {
    GAMES.get_or_init(|| games);
}

/// Returns the registered games; the first is the default.
pub fn games() -> &'static [Entry] {
    GAMES.get_or_init(|| ENTRIES)
}

/// Returns the game of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    games().iter().find(|entry| entry.name == name)
}

/// Returns the names of the games.
pub fn names() -> &'static [&'static str] {
    GAME_NAMES.get_or_init(|| games().iter().map(|entry| entry.name).collect())
}
