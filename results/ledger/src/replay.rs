//! Playing a finished match again from its record, and making sure that it ends as stored.

use arena_engine::fault::Fault;
use arena_engine::game::Game;
use arena_engine::machine::Finished;
use arena_engine::outcome::{Score, Verdict};
use arena_engine::record::RecordOf;
use arena_engine::replay::{self, BadRecord};
use arena_engine::seat::Seat;

use arena_tournament::played::Played;

/// Plays the match again. The verdict must come out the same, except for what is known of a fault beside its kind: the
/// ledger may know more than the record.
pub fn replay<G: Game>(played: &Played) -> Result<Finished<G>, BadRecord> {
    let failed = |why: String| BadRecord(format!("match {}: {why}", played.id()));
    let record: RecordOf<G> = serde_json::from_str(&played.record)
        .map_err(|error| failed(format!("the record cannot be read: {error}")))?;
    let finished = replay::replay::<G>(&record).map_err(|error| failed(error.to_string()))?;
    if !same(&finished.verdict, &played.verdict) {
        let (again, stored) = (describe(&finished.verdict), describe(&played.verdict));
        return Err(failed(format!(
            "the record ends with {again}, the ledger stores {stored}"
        )));
    }
    Ok(finished)
}

fn same(again: &Verdict, stored: &Verdict) -> bool {
    let causes = |verdict: &Verdict| verdict.faults.map(|fault| fault.as_ref().map(Fault::cause));
    again.outcome == stored.outcome
        && again.ended == stored.ended
        && causes(again) == causes(stored)
}

/// A verdict in short.
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
            "seat {seat} in place {} with {} points ({}){fault}",
            score.place,
            score.points,
            counts.join(", ")
        )
    };
    let seats: Vec<String> = verdict.outcome.seats.seats().map(seat).collect();
    seats.join(", ")
}
