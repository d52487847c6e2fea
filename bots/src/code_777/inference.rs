//! Two bots that weigh their possible racks by the answers and by the others' declarations: every declaration and every
//! pass reveals what a seat thinks, and it sees their racks.

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::types::{Action, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::beliefs::Beliefs;
use super::counting::declare_from;
use crate::bot::MatchBot;

/// Minimum probability at which `Inference` declares: below 0.35 and above 0.7 it loses clearly to itself, for 2, 3 and 4 seats.
const INFERENCE_THRESHOLD: f64 = 0.5;
/// Minimum probability at which `Adaptive` declares; higher, because it learns more from the others' declarations than from
/// its own. From 0.5 to 0.8, no other threshold wins more against inference.
const ADAPTIVE_THRESHOLD: f64 = 0.65;

/// Declares when its guess is likely enough.
pub struct Inference(Beliefs);

/// Declares as the race demands: later than inference, but earlier if another seat is about to win.
pub struct Adaptive(Beliefs);

impl MatchBot<Code777> for Inference {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Beliefs::new(start))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        self.0.see(events);
        declare_from(&self.0.known, INFERENCE_THRESHOLD)
    }
}

impl MatchBot<Code777> for Adaptive {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Beliefs::new(start))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        self.0.see(events);
        declare_from(&self.0.known, ADAPTIVE_THRESHOLD * (1.0 - self.0.danger()))
    }
}
