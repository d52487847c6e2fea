//! A bot that asks random questions whose answers it does not know yet, and declares only codes that fit all answers.

use arena_engine::chance::Chance;
use arena_engine::game::Prompt as _;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::games::digit_code::types::{Action, Choice, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::knowledge::{Knowledge, kinds, may_declare};
use crate::bot::MatchBot;
use arena_engine::games::digit_code::candidates::Counts;

/// A bot that declares when one code is left, or one of two codes while it may still be wrong once.
pub struct Consistent(Knowledge, Chance);

impl MatchBot<DigitCode> for Consistent {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Knowledge::new(start), start.seed.stream("consistent", 0))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let Self(knowledge, chance) = self;
        knowledge.learn(events);
        act(
            knowledge,
            prompt,
            chance,
            if knowledge.wrong() == 0 { 2 } else { 1 },
            1,
            |_| 0,
        )
    }
}

/// Declares as soon as at most `few` codes are left, and asks the cheapest of some random questions before that.
pub(super) fn act(
    knowledge: &Knowledge,
    prompt: &Prompt,
    chance: &mut Chance,
    few: usize,
    questions: usize,
    cost: impl Fn(&Counts) -> u64,
) -> Action {
    if let [Choice::Hide { .. }] = prompt.0.as_slice() {
        return prompt.pick(chance);
    }
    let kinds = kinds(prompt);
    if may_declare(prompt) && (kinds.is_empty() || knowledge.known.left.len() <= few) {
        return Action::Declare {
            code: knowledge.known.left.pick(chance),
        };
    }
    let asked = knowledge.known.left.some_splits(&kinds, questions, chance);
    let best = asked.into_iter().min_by_key(|(_, counts)| cost(counts));
    best.map_or_else(|| prompt.pick(chance), |(question, _)| question.into())
}
