//! The table of moves: a row for each reply of each match's record.

use arena_engine::fault::{Cause, Fault};
use arena_engine::frames::frames;
use arena_engine::game::Game;
use arena_engine::record::{Replied, Reply};
use arena_engine::seat::Seat;

use super::Kind::{Flag, Integer, Text};
use super::{Column, ExportError, Replayed, Row, With};
use crate::scalar::Scalar;

/// The columns.
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

/// The rows of a match, in the order in which the replies were taken in.
pub(super) fn rows<G: Game>(
    replayed: &Replayed<'_, G>,
    with: With,
) -> Result<Vec<Row>, ExportError> {
    let played = replayed.played;
    let mut seen = if with.views {
        seen(replayed)?
    } else {
        Vec::new()
    }
    .into_iter();
    let row = |(turn, Replied(seat, reply)): (usize, &Replied<G::Action>)| {
        let mut row = row(replayed, turn, *seat, reply)?;
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
        .finished
        .record
        .replies
        .iter()
        .enumerate()
        .map(row)
        .collect()
}

/// What the seat of each reply saw and was offered, as it is sent to a program.
fn seen<G: Game>(replayed: &Replayed<'_, G>) -> Result<Vec<[String; 2]>, ExportError> {
    let frames = frames::<G>(&replayed.finished.record).map_err(|why| replayed.failed(&why))?;
    let turns = frames.iter().zip(&frames[1..]);
    let moves = turns.flat_map(|(before, after)| {
        after
            .moves
            .iter()
            .map(|reply| (&before.seats[reply.seat], reply))
    });
    let texts = moves.map(|(seen, reply)| {
        Ok([
            serde_json::to_string(&seen.view)?,
            serde_json::to_string(&reply.prompt)?,
        ])
    });
    texts.collect()
}

fn row<G: Game>(
    replayed: &Replayed<'_, G>,
    turn: usize,
    seat: Seat,
    reply: &Reply<G::Action>,
) -> Result<Row, ExportError> {
    let action = match reply {
        Reply::Act(action) => Some(serde_json::to_string(action)?),
        Reply::Late | Reply::Failed(_) => None,
    };
    let kind = action.as_deref().map_or(Scalar::Missing, |action| {
        Scalar::text(kind(action).to_owned())
    });
    Ok(vec![
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
    ])
}

/// The name of an action, which stands before its content: actions are externally tagged.
fn kind(action: &str) -> &str {
    action.split('"').nth(1).unwrap_or_default()
}

/// Why the seat forfeited by this reply, if it did: a late one may cost the match, and is then the seat's last.
fn fault<G: Game>(
    replayed: &Replayed<'_, G>,
    turn: usize,
    seat: Seat,
    reply: &Reply<G::Action>,
) -> Option<Cause> {
    let last = || {
        replayed.finished.record.replies[turn + 1..]
            .iter()
            .all(|Replied(by, _)| *by != seat)
    };
    match reply {
        Reply::Act(_) => None,
        Reply::Late => replayed.finished.verdict.faults[seat]
            .as_ref()
            .filter(|_| last())
            .map(Fault::cause),
        Reply::Failed(fault) => Some(fault.cause()),
    }
}
