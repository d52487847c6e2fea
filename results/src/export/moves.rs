//! Table of moves, one row per reply in each match's record.

use arena_engine::fault::{Cause, Fault};
use arena_engine::frames::Move;
use arena_engine::record::{Replied, Reply};
use arena_engine::seat::{BySeat, Seat};
use arena_engine::table::Json;

use super::Kind::{Flag, Integer, Text};
use super::{Column, ExportError, Replayed, Row, With};
use crate::scalar::Scalar;

/// Returns the columns, including the requested extras.
pub(super) fn columns(with: With) -> Vec<Column> {
    let mut columns = vec![
        ("id", Text),
        ("deal", Integer),
        ("turn", Integer),
        ("seat", Integer),
        ("bot", Text),
    ];
    columns.extend([
        ("kind", Text),
        ("action", Text),
        ("late", Flag),
        ("fault", Text),
    ]);
    if with.times {
        columns.extend([("wall_us", Integer), ("cpu_us", Integer)]);
    }
    columns.extend(with.notes.then_some(("note", Text)));
    if with.views {
        columns.extend([("view", Text), ("prompt", Text)]);
    }
    columns
}

/// Returns the rows of a match, in the order in which the replies were accepted.
pub(super) fn rows(replayed: &Replayed<'_>, with: With) -> Result<Vec<Row>, ExportError> {
    let played = replayed.played;
    let mut seen = if with.views {
        seen(replayed)?
    } else {
        Vec::new()
    }
    .into_iter();
    let row = |(turn, Replied(seat, reply)): (usize, &Replied<Json>)| {
        let mut row = row(replayed, turn, *seat, reply);
        if with.times {
            let (wall_us, cpu_us) = played.time(turn as u32);
            row.extend([wall_us, cpu_us].map(Scalar::count));
        }
        if with.notes {
            let note = played.notes.iter().find(|note| note.turn as usize == turn);
            row.push(note.map_or(Scalar::Missing, |note| Scalar::text(note.text.clone())));
        }
        row.extend(seen.next().into_iter().flatten().map(Scalar::text));
        Ok(row)
    };
    replayed
        .record
        .replies
        .iter()
        .enumerate()
        .map(row)
        .collect()
}

/// Returns the view and the prompt of each reply's seat, as sent to a program.
fn seen(replayed: &Replayed<'_>) -> Result<Vec<[String; 2]>, ExportError> {
    let names = BySeat::new(replayed.record.seats, |_| String::new());
    let frames = replayed.table.frames(&names, None);
    let frames = frames.map_err(|why| replayed.failed(&why))?;
    let turns = frames.iter().zip(&frames[1..]);
    let texts = turns.flat_map(|(before, after)| {
        let text =
            |reply: &Move| [&before.seats[reply.seat].view, &reply.prompt].map(Json::to_string);
        after.moves.iter().map(text)
    });
    Ok(texts.collect())
}

fn row(replayed: &Replayed<'_>, turn: usize, seat: Seat, reply: &Reply<Json>) -> Row {
    let action = match reply {
        Reply::Act(action) => Some(action.to_string()),
        Reply::Late | Reply::Failed(_) => None,
    };
    let kind = action.as_deref().map_or(Scalar::Missing, |action| {
        Scalar::text(kind(action).to_owned())
    });
    vec![
        Scalar::text(replayed.id.clone()),
        Scalar::Count(replayed.played.deal.into()),
        Scalar::Count(turn as u64),
        Scalar::Count(seat.0.into()),
        Scalar::text(replayed.played.bots[seat.index()].clone()),
        kind,
        action.map_or(Scalar::Missing, Scalar::text),
        Scalar::Flag(matches!(reply, Reply::Late)),
        fault(replayed, turn, seat, reply)
            .map_or(Scalar::Missing, |cause| Scalar::text(cause.to_string())),
    ]
}

/// Returns the name of an action, which precedes its content: actions are externally tagged.
fn kind(action: &str) -> &str {
    action.split('"').nth(1).unwrap_or_default()
}

/// Returns the cause if the seat forfeited by this reply. A late reply may be a fault only if it is the seat's last reply.
fn fault(replayed: &Replayed<'_>, turn: usize, seat: Seat, reply: &Reply<Json>) -> Option<Cause> {
    let last = || {
        replayed.record.replies[turn + 1..]
            .iter()
            .all(|Replied(by, _)| *by != seat)
    };
    match reply {
        Reply::Act(_) => None,
        Reply::Late => replayed.verdict.faults[seat]
            .as_ref()
            .filter(|_| last())
            .map(Fault::cause),
        Reply::Failed(fault) => Some(fault.cause()),
    }
}
