//! Declares by what the race demands: at once if the others wait until they are certain, else when it is likely enough.

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::types::{Action, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::beliefs::Beliefs;
use crate::bot::MatchBot;

/// It declares if the likeliest code is at least this likely, with two, three and four seats: more than [`super::inference::Inference`] asks
/// for, since what the others declare informs it more than its own declarations would. Against itself no other threshold wins more.
const GUESS: [f64; 3] = [0.75, 0.7, 0.65];

/// From this likelihood on it takes the others for seats that wait until they are certain: they tell nothing by it, and need so long that
/// guessing after every answer is faster.
const SURE: f64 = 0.98;

/// Against others that wait it declares as [`super::guessing::Guessing`] does, and it dares more if one of them is about to win.
pub struct Adaptive(Beliefs, f64);

impl MatchBot<Code777> for Adaptive {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Beliefs::new(start), GUESS[start.seats - 2])
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        let Self(beliefs, guess) = self;
        beliefs.see(events);
        let enough = if beliefs.all_wait() > SURE { 0.0 } else { *guess * (1.0 - beliefs.danger()) };
        beliefs.knowledge.declare_from(enough)
    }
}
