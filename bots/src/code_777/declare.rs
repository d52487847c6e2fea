//! Declarations by what a seat knows of its own rack.

use arena_engine::games::code_777::known::{Known, claim};
use arena_engine::games::code_777::types::{Action, Claim};

/// The declaration that cannot be wrong, if there is one.
pub(super) fn certain(known: &Known) -> Option<Action> {
    let (first, rest) = known.own.split_first()?;
    let claim = claim(&first.0, &known.rules);
    rest.iter().all(|(rack, _)| claim.right(rack)).then_some(Action::Declare(claim))
}

/// The likeliest declaration if it is at least this likely, or there is nothing left to wait for; else none. Of equals the first.
pub(super) fn declare_from(known: &Known, enough: f64) -> Action {
    let likelier = |best: (Claim, f64), next: (Claim, f64)| if next.1 > best.1 { next } else { best };
    let is_last = known.view.questions >= known.rules.questions;
    // The weights add up to 1 but for rounding.
    let total: f64 = known.own.iter().map(|(_, weight)| weight).sum();
    match known.claims().into_iter().reduce(likelier) {
        Some((claim, chance)) if chance / total >= enough || is_last => Action::Declare(claim),
        _ => Action::Pass {},
    }
}
