//! Two bots that declare by counting the racks that fit the visible cards and the answers of others.

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::known::{Known, claim};
use arena_engine::games::code_777::types::{Action, Claim, Event, Prompt, Rules};
use arena_engine::player::Start;

use crate::bot::MatchBot;

/// A bot that declares only when a single rack is left.
pub struct Consistent(Known);

/// A bot that declares the likeliest rack after every answer. A wrong declaration costs only the knowledge about the rack, so always
/// guessing beats waiting for certainty. But each declaration gives the others hints about their racks.
pub struct Guessing(Known);

impl MatchBot<Code777> for Consistent {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Known::new(start.rules, start.seats, start.seat))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        events.for_each(|event| self.0.see(&event));
        certain(&self.0).unwrap_or(Action::Pass {})
    }
}

impl MatchBot<Code777> for Guessing {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Known::new(start.rules, start.seats, start.seat))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, _: &Prompt) -> Action {
        events.for_each(|event| self.0.see(&event));
        declare_from(&self.0, 0.0)
    }
}

/// Returns a declaration that must be right, if there is one.
fn certain(known: &Known) -> Option<Action> {
    let (first, rest) = known.own.split_first()?;
    let claim = claim(&first.0, &known.rules);
    rest.iter()
        .all(|(rack, _)| claim.right(rack))
        .then_some(Action::Declare(claim))
}

/// Returns the likeliest declaration (the first among equals) if its probability is at least `enough`, or if waiting is pointless. Returns
/// a pass if not.
pub(super) fn declare_from(known: &Known, enough: f64) -> Action {
    let likelier =
        |best: (Claim, f64), next: (Claim, f64)| if next.1 > best.1 { next } else { best };
    let is_last = known.view.questions >= known.rules.questions;
    // The sum of the weights is 1, except for rounding.
    let total: f64 = known.own.iter().map(|(_, weight)| weight).sum();
    match known.claims().into_iter().reduce(likelier) {
        Some((claim, chance)) if chance / total >= enough || is_last => Action::Declare(claim),
        _ => Action::Pass {},
    }
}
