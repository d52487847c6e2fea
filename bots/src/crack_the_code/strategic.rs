//! Two bots that want to need few guesses, each by a strategy of its own, and do not look at the other seat.

use arena_engine::game::Prompt as _;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::crack_the_code::types::{Action, Choice, Event, Prompt, Rules};
use arena_engine::player::{Player, Start};

use super::book;
use super::knowledge::Knowledge;
use super::solver::Strategy;

/// Hides any code, and guesses so that the worst answer leaves as few candidates as possible.
#[derive(Default)]
pub struct Minimax(Option<Knowledge>);

/// Hides any code, and guesses so that the answer holds as much information as possible.
#[derive(Default)]
pub struct Entropy(Option<Knowledge>);

impl Player<CrackTheCode> for Minimax {
    fn start(&mut self, start: &Start<'_, Rules>) {
        self.0 = Some(Knowledge::new(start, "minimax"));
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        act(&mut self.0, Strategy::Minimax, events, prompt)
    }
}

impl Player<CrackTheCode> for Entropy {
    fn start(&mut self, start: &Start<'_, Rules>) {
        self.0 = Some(Knowledge::new(start, "entropy"));
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        act(&mut self.0, Strategy::Entropy, events, prompt)
    }
}

fn act(
    knowledge: &mut Option<Knowledge>,
    strategy: Strategy,
    events: &mut dyn Iterator<Item = Event>,
    prompt: &Prompt,
) -> Action {
    let knowledge = knowledge.as_mut().expect("a match starts before its first turn");
    knowledge.learn(events);
    let Knowledge { boards, seat, chance, .. } = knowledge;
    match prompt.0.first() {
        Some(Choice::Guess { .. }) => {
            let code = book::guess(strategy, &mut boards[*seat], chance);
            knowledge.guess(code)
        }
        _ => prompt.pick(chance),
    }
}
