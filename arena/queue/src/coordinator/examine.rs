//! Looking at what a worker sent: whether it is all of the unit, whether the rules give the same, and whether another worker got the same.

use std::collections::BTreeSet;

use arena_engine::fault::Cause;
use arena_engine::record::{Record, Reply};
use arena_engine::seat::Seat;
use arena_ledger::verify::check_records;
use arena_tournament::played::Played;
use arena_tournament::schedule::Planned;
use arena_tournament::spec::Spec;
use serde::de::IgnoredAny;

/// Checks that these are the planned matches, all but `missing`, and that each record gives its result by the rules.
///
/// # Errors
/// What is wrong.
pub fn check(spec: &Spec, planned: &[Planned], matches: &[Played], missing: usize) -> Result<(), String> {
    let names = spec.names();
    let due: BTreeSet<String> = planned.iter().map(|planned| planned.id(&names)).collect();
    let mut there = BTreeSet::new();
    for played in matches {
        let id = played.id();
        if !due.contains(&id) {
            return Err("a match that was not to be played".into());
        }
        if !there.insert(id) {
            return Err("a match twice".into());
        }
    }
    if there.len() + missing != due.len() {
        return Err(format!("{} of {} matches", there.len(), due.len()));
    }
    if !matches.iter().all(|played| seats_are_there(played, spec.plan.seats)) {
        return Err("something of a seat that there is not".into());
    }
    let records: Vec<&Played> = matches.iter().collect();
    let checked = check_records(spec, &records).map_err(|error| error.to_string())?;
    match checked.into_iter().find_map(Result::err) {
        Some(why) => Err(format!("a match that the rules refuse: {why}")),
        None => Ok(()),
    }
}

/// True if all that comes beside the record is of seats at the table.
fn seats_are_there(played: &Played, seats: usize) -> bool {
    let notes = played.notes.iter().map(|note| note.seat);
    let evidence = played.evidence.iter().map(|evidence| evidence.seat);
    let voids = played.voids.iter().filter_map(|void| void.seat);
    let moves = played.times.moves.iter().map(|time| time.seat);
    let all = notes.chain(evidence).chain(voids).chain(moves).chain(played.frozen.iter().copied());
    all.map(Seat::index).all(|seat| seat < seats)
}

/// True if two plays of a match agree, as far as they must on whatever machine.
pub fn agree(one: &Played, other: &Played) -> bool {
    one.record == other.record || depends_on_machine(one) || depends_on_machine(other)
}

/// True if a bot was late, ended, or took too much of its machine.
fn depends_on_machine(played: &Played) -> bool {
    let Ok(record) = serde_json::from_str::<Record<IgnoredAny, IgnoredAny>>(&played.record) else { return false };
    record.replies.iter().any(|replied| match &replied.1 {
        Reply::Late => true,
        Reply::Failed(fault) => matches!(fault.cause(), Cause::Time | Cause::Crash | Cause::Resources),
        Reply::Act(_) => false,
    })
}
