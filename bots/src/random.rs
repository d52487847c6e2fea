//! The bot that plays any game by choosing at random among what it is offered.

use arena_engine::chance::Chance;
use arena_engine::game::{Game, Prompt as _};
use arena_engine::player::{Player, Start};

/// Chooses an option at random, then each of its values.
#[derive(Default)]
pub struct Random(Option<Chance>);

impl<G: Game> Player<G> for Random {
    fn start(&mut self, start: &Start<'_, G::Rules>) {
        self.0 = Some(start.seed.stream("random", 0));
    }

    fn act(&mut self, _: &mut dyn Iterator<Item = G::Event>, prompt: &G::Prompt) -> G::Action {
        prompt.pick(self.0.as_mut().expect("a match starts before its first turn"))
    }
}
