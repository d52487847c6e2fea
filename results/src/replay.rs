//! Playing a finished match again from its record, and making sure that it ends as the ledger says.

use arena_engine::fault::Fault;
use arena_engine::game::Game;
use arena_engine::machine::Finished;
use arena_engine::outcome::{Score, Verdict};
use arena_engine::record::RecordOf;
use arena_engine::replay::{self, BadRecord};
use arena_engine::seat::Seat;

use crate::played::Played;

/// Why a match cannot be played again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The record is no record of this game.
    #[error("match {id}: the record cannot be read: {error}")]
    Unreadable {
        /// The match.
        id: String,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// The record cannot be replayed.
    #[error("match {id}: {error}")]
    Record {
        /// The match.
        id: String,
        /// What is wrong with it.
        error: BadRecord,
    },
    /// The match ends in another way than the ledger says.
    #[error("match {id}: the record ends with {again}, the ledger says {stored}")]
    Differs {
        /// The match.
        id: String,
        /// The end by the record.
        again: String,
        /// The end by the ledger.
        stored: String,
    },
}

/// Plays the match again. The verdict must come out the same, except for what is known of a fault beside its kind: the
/// ledger may know more than the record.
pub fn replay<G: Game>(played: &Played) -> Result<Finished<G>, ReplayError> {
    let id = || played.id();
    let record: RecordOf<G> =
        serde_json::from_str(&played.record).map_err(|error| ReplayError::Unreadable { id: id(), error })?;
    let finished = replay::replay::<G>(&record).map_err(|error| ReplayError::Record { id: id(), error })?;
    if !same(&finished.verdict, &played.verdict) {
        let (again, stored) = (describe(&finished.verdict), describe(&played.verdict));
        return Err(ReplayError::Differs { id: id(), again, stored });
    }
    Ok(finished)
}

fn same(again: &Verdict, stored: &Verdict) -> bool {
    let causes = |verdict: &Verdict| verdict.faults.map(|fault| fault.as_ref().map(Fault::cause));
    again.outcome == stored.outcome && again.ended == stored.ended && causes(again) == causes(stored)
}

/// A verdict in short.
fn describe(verdict: &Verdict) -> String {
    let seat = |(seat, score): (Seat, &Score)| {
        let fault = verdict.faults.get(seat).and_then(Option::as_ref);
        let fault = fault.map(|fault| format!(" ({})", fault.cause())).unwrap_or_default();
        let counts: Vec<String> = score.breakdown.iter().map(|(name, count)| format!("{name} {count}")).collect();
        format!("seat {seat} in place {} with {} points ({}){fault}", score.place, score.points, counts.join(", "))
    };
    let seats: Vec<String> = verdict.outcome.seats.seats().map(seat).collect();
    seats.join(", ")
}
