//! The table of moves: a row for each reply of each match's record.

use arena_engine::fault::{Cause, Fault};
use arena_engine::game::Game;
use arena_engine::record::{Replied, Reply};
use arena_engine::seat::Seat;

use super::{ExportError, Replayed, With};
use crate::scalar::Scalar;

/// The names of the columns.
pub(super) fn columns(with: With) -> Vec<&'static str> {
    let mut columns = vec!["id", "deal", "turn", "seat", "bot", "kind", "action", "late", "fault"];
    if with.times {
        columns.extend(["wall_us", "cpu_us"]);
    }
    columns.extend(with.notes.then_some("note"));
    columns
}

/// Hands over the rows of a match, in the order in which the replies were taken in.
pub(super) fn rows<G: Game>(
    replayed: &Replayed<'_, G>,
    with: With,
    put: &mut dyn FnMut(Vec<Scalar<'_>>),
) -> Result<(), ExportError> {
    let played = replayed.played;
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
        put(row);
    }
    Ok(())
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
