//! Declares the likeliest code after every answer.

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::types::{Action, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::knowledge::Knowledge;
use crate::bot::MatchBot;

/// A wrong declaration costs nothing but what was known of the rack, so guessing always is better than waiting for
/// certainty; but it gives the others many hints of their racks.
pub struct Guessing(Knowledge);

impl MatchBot<Code777> for Guessing {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Knowledge::new(start))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        let knowledge = &mut self.0;
        events.for_each(|event| knowledge.learn(&event));
        knowledge.declare_from(0.0)
    }
}
