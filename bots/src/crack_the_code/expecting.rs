//! Hides by a mixed strategy, expects the other seat to do so too, and races.

use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::crack_the_code::types::{Action, Choice, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::knowledge::Knowledge;
use super::packed::Size;
use super::racer;
use super::solver::Prior;
use crate::bot::MatchBot;

/// By fictitious play between who hides and who searches: a search by entropy that expects these weights takes 4.76 to 4.79 guesses on average
/// for whatever kind of code, so none is worth hiding. If it expects all codes alike, five different colours take it 4.96.
pub const MIXED: Prior = Prior([12, 8, 7, 3, 1, 1, 1, 1]);

/// The size of codes for which these are the weights.
const STANDARD: Size = Size { positions: 5, colours: 6 };

/// Hides and expects different colours more often than others, but not much: so nothing is gained by knowing how it hides.
pub struct Expecting(Knowledge, Prior);

impl MatchBot<CrackTheCode> for Expecting {
    fn new(start: &Start<'_, Rules>) -> Self {
        let prior = if Size::from(start.rules) == STANDARD { MIXED } else { Prior::EVEN };
        Self(Knowledge::expecting(start, "expecting", prior), prior)
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let Self(knowledge, prior) = self;
        knowledge.learn(events);
        let Knowledge { rules, chance, .. } = knowledge;
        match prompt.0.first() {
            Some(Choice::Guess { .. }) => racer::guess(knowledge),
            _ => Action::Hide { code: prior.draw(Size::from(&*rules), chance).into() },
        }
    }
}
