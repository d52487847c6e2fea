//! A decision of a recorded match, with what its seat could know by counting.

use arena_engine::deduction::Learned;
use arena_engine::game::Game;
use arena_engine::insight::{Insight, insights};
use arena_engine::record::RecordOf;
use arena_engine::replay::BadRecord;
use arena_engine::seat::Seat;
use serde_json::Value;

/// A decision.
pub(crate) struct Decision {
    /// The number of the reply in the record.
    pub(crate) turn: usize,
    pub(crate) seat: Seat,
    /// The name of the action; none if it was late or failed.
    pub(crate) kind: Option<String>,
    /// The seat that the action names.
    pub(crate) target: Option<Seat>,
    pub(crate) worlds: Option<f64>,
    pub(crate) chance: Option<f64>,
    /// The chance of the likeliest guess.
    pub(crate) best: Option<f64>,
    pub(crate) learned: Option<Learned>,
}

/// The decisions of a match; none if the game does not count.
pub(crate) fn decisions<G: Game>(record: &RecordOf<G>) -> Result<Vec<Decision>, BadRecord> {
    let decision = |insight: Insight<G>| {
        let Insight { turn, seat, action, worlds, chance, likeliest, learned } = insight;
        let (kind, target) = action.and_then(|action| named::<G>(&action)).unzip();
        let best = likeliest.first().map(|(_, chance)| *chance);
        Decision { turn, seat, kind, target: target.flatten(), worlds, chance, best, learned }
    };
    Ok(insights::<G>(record, 1)?.into_iter().map(decision).collect())
}

/// The name of an action, and the seat in the first of its fields that the game declares to be one.
fn named<G: Game>(action: &G::Action) -> Option<(String, Option<Seat>)> {
    let Value::Object(action) = serde_json::to_value(action).ok()? else { return None };
    let (kind, values) = action.into_iter().next()?;
    let seat = G::PLAYERS.seat.iter().find_map(|field| values.get(field)?.as_u64());
    Some((kind, seat.map(|seat| Seat(seat as u8))))
}
