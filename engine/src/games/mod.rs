//! The games, registered by name.
//!
//! A game is one folder here and one line in the list below. The folder holds its rules as code (a type that implements
//! [`Game`](crate::game::Game)) and for people (`rules.md`), its tests and golden files and, optionally, `table.js`: a script that draws
//! the table. The script calls `table(make)` once. `make` receives the drawing helpers (`el`, `picture`, `place` and more), and returns a
//! function that turns the visible table into an element. An element with the attributes of `choice({ player, place })`, or `choice({
//! field: value })`, can be clicked by a player who has that choice. Without a script, views are shown field by field.

pub mod coda;
pub mod code_777;
pub mod crack_the_code;
pub mod digit_code;

use crate::table::Entry;

/// The games of this crate, which are registered unless a program registers others.
pub static ENTRIES: &[Entry] = &[
    Entry::new::<coda::Coda>(),
    Entry::new::<code_777::Code777>(),
    Entry::new::<crack_the_code::CrackTheCode>(),
    Entry::new::<digit_code::DigitCode>(),
];

/// Returns the path of a file in the folder of a game.
#[cfg(test)]
fn file(game: &str, name: &str) -> std::path::PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "src/games", game, name]
        .iter()
        .collect()
}
