//! A bot that guesses at random among the codes that fit all answers so far.

use arena_engine::game::Prompt as _;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::crack_the_code::types::{Action, Choice, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::knowledge::Knowledge;
use crate::bot::MatchBot;

/// A bot that guesses only candidates. So each guess is either right, or leaves fewer candidates.
pub struct Consistent(Knowledge);

impl MatchBot<CrackTheCode> for Consistent {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Knowledge::new(start, "consistent"))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let knowledge = &mut self.0;
        knowledge.learn(events);
        let Knowledge {
            boards,
            seat,
            chance,
            ..
        } = knowledge;
        let board = &mut boards[*seat];
        match prompt.0.first() {
            Some(Choice::Guess { .. }) if !board.guesses.is_empty() => {
                let code = board.candidate(chance);
                knowledge.guess(code)
            }
            // Before the first answer, every code is a candidate.
            _ => prompt.pick(chance),
        }
    }
}
