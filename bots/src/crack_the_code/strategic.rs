//! Two bots that minimise the number of their guesses by different strategies, ignoring the other seat.

use arena_engine::game::Prompt as _;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::crack_the_code::types::{Action, Choice, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::book;
use super::knowledge::Knowledge;
use super::solver::Strategy;
use crate::bot::MatchBot;

/// A bot that hides a random code, and guesses so that the worst answer leaves as few candidates as possible.
pub struct Minimax(Knowledge);

/// A bot that hides a random code, and guesses so that the answer holds as much information as possible.
pub struct Entropy(Knowledge);

impl MatchBot<CrackTheCode> for Minimax {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Knowledge::new(start, "minimax"))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        self.0.learn(events);
        act(&mut self.0, Strategy::Minimax, prompt)
    }
}

impl MatchBot<CrackTheCode> for Entropy {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Knowledge::new(start, "entropy"))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        self.0.learn(events);
        act(&mut self.0, Strategy::Entropy, prompt)
    }
}

fn act(knowledge: &mut Knowledge, strategy: Strategy, prompt: &Prompt) -> Action {
    let Knowledge {
        boards,
        seat,
        prior,
        chance,
        ..
    } = knowledge;
    match prompt.0.first() {
        Some(Choice::Guess { .. }) => {
            let code = book::guess(strategy, &mut boards[*seat], *prior, chance);
            knowledge.guess(code)
        }
        _ => prompt.pick(chance),
    }
}
