//! Two bots that weigh the candidates for their rack by the answers and by the declarations of others. Another seat sees the bot's rack,
//! and every declaration and every pass reveals what that seat thinks.

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::types::{Action, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::beliefs::Beliefs;
use super::counting::declare_from;
use crate::bot::MatchBot;

/// Minimum probability at which `Inference` declares. A bot with a threshold below 0.35 or above 0.7 loses clearly against this one, with
/// 2, 3 and 4 seats.
const INFERENCE_THRESHOLD: f64 = 0.5;
/// Minimum probability at which `Adaptive` declares. It is higher, because the bot learns more from the declarations of others than from
/// its own. No other threshold from 0.5 to 0.8 wins more against `Inference`.
const ADAPTIVE_THRESHOLD: f64 = 0.65;

/// A bot that declares when its guess is likely enough.
pub struct Inference(Beliefs);

/// A bot that adapts to the race: it declares later than `Inference`, but earlier if another seat is about to win.
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
