//! Declares once all cards that it sees and all answers leave a single possibility.

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::known::Known;
use arena_engine::games::code_777::types::{Action, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::declare::certain;
use crate::bot::MatchBot;

/// Keeps the racks that fit the cards it sees and the answers of the others, and declares when only one code is left.
pub struct Consistent(Known);

impl MatchBot<Code777> for Consistent {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Known::new(start.rules, start.seats, start.seat))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        events.for_each(|event| self.0.see(&event));
        certain(&self.0).unwrap_or(Action::Pass {})
    }
}
