//! Weighs every rack that it may have, by the answers and by what the others declare, and guesses when likely enough.

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::types::{Action, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::beliefs::Beliefs;
use super::declare::declare_from;
use crate::bot::MatchBot;

/// It declares if the likeliest code is at least this likely: below 0.35 and above 0.7 it loses clearly to itself, for 2, 3 and 4 seats.
const GUESS: f64 = 0.5;

/// Every declaration of another seat, and every pass, gives away that seat's thoughts, and it sees my rack.
pub struct Inference(Beliefs);

impl MatchBot<Code777> for Inference {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Beliefs::new(start))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        let beliefs = &mut self.0;
        beliefs.see(events);
        declare_from(&beliefs.known, GUESS)
    }
}
