//! Hides a code that is slow to find, and races for that of the other seat.

use arena_engine::chance::Chance;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::crack_the_code::code::Code;
use arena_engine::games::crack_the_code::types::{Action, Choice, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::knowledge::Knowledge;
use super::racer;
use crate::bot::MatchBot;

/// Hides five different colours: they take every strategy of the solver longer than any other kind of code, `entropy` 4.98 guesses on average
/// where all codes take 4.77. Of the 7,776 codes they are only 720, so a seat that expects them is the faster for it.
pub struct Hiding(Knowledge);

impl MatchBot<CrackTheCode> for Hiding {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Knowledge::new(start, "hiding"))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let knowledge = &mut self.0;
        knowledge.learn(events);
        match prompt.0.first() {
            Some(Choice::Guess { .. }) => racer::guess(knowledge),
            _ => Action::Hide { code: all_different(&knowledge.rules, &mut knowledge.chance) },
        }
    }
}

/// A code of as many colours as can be, all such codes equally likely if there are as many colours as positions.
pub(super) fn all_different(rules: &Rules, chance: &mut Chance) -> Code {
    let mut colours: Vec<u8> = (1..=rules.colours).collect();
    chance.shuffle(&mut colours);
    colours.into_iter().cycle().take(rules.positions.into()).collect()
}
