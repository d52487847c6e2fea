//! A bot that plays any game by choosing at random among the options.

use arena_engine::chance::Chance;
use arena_engine::game::{Game, Prompt as _};
use arena_engine::player::Start;

use crate::bot::MatchBot;

/// A bot that chooses an option at random, then each of its values.
pub struct Random(Chance);

impl<G: Game> MatchBot<G> for Random {
    fn new(start: &Start<'_, G::Rules>) -> Self {
        Self(start.seed.stream("random", 0))
    }

    fn act(&mut self, _: &mut dyn Iterator<Item = G::Event>, prompt: &G::Prompt) -> G::Action {
        prompt.pick(&mut self.0)
    }
}
