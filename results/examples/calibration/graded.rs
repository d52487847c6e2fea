//! A bot of graded strength, which makes the move of a good bot in a fraction of its turns, and a random one in the rest.

use arena_bots::roster;
use arena_engine::chance::Chance;
use arena_engine::game::{Game, Prompt as _};
use arena_engine::player::{Player, Start};

/// A player that makes the good bot's move in a fraction of its turns.
pub struct Graded<G: Game> {
    good: Box<dyn Player<G>>,
    percent: u32,
    /// Index of the bot in the field, by which bots of the same grade make different choices.
    bot: u64,
    chance: Option<Chance>,
}

impl<G: Game> Graded<G> {
    /// Creates a bot of this grade; `None` if there is no good bot with this name.
    pub fn new(good: &str, percent: u32, bot: usize) -> Option<Self> {
        Some(Self {
            good: roster::make::<G>(good)?,
            percent,
            bot: bot as u64,
            chance: None,
        })
    }
}

impl<G: Game> Player<G> for Graded<G> {
    fn start(&mut self, start: &Start<'_, G::Rules>) {
        self.good.start(start);
        self.chance = Some(start.seed.stream("graded", self.bot));
    }

    fn act(&mut self, news: &mut dyn Iterator<Item = G::Event>, prompt: &G::Prompt) -> G::Action {
        // The good bot must see every event, even if its move is not used.
        let good = self.good.act(news, prompt);
        let chance = self
            .chance
            .as_mut()
            .expect("a match starts before its first turn");
        if chance.below(100) < self.percent {
            good
        } else {
            prompt.pick(chance)
        }
    }
}
