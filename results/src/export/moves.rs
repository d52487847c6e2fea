//! The table of moves: a row for each reply of each match's record.

use arena_engine::fault::{Cause, Fault};
use arena_engine::frames::frames;
use arena_engine::game::Game;
use arena_engine::record::{Replied, Reply};
use arena_engine::seat::Seat;

use super::Column::{self, Flag, Integer, Text};
use super::{ExportError, Replayed, With};
use crate::scalar::Scalar;

/// The columns.
pub(super) fn columns(with: With) -> Vec<Column> {
    let mut columns = vec![Text("id"), Integer("deal"), Integer("turn"), Integer("seat"), Text("bot")];
    columns.extend([Text("kind"), Text("action"), Flag("late"), Text("fault")]);
    if with.times {
        columns.extend([Integer("wall_us"), Integer("cpu_us")]);
    }
    columns.extend(with.notes.then_some(Text("note")));
    if with.views {
        columns.extend([Text("view"), Text("prompt")]);
    }
    columns
}

/// Hands over the rows of a match, in the order in which the replies were taken in.
pub(super) fn rows<G: Game>(
    replayed: &Replayed<'_, G>,
    with: With,
    put: &mut dyn FnMut(Vec<Scalar<'_>>),
) -> Result<(), ExportError> {
    let played = replayed.played;
    let mut seen = if with.views { seen(replayed)? } else { Vec::new() }.into_iter();
    for (turn, Replied(seat, reply)) in replayed.finished.record.replies.iter().enumerate() {
        let mut row = row(replayed, turn, *seat, reply)?;
        let is_here = |at: u32, by: Seat| at as usize == turn && by == *seat;
        if with.times {
            let time = played.times.moves.iter().find(|time| is_here(time.turn, time.seat));
            row.push(Scalar::count(time.map(|time| time.wall_us)));
            row.push(Scalar::count(time.and_then(|time| time.cpu_us)));
        }
        if with.notes {
            let note = played.notes.iter().find(|note| is_here(note.turn, note.seat));
            row.push(note.map_or(Scalar::Missing, |note| Scalar::text(&note.text)));
        }
        row.extend(seen.next().into_iter().flatten().map(Scalar::text));
        put(row);
    }
    Ok(())
}

/// What the seat of each reply saw and was offered, as it is sent to a program.
fn seen<G: Game>(replayed: &Replayed<'_, G>) -> Result<Vec<[String; 2]>, ExportError> {
    let frames = frames::<G>(&replayed.finished.record).map_err(|why| replayed.failed(&why))?;
    let turns = frames.iter().zip(&frames[1..]);
    let moves = turns.flat_map(|(before, after)| after.moves.iter().map(|reply| (&before.seats[reply.seat], reply)));
    let texts =
        moves.map(|(seen, reply)| Ok([serde_json::to_string(&seen.view)?, serde_json::to_string(&reply.prompt)?]));
    texts.collect()
}

fn row<'a, G: Game>(
    replayed: &'a Replayed<'_, G>,
    turn: usize,
    seat: Seat,
    reply: &Reply<G::Action>,
) -> Result<Vec<Scalar<'a>>, ExportError> {
    let Replayed { id, played, .. } = replayed;
    let action = match reply {
        Reply::Act(action) => Some(serde_json::to_string(action)?),
        Reply::Late | Reply::Failed(_) => None,
    };
    let kind = action.as_deref().map_or(Scalar::Missing, |action| Scalar::text(kind(action).to_owned()));
    Ok(vec![
        Scalar::text(id),
        Scalar::Count(played.deal.into()),
        Scalar::Count(turn as u64),
        Scalar::Count(seat.0.into()),
        Scalar::text(&played.bots[seat.index()]),
        kind,
        action.map_or(Scalar::Missing, Scalar::text),
        Scalar::Flag(matches!(reply, Reply::Late)),
        fault(replayed, turn, seat, reply).map_or(Scalar::Missing, |cause| Scalar::text(cause.to_string())),
    ])
}

/// The name of an action, which stands before its content: actions are externally tagged.
fn kind(action: &str) -> &str {
    action.split('"').nth(1).unwrap_or_default()
}

/// Why the seat forfeited by this reply, if it did: a late one may cost the match, and is then the seat's last.
fn fault<G: Game>(replayed: &Replayed<'_, G>, turn: usize, seat: Seat, reply: &Reply<G::Action>) -> Option<Cause> {
    let last = || replayed.finished.record.replies[turn + 1..].iter().all(|Replied(by, _)| *by != seat);
    match reply {
        Reply::Act(_) => None,
        Reply::Late => replayed.finished.verdict.faults[seat].as_ref().filter(|_| last()).map(Fault::cause),
        Reply::Failed(fault) => Some(fault.cause()),
    }
}
