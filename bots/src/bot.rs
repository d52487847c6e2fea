//! Bots that live for one match, and the player that creates them.

use arena_engine::game::Game;
use arena_engine::player::{Player, Start};
use arena_engine::table::{Builtin, Make};

/// A bot that plays a single match.
pub trait MatchBot<G: Game>: Send + 'static {
    /// Joins a table, before the first turn.
    fn new(start: &Start<'_, G::Rules>) -> Self;
    /// Chooses an action; see [`Player::act`].
    fn act(&mut self, events: &mut dyn Iterator<Item = G::Event>, prompt: &G::Prompt) -> G::Action;
}

/// A player that creates a new bot for each match.
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

/// Returns the roster entry of a bot that is created for each match, with its name and one-line description.
pub const fn entry<G: Game, B: MatchBot<G>>(name: &'static str, about: &'static str) -> Builtin {
    Builtin::new::<G>(name, about, &(new::<G, B> as Make<G>))
}

fn new<G: Game, B: MatchBot<G>>() -> Box<dyn Player<G>> {
    Box::new(Renewed::<B>::default())
}
