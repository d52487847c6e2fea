//! Guesses at random, but only codes that fit all answers so far.

use arena_engine::game::Prompt as _;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::crack_the_code::types::{Action, Choice, Event, Prompt, Rules};
use arena_engine::player::{Player, Start};

use super::knowledge::Knowledge;

/// Every guess may be the hidden code, and if not it makes the candidates fewer.
#[derive(Default)]
pub struct Consistent(Option<Knowledge>);

impl Player<CrackTheCode> for Consistent {
    fn start(&mut self, start: &Start<'_, Rules>) {
        self.0 = Some(Knowledge::new(start, "consistent"));
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let knowledge = self.0.as_mut().expect("a match starts before its first turn");
        knowledge.learn(events);
        let Knowledge { boards, seat, chance, .. } = knowledge;
        let board = &mut boards[*seat];
        match prompt.0.first() {
            Some(Choice::Guess { .. }) if !board.guesses().is_empty() => {
                let code = board.candidate(chance);
                knowledge.guess(code)
            }
            // Before the first answer every code is a candidate.
            _ => prompt.pick(chance),
        }
    }
}
