//! Positions of played matches, and actions to try in them.

use arena_engine::chance::Chance;
use arena_engine::game::Prompt;
use arena_engine::seat::Seat;
use arena_engine::small::Options;
use arena_engine::table::{Json, RawRecord, Table};
use serde_json::{Map, Value, json};

use super::super::report::Finding;
use super::Finished;

/// Returns the finding for a game that has failed.
pub(super) fn broken(table: &dyn Table) -> Finding {
    let why = table
        .broken()
        .unwrap_or("nobody has to act, and the match is not over");
    let (why, log) = why.split_once('\n').unwrap_or((why, ""));
    Finding::failed(
        why,
        "a match of this game would be void, and its tournament would stop",
    )
    .show_log(log)
}

/// Returns a random turn of a random match.
pub(super) fn position<'a>(
    finished: &'a [Finished],
    chance: &mut Chance,
) -> (&'a RawRecord, usize) {
    let record = &chance.pick(finished).record;
    (
        record,
        chance.below(record.replies.len().max(1) as u32) as usize,
    )
}

/// Draws a legal action of a prompt.
pub(super) fn drawn(prompt: &Json, chance: &mut Chance) -> Value {
    let options: Options = prompt.read().expect("its form was checked");
    options.pick(chance)
}

/// Returns actions that a prompt does not offer: an unknown kind and, for each field of a random action, the action with a value that is
/// not listed.
pub(super) fn others(prompt: &Json, chance: &mut Chance) -> Vec<Value> {
    let action = drawn(prompt, chance);
    let mut others = vec![json!({ "no_such_action": {} }), json!({})];
    for (kind, fields) in action.as_object().into_iter().flatten() {
        others.extend([json!({ kind.as_str(): null }), json!({ kind.as_str(): [] })]);
        for (field, value) in fields.as_object().into_iter().flatten() {
            let other = match value {
                Value::Number(_) => json!(1_000_003),
                Value::String(_) => json!("no such value"),
                _ => json!("maybe"),
            };
            let odd = [json!(null), json!([]), json!({}), json!(0.5)];
            for other in std::iter::once(other).chain(odd) {
                let mut changed: Map<String, Value> =
                    fields.as_object().cloned().unwrap_or_default();
                changed.insert(field.clone(), other);
                others.push(json!({ kind.as_str(): changed }));
            }
        }
    }
    others
}

/// Returns everything that a match has shown: all events, the events of each seat, and the result.
pub(super) fn transcript(table: &mut dyn Table) -> Vec<String> {
    let seats = table.record().seats;
    let mut lines: Vec<String> = table.events().iter().map(Json::to_string).collect();
    for seat in Seat::all(seats) {
        let mut line = Vec::new();
        table.write_events(seat, &mut line);
        lines.push(String::from_utf8_lossy(&line).into_owned());
    }
    let outcome = table
        .verdict()
        .map(|verdict| json!(verdict.outcome).to_string());
    lines.extend(outcome);
    lines
}

/// Returns the first lines in which two transcripts differ.
pub(super) fn difference(one: &[String], other: &[String]) -> Option<[String; 2]> {
    let line = |lines: &[String], number: usize| lines.get(number).cloned().unwrap_or_default();
    (0..one.len().max(other.len()))
        .find(|number| one.get(*number) != other.get(*number))
        .map(|number| [line(one, number), line(other, number)])
}

/// Returns the new events of a seat at both tables.
pub(super) fn new_events(tables: &mut [Box<dyn Table>; 2], seat: Seat) -> [Vec<Json>; 2] {
    tables.each_mut().map(|table| {
        let mut line = Vec::new();
        table.write_events(seat, &mut line);
        serde_json::from_slice(&line).unwrap_or_default()
    })
}

/// Returns the first events that differ for a seat, if it sees only a part of them.
pub(super) fn hidden_difference(
    tables: &[Box<dyn Table>; 2],
    one: &[Json],
    two: &[Json],
) -> Option<(String, String)> {
    let (a, b) = one.iter().zip(two).find(|(a, b)| a != b)?;
    let is_whole = |table: &dyn Table, event: &Json| table.events().contains(event);
    let is_seen = is_whole(&*tables[0], a) && is_whole(&*tables[1], b);
    (!is_seen).then(|| (a.to_string(), b.to_string()))
}
