//! Table of seats, one row per seat of each match.

use arena_engine::outcome::Source;
use arena_engine::record::{Replied, Reply};
use arena_engine::seat::Seat;

use super::Kind::{Integer, Text};
use super::{Column, Replayed, Row, With};
use crate::scalar::Scalar;
use arena_tournament::deals::{SeatResult, in_match};
use arena_tournament::played::MoveTime;

/// Returns the columns, with one for each of the game's sources of points.
pub(super) fn columns(sources: &'static [Source], with: With) -> Vec<Column> {
    let mut columns = vec![
        ("id", Text),
        ("deal", Integer),
        ("seat", Integer),
        ("bot", Text),
        ("opponents", Text),
    ];
    columns.extend([("place", Integer), ("points", Integer)]);
    columns.extend(sources.iter().map(|source| (source.name, Integer)));
    columns.extend([
        ("result", Text),
        ("fault", Text),
        ("moves", Integer),
        ("late_moves", Integer),
    ]);
    if with.times {
        columns.extend([("wall_us", Integer), ("cpu_us", Integer)]);
    }
    columns
}

/// Returns the other bots of the match, in seat order.
pub(super) fn opponents(bots: &[String], seat: usize) -> String {
    let others = bots.iter().enumerate().filter(|(other, _)| *other != seat);
    others
        .map(|(_, bot)| bot.as_str())
        .collect::<Vec<_>>()
        .join("/")
}

/// Returns the rows of a match, in seat order.
pub(super) fn rows(replayed: &Replayed<'_>, with: With) -> impl Iterator<Item = Row> {
    let seats = SeatResult::all(&replayed.verdict);
    (0..seats.len()).map(move |seat| row(replayed, &seats, seat, with))
}

fn row(replayed: &Replayed<'_>, seats: &[SeatResult], seat: usize, with: With) -> Row {
    let Replayed {
        id, played, record, ..
    } = replayed;
    let score = &seats[seat];
    let replies = || {
        record
            .replies
            .iter()
            .filter(|Replied(by, _)| by.index() == seat)
    };
    let mut row = vec![
        Scalar::text(id.clone()),
        Scalar::Count(played.deal.into()),
        Scalar::Count(seat as u64),
        Scalar::text(played.bots[seat].clone()),
        Scalar::text(opponents(&played.bots, seat)),
        Scalar::Count(score.place.into()),
        Scalar::Integer(score.points.into()),
    ];
    row.extend(
        score
            .counts
            .iter()
            .map(|count| Scalar::Integer((*count).into())),
    );
    row.push(Scalar::text(in_match(seats, seat).to_string()));
    row.push(
        score
            .fault
            .map_or(Scalar::Missing, |cause| Scalar::text(cause.to_string())),
    );
    row.push(Scalar::Count(replies().count() as u64));
    row.push(Scalar::Count(
        replies()
            .filter(|Replied(_, reply)| matches!(reply, Reply::Late))
            .count() as u64,
    ));
    if with.times {
        let times: Vec<&MoveTime> = played
            .times
            .moves
            .iter()
            .filter(|time| time.seat == Seat(seat as u8))
            .collect();
        row.push(Scalar::count(sum(&times, |time| Some(time.wall_us))));
        row.push(Scalar::count(sum(&times, |time| time.cpu_us)));
    }
    row
}

/// Returns the sum over all timed moves. Returns `None` if no move was timed, or if one value is unknown.
fn sum(times: &[&MoveTime], of: impl Fn(&MoveTime) -> Option<u64>) -> Option<u64> {
    if times.is_empty() {
        None
    } else {
        times.iter().map(|time| of(time)).sum()
    }
}
