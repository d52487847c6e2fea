//! A bot that is made anew for each match, and the player that does so.

use arena_engine::game::Game;
use arena_engine::player::{Player, Start};

/// A bot in one match.
pub trait MatchBot<G: Game>: Send + 'static {
    /// Joins a table, before the first turn.
    fn new(start: &Start<'_, G::Rules>) -> Self;
    /// Chooses an action, see [`Player::act`].
    fn act(&mut self, events: &mut dyn Iterator<Item = G::Event>, prompt: &G::Prompt) -> G::Action;
}

/// A player that makes its bot anew for each match.
pub struct Renewed<B>(Option<B>);

impl<B> Default for Renewed<B> {
    fn default() -> Self {
        Self(None)
    }
}

impl<G: Game, B: MatchBot<G>> Player<G> for Renewed<B> {
    fn start(&mut self, start: &Start<'_, G::Rules>) {
        self.0 = Some(B::new(start));
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = G::Event>, prompt: &G::Prompt) -> G::Action {
        self.0
            .as_mut()
            .expect("a match starts before its first turn")
            .act(events, prompt)
    }
}
