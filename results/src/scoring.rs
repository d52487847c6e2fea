//! The sources of points in a game, by its name.

use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_engine::outcome::Source;

/// The sources of points; none for a game that is not known here.
pub(crate) fn scoring(game: &str) -> Option<&'static [Source]> {
    struct Scoring;
    impl Visitor for Scoring {
        type Out = &'static [Source];
        fn visit<G: Game>(self) -> Self::Out {
            G::SCORING
        }
    }
    games::visit(game, Scoring)
}
