//! Hides by a mixed strategy, and expects that others may choose what they hide.

use arena_engine::game::Prompt as _;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::crack_the_code::types::{Action, Choice, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::hiding::all_different;
use super::knowledge::Knowledge;
use super::racer;
use super::solver::Prior;
use crate::bot::MatchBot;

/// It expects a code of all different colours twice as often as any other. Against seats that hide any code that costs it 2 % of the points, against
/// [`super::hiding::Hiding`] it wins back more than the 8 % that it would lose; 4 times costs 2.7 and 10 times 3.5 %.
const EXPECTED: Prior = Prior(2);

/// Hides different colours in half of all matches: against seats that do not expect that it wins 4 % of the points, and one that expects just
/// that wins little more than 1 %, since half of its codes are any others.
pub struct Expecting(Knowledge);

impl MatchBot<CrackTheCode> for Expecting {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Knowledge::expecting(start, "expecting", EXPECTED))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let knowledge = &mut self.0;
        knowledge.learn(events);
        let Knowledge { rules, chance, .. } = knowledge;
        match prompt.0.first() {
            Some(Choice::Guess { .. }) => racer::guess(knowledge),
            _ if chance.below(2) == 0 => Action::Hide { code: all_different(rules, chance) },
            _ => prompt.pick(chance),
        }
    }
}
