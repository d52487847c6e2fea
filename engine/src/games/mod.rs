//! The games, known to the outside by their names.

pub mod coda;
pub mod code_777;
pub mod crack_the_code;
pub mod digit_code;

use crate::game::Game;

/// Lists the games, one line each. A macro that is made by a macro writes its `$` by the name `d`.
macro_rules! games {
    ($d:tt $($module:ident::$Game:ident,)*) => {
        /// The names of all games.
        pub const NAMES: &[&str] = &[$(<$module::$Game as Game>::NAME),*];

        /// Enters typed code for a game whose name is known only at run time: `by_name!(name, G => expression)` is the
        /// expression with the type `G` of that game, or none if there is no such game. Enter once per match or command, and
        /// export nothing that is generic over games: whoever calls it compiles it for each of them.
        #[macro_export]
        macro_rules! by_name {
            ($d name:expr, $d G:ident => $d typed:expr) => {
                match ::core::convert::AsRef::<str>::as_ref(&$d name) {
                    $(<$crate::games::$module::$Game as $crate::game::Game>::NAME => {
                        type $d G = $crate::games::$module::$Game;
                        Some($d typed)
                    })*
                    _ => None,
                }
            };
        }
    };
}

games! { $
    coda::Coda,
    code_777::Code777,
    crack_the_code::CrackTheCode,
    digit_code::DigitCode,
}
