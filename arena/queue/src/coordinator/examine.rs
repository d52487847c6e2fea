//! Looking at what a worker sent: whether it is all of the unit, whether the rules give the same, and whether another worker got the same.

use std::collections::BTreeSet;

use arena_engine::fault::{Cause, Fault};
use arena_engine::record::{Record, Reply};
use arena_engine::seat::Seat;
use arena_ledger::verify::check_records;
use arena_tournament::played::Played;
use arena_tournament::schedule::Planned;
use arena_tournament::spec::Spec;
use serde::de::IgnoredAny;
use serde_json::Value;

/// Checks that these are the planned matches, all but `missing`, and that each record gives its result by the rules.
///
/// # Errors
/// What is wrong.
pub fn check(
    spec: &Spec,
    planned: &[Planned],
    matches: &[Played],
    missing: usize,
) -> Result<(), String> {
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
    if !matches
        .iter()
        .all(|played| seats_are_there(played, spec.plan.seats))
    {
        return Err("data of a seat that does not exist".into());
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
    let all = notes.chain(evidence).chain(voids).chain(moves);
    all.map(Seat::index).all(|seat| seat < seats)
}

/// A record, of whatever game.
type AnyRecord = Record<IgnoredAny, Value>;

/// The times of a late bot and of another play of its turn that may rightly differ by this factor, from machine to machine.
const SLOWER: u64 = 2;

/// True if two plays of a match agree, as far as they must on whatever machine: a bot fails alike in both, or is late in one and took
/// about as long in the other.
pub fn agree(one: &Played, other: &Played) -> bool {
    if one.record == other.record {
        return true;
    }
    let Some((turn, [a, b])) = parting(one, other) else {
        return false;
    };
    if cause(&a).is_some() && cause(&a) == cause(&b) {
        return true;
    }
    // A crash is not a late answer, however long it took.
    let is_late = matches!(
        [cause(&a), cause(&b)],
        [Some(Cause::Time), None] | [None, Some(Cause::Time)]
    );
    let times = [one, other].map(|played| played.time(turn).0);
    matches!(times, [Some(a), Some(b)] if is_late && a.max(b) <= SLOWER * a.min(b))
}

/// True if a bot was late in one play where it was not in another.
pub fn is_late_against(one: &Played, other: &Played) -> bool {
    parting(one, other)
        .is_some_and(|(_, [a, b])| cause(&a) == Some(Cause::Time) && cause(&b) != Some(Cause::Time))
}

/// The first reply that is not the same in both records, by its number.
fn parting(one: &Played, other: &Played) -> Option<(u32, [Reply<Value>; 2])> {
    let [one, other] =
        [one, other].map(|played| serde_json::from_str::<AnyRecord>(&played.record).ok());
    let replies = one?.replies.into_iter().zip(other?.replies);
    let mut numbered = (0..).zip(replies);
    let (turn, (one, other)) = numbered.find(|(_, (one, other))| one != other)?;
    (one.0 == other.0).then_some((turn, [one.1, other.1]))
}

/// Why a reply was none, if it was.
fn cause(reply: &Reply<Value>) -> Option<Cause> {
    match reply {
        Reply::Late => Some(Cause::Time),
        Reply::Failed(fault) => Some(fault.cause()),
        Reply::Act(_) => None,
    }
}

/// Why the worker's system could not start a bot of this match, if that is why it forfeited: that says nothing of the bot.
pub fn not_started(played: &Played) -> Option<String> {
    let record: AnyRecord = serde_json::from_str(&played.record).ok()?;
    record
        .replies
        .into_iter()
        .find_map(|replied| match replied.1 {
            Reply::Failed(Fault::StartFailed(why)) if !why.starts_with("disqualified") => Some(why),
            _ => None,
        })
}

#[cfg(test)]
mod tests {
    use arena_tournament::played::MoveTime;
    use arena_tournament::sample;

    use super::*;

    /// A match that ends with these replies, the last of which took this number of milliseconds.
    fn ends(replies: &str, millis: u64) -> Played {
        let mut played = sample::really(1, 1, &["ann", "bob"], None);
        let mut record: Value = serde_json::from_str(&played.record).unwrap();
        record["replies"] = serde_json::from_str(replies).unwrap();
        played.record = serde_json::from_value(Value::String(record.to_string())).unwrap();
        let time = MoveTime {
            turn: 1,
            seat: Seat(0),
            wall_us: millis * 1_000,
            cpu_us: None,
        };
        played.times.moves = vec![time];
        played
    }

    const ACTS: &str = r#"[[0,{"act":1}],[0,{"act":2}]]"#;
    const LATE: &str = r#"[[0,{"act":1}],[0,"late"]]"#;
    const CRASHES: &str = r#"[[0,{"act":1}],[0,{"failed":{"exited":{"code":1}}}]]"#;
    const OTHERWISE: &str = r#"[[0,{"act":1}],[0,{"failed":{"exited":{"signal":"SEGV"}}}]]"#;
    const UNSTARTED: &str = r#"[[0,{"failed":{"start_failed":"no such file"}}]]"#;

    #[test]
    fn failures_are_compared_like_results() {
        for (one, other, expected) in [
            ((ACTS, 10), (ACTS, 90), true),
            ((ACTS, 10), (CRASHES, 10), false),
            ((CRASHES, 10), (OTHERWISE, 90), true),
            ((CRASHES, 10), (LATE, 10), false),
            ((LATE, 1_000), (ACTS, 900), true),
            ((LATE, 1_000), (ACTS, 501), true),
            ((LATE, 1_000), (ACTS, 499), false),
            ((LATE, 1_000), (ACTS, 2_001), false),
            ((LATE, 1_000), (LATE, 9_000), true),
            ((UNSTARTED, 1), (ACTS, 1), false),
        ] {
            let [one, other] = [ends(one.0, one.1), ends(other.0, other.1)];
            assert_eq!(
                [agree(&one, &other), agree(&other, &one)],
                [expected; 2],
                "{one:?} {other:?}"
            );
        }
        let late = |one: &str, other: &str| is_late_against(&ends(one, 1), &ends(other, 1));
        assert!(late(LATE, ACTS) && !late(ACTS, LATE) && !late(LATE, LATE) && !late(CRASHES, ACTS));
        let not_started = |replies: &str| not_started(&ends(replies, 1));
        assert!(
            not_started(UNSTARTED).is_some()
                && not_started(CRASHES).is_none()
                && not_started(ACTS).is_none()
        );
    }
}
