//! What the strongest built-in bot would do in a person's place: it sees what the seat sees, and cannot disturb the match.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arena_bots::roster;
use arena_engine::game::{Game, Prompt as _};
use arena_engine::machine::Match;
use arena_engine::player::{Player, Start, bot_seed};
use arena_engine::seat::Seat;

/// A bot that follows a person's match. It is started at the first request for a hint.
pub enum Adviser<G: Game> {
    /// Not started yet; these are the events so far.
    Idle(Vec<G::Event>),
    /// It plays along; these are the events since its last hint.
    Playing(Box<dyn Player<G>>, Vec<G::Event>),
    /// It has panicked and gives no more hints.
    Gone,
}

impl<G: Game> Default for Adviser<G> {
    fn default() -> Self {
        Self::Idle(Vec::new())
    }
}

impl<G: Game> Adviser<G> {
    /// Takes in what the seat has seen.
    pub fn see(&mut self, news: Vec<G::Event>) {
        match self {
            Self::Idle(events) | Self::Playing(_, events) => events.extend(news),
            Self::Gone => {}
        }
    }

    /// The action that it would choose now, if it is a legal one.
    pub fn advise(&mut self, game: &Match<G>, seat: Seat, prompt: &G::Prompt) -> Option<G::Action> {
        let before = std::mem::replace(self, Self::Gone);
        let advised = catch_unwind(AssertUnwindSafe(|| {
            let (mut player, events) = match before {
                Self::Idle(events) => (strongest(game, seat)?, events),
                Self::Playing(player, events) => (player, events),
                Self::Gone => return None,
            };
            let action = player.act(&mut events.into_iter(), prompt);
            Some((player, action))
        }));
        let (player, action) = advised.ok()??;
        *self = Self::Playing(player, Vec::new());
        prompt.permits(&action).is_ok().then_some(action)
    }
}

/// The strongest bot of the game, at its table.
fn strongest<G: Game>(game: &Match<G>, seat: Seat) -> Option<Box<dyn Player<G>>> {
    let mut player = roster::make::<G>(roster::strongest(G::NAME).0)?;
    let record = game.record();
    let seed = bot_seed(record.seed, seat);
    player.start(&Start {
        rules: &record.rules,
        seat,
        seats: record.seats,
        seed,
        move_ms: None,
    });
    Some(player)
}
