//! Declares the likeliest code after every answer.

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::known::Known;
use arena_engine::games::code_777::types::{Action, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::declare::declare_from;
use crate::bot::MatchBot;

/// A wrong declaration costs nothing but what was known of the rack, so guessing always is better than waiting for
/// certainty; but it gives the others many hints of their racks.
pub struct Guessing(Known);

impl MatchBot<Code777> for Guessing {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Known::new(start.rules, start.seats, start.seat))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        events.for_each(|event| self.0.see(&event));
        declare_from(&self.0, 0.0)
    }
}
