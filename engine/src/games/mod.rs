//! The games, known to the outside by their names.
//!
//! A game is one folder here and one line in the list below. The folder holds its rules as code (a type that implements
//! [`Game`]) and for people (`rules.md`), its tests and golden files and, if it has one, its picture: `table.js`, a script that calls
//! `table(make)` once, where `make` is handed what draws (`el`, `picture`, `place` and more) and returns a function from what is seen to
//! an element. An element with the attributes of `choice({ player, place })`, or `choice({ field: value })`, can be clicked by the player
//! who has that choice. Without a picture the views are shown field by field. The smallest game is `sample`.

pub mod coda;
pub mod code_777;
pub mod crack_the_code;
pub mod digit_code;
#[cfg(feature = "sample-game")]
pub mod sample;

use crate::game::Game;

/// Lists the games, one line each, and those that are hidden. A macro that is made by a macro writes its `$` by the name `d`.
macro_rules! games {
    ([$d:tt] [$($module:ident::$Game:ident,)*] [$($hidden:ident::$Hidden:ident)?]) => {
        /// The names of all games.
        pub const NAMES: &[&str] = &[$(<$module::$Game as Game>::NAME),*];

        /// The names of games that are in no list and yet can be played: the tests' own.
        pub const HIDDEN: &[&str] = &[$(<$hidden::$Hidden as Game>::NAME)?];

        /// Enters typed code for a game whose name is known only at run time: `by_name!(name, G => expression)` is the
        /// expression with the type `G` of that game, or none if there is no such game. Enter once per match or command, and
        /// export nothing that is generic over games: every caller compiles it for each of them.
        #[macro_export]
        macro_rules! by_name {
            ($d name:expr, $d G:ident => $d typed:expr) => {
                match ::core::convert::AsRef::<str>::as_ref(&$d name) {
                    $(<$crate::games::$module::$Game as $crate::game::Game>::NAME => {
                        type $d G = $crate::games::$module::$Game;
                        Some($d typed)
                    })*
                    $(<$crate::games::$hidden::$Hidden as $crate::game::Game>::NAME => {
                        type $d G = $crate::games::$hidden::$Hidden;
                        Some($d typed)
                    })?
                    _ => None,
                }
            };
        }
    };
    ($d:tt $($module:ident::$Game:ident,)*) => {
        #[cfg(feature = "sample-game")]
        games! { [$d] [$($module::$Game,)*] [sample::HideAndSeek] }
        #[cfg(not(feature = "sample-game"))]
        games! { [$d] [$($module::$Game,)*] [] }
    };
}

games! { $
    coda::Coda,
    code_777::Code777,
    crack_the_code::CrackTheCode,
    digit_code::DigitCode,
}

/// All games that can be played, hidden ones too.
pub fn all() -> impl Iterator<Item = &'static str> {
    NAMES.iter().chain(HIDDEN).copied()
}

/// A file in the folder of a game.
#[cfg(test)]
fn file(game: &str, name: &str) -> std::path::PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "src/games", game, name]
        .iter()
        .collect()
}
