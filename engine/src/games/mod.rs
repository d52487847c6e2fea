//! The games, known to the outside by their names.

pub mod coda;
pub mod code_777;
pub mod crack_the_code;
pub mod digit_code;

use crate::game::Game;

/// Something to do with a game whose name is known only at run time; entered once per match or command, so that all
/// that follows is typed.
pub trait Visitor {
    /// The result.
    type Out;
    /// Does it with the game.
    fn visit<G: Game>(self) -> Self::Out;
}

/// Lists the games, one line each.
macro_rules! games {
    ($($game:ty,)*) => {
        /// The names of all games.
        pub const NAMES: &[&str] = &[$(<$game>::NAME),*];

        /// Visits the game with this name, if there is one.
        pub fn visit<V: Visitor>(name: &str, visitor: V) -> Option<V::Out> {
            match name {
                $(<$game>::NAME => Some(visitor.visit::<$game>()),)*
                _ => None,
            }
        }
    };
}

games! {
    coda::Coda,
    code_777::Code777,
    crack_the_code::CrackTheCode,
    digit_code::DigitCode,
}
