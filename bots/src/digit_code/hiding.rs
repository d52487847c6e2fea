//! Plays as entropy does, but hides by a mixed strategy, and expects the other seat to do so too.

use std::sync::LazyLock;

use arena_engine::games::digit_code::DigitCode;
use arena_engine::games::digit_code::types::{Action, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::entropy::Entropy;
use crate::bot::MatchBot;
use arena_engine::games::digit_code::candidates::{Candidates, rare_counts};

/// The weight of a code by its lines with a rare count: none, one, two, more. A line whose count most codes share tells little, and by
/// fictitious play between who hides and who asks these weights leave codes of the first three kinds about equally slow to find.
const WEIGHTS: [u32; 4] = [768, 32, 4, 1];

/// It asks any question that informs nearly as well as the best, by 0.03 bits: else the codes that are slow for the best ones would always be slow.
const SLACK: u64 = 2048;

static MIXED: LazyLock<Candidates> = LazyLock::new(|| {
    Candidates::weighted(|code| WEIGHTS[rare_counts(code).min(WEIGHTS.len() - 1)])
});

/// From three seats on, the arena sets the code: any.
pub struct Hiding(Entropy);

impl MatchBot<DigitCode> for Hiding {
    fn new(start: &Start<'_, Rules>) -> Self {
        let (codes, slack) = if start.seats == 2 {
            (&*MIXED, SLACK)
        } else {
            (Candidates::all(), 0)
        };
        Self(Entropy::expecting(start, "hiding", codes, slack))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        self.0.act(events, prompt)
    }
}
