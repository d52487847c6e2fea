//! Plays as entropy does, but does not hide just any code: one whose answers most codes share.

use arena_engine::chance::Chance;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::games::digit_code::code::Code;
use arena_engine::games::digit_code::question::{Kind, Question};
use arena_engine::games::digit_code::types::{Action, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::candidates::{Candidates, Counts};
use super::entropy::{Entropy, log2};
use crate::bot::MatchBot;

/// The random codes of which it hides one.
const DRAWN: usize = 20;

/// The opponent learns least from the answer that most codes give.
pub struct Hiding {
    asking: Entropy,
    chance: Chance,
}

impl MatchBot<DigitCode> for Hiding {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self { asking: Entropy::new(start), chance: start.seed.stream("hiding", 0) }
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        match self.asking.act(events, prompt) {
            Action::Hide { .. } => Action::Hide { code: hidden(&mut self.chance) },
            action => action,
        }
    }
}

/// Of some random codes the one whose answers most codes share, over all questions.
fn hidden(chance: &mut Chance) -> Code {
    let questions = Candidates::all().splits(&Kind::ALL);
    let shared = |code: Code, (question, counts): &(Question, Counts)| log2(counts[usize::from(question.answer(code))]);
    let codes = (0..DRAWN).map(|_| Code::random(chance));
    let common = codes.max_by_key(|code| questions.iter().map(|question| shared(*code, question)).sum::<u64>());
    common.expect("codes were drawn")
}
