//! Declares the likeliest code after every answer.

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::types::{Action, Event, Prompt, Rules};
use arena_engine::player::{Player, Start};

use super::knowledge::Knowledge;

/// A wrong declaration costs nothing but what was known of the rack, so guessing always is better than waiting for
/// certainty; but it gives the others many hints of their racks.
#[derive(Default)]
pub struct Guessing(Option<Knowledge>);

impl Player<Code777> for Guessing {
    fn start(&mut self, start: &Start<'_, Rules>) {
        self.0 = Some(Knowledge::new(start));
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        let knowledge = self.0.as_mut().expect("a match starts before its first turn");
        events.for_each(|event| knowledge.learn(&event));
        knowledge.declare_from(0.0)
    }
}
