//! Replays a finished match from its record, and checks its stored verdict.

use arena_engine::fault::Fault;
use arena_engine::outcome::{Score, Verdict};
use arena_engine::replay::BadRecord;
use arena_engine::seat::Seat;
use arena_engine::table::{self, Entry, Table};
use arena_tournament::played::Played;
use arena_tournament::spec::Spec;

use crate::error::LedgerError;

/// Returns the game of a tournament.
///
/// # Errors
/// If this program does not have the game.
pub fn game(spec: &Spec) -> Result<&'static Entry, LedgerError> {
    table::get(&spec.plan.game).map_err(LedgerError::Game)
}

/// Replays a match of this game, and returns its finished table. The stored verdict must agree with the replayed one, except for details of
/// faults, of which the ledger may have more than the record.
pub fn replay(game: &Entry, played: &Played) -> Result<Box<dyn Table>, BadRecord> {
    let failed = |why: String| BadRecord(format!("match {}: {why}", played.id()));
    let table = game.rulebook.replay(played.record.as_str());
    let table = table.map_err(|error| failed(error.to_string()))?;
    let again = table.verdict().expect("it is over");
    if !same(again, &played.verdict) {
        let (again, stored) = (describe(again), describe(&played.verdict));
        return Err(failed(format!(
            "the record ends with {again}, the ledger stores {stored}"
        )));
    }
    Ok(table)
}

fn same(again: &Verdict, stored: &Verdict) -> bool {
    let causes = |verdict: &Verdict| verdict.faults.map(|fault| fault.as_ref().map(Fault::cause));
    again.outcome == stored.outcome
        && again.ended == stored.ended
        && causes(again) == causes(stored)
}

/// Summarises a verdict.
fn describe(verdict: &Verdict) -> String {
    let seat = |(seat, score): (Seat, &Score)| {
        let fault = verdict.faults.get(seat).and_then(Option::as_ref);
        let fault = fault
            .map(|fault| format!(" ({})", fault.cause()))
            .unwrap_or_default();
        let counts: Vec<String> = score
            .breakdown
            .iter()
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        format!(
            "seat {} in place {} with {} points ({}){fault}",
            seat.index() + 1,
            score.place,
            score.points,
            counts.join(", ")
        )
    };
    let seats: Vec<String> = verdict.outcome.seats.seats().map(seat).collect();
    seats.join(", ")
}
