//! Declares once all cards that it sees and all answers leave a single possibility.

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::types::{Action, Event, Prompt, Rules};
use arena_engine::player::{Player, Start};

use super::knowledge::Knowledge;

/// Keeps the racks that fit the cards it sees and the answers of the others, and declares when only one code is left.
#[derive(Default)]
pub struct Consistent(Option<Knowledge>);

impl Player<Code777> for Consistent {
    fn start(&mut self, start: &Start<'_, Rules>) {
        self.0 = Some(Knowledge::new(start));
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        let knowledge = self.0.as_mut().expect("a match starts before its first turn");
        events.for_each(|event| knowledge.learn(&event));
        knowledge.certain().unwrap_or(Action::Pass {})
    }
}
