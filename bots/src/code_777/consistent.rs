//! Declares once all cards that it sees and all answers leave a single possibility.

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::types::{Action, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::knowledge::Knowledge;
use crate::bot::MatchBot;

/// Keeps the racks that fit the cards it sees and the answers of the others, and declares when only one code is left.
pub struct Consistent(Knowledge);

impl MatchBot<Code777> for Consistent {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Knowledge::new(start))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        let knowledge = &mut self.0;
        events.for_each(|event| knowledge.learn(&event));
        knowledge.certain().unwrap_or(Action::Pass {})
    }
}
