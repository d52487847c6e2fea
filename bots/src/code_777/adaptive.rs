//! Declares by what the race demands: later than inference, but earlier if another seat is about to win.

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::types::{Action, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::beliefs::Beliefs;
use super::declare::declare_from;
use crate::bot::MatchBot;

/// It declares if the likeliest code is at least this likely: more than [`super::inference::Inference`] asks for, since what the others declare
/// informs it more than its own declarations would. From 0.5 to 0.8, no other threshold wins more against it.
const GUESS: f64 = 0.65;

/// It dares more if another seat is about to win.
pub struct Adaptive(Beliefs);

impl MatchBot<Code777> for Adaptive {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Beliefs::new(start))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        let beliefs = &mut self.0;
        beliefs.see(events);
        declare_from(&beliefs.known, GUESS * (1.0 - beliefs.danger()))
    }
}
