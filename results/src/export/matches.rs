//! Table of matches, one row per match.

use arena_engine::outcome::Ended;
use arena_tournament::deals::{SeatResult, Wdl, in_match};
use arena_tournament::spec::Spec;

use super::Kind::{Integer, Text};
use super::{Column, Replayed, Row, With};
use crate::scalar::Scalar;

/// Returns the columns, including the requested extras.
pub(super) fn columns(with: With) -> Vec<Column> {
    let mut columns = vec![
        ("id", Text),
        ("tournament", Text),
        ("game", Text),
        ("rules_version", Integer),
    ];
    columns.extend([
        ("format", Text),
        ("deal", Integer),
        ("deal_seed", Integer),
        ("round", Integer),
        ("seats", Integer),
        ("bots", Text),
    ]);
    columns.extend([
        ("ended", Text),
        ("winners", Text),
        ("turns", Integer),
        ("voids", Integer),
    ]);
    columns.extend(with.times.then_some(("wall_us", Integer)));
    columns
}

/// Returns the row of a match.
pub(super) fn row(tournament: &Spec, replayed: &Replayed<'_>, with: With) -> Row {
    let Replayed {
        id,
        played,
        record,
        verdict,
        ..
    } = replayed;
    let ended = match verdict.ended {
        Ended::Played => "played",
        Ended::Forfeit => "forfeit",
    };
    let winners = winners(&SeatResult::all(verdict), &played.bots);
    let mut row = vec![
        Scalar::text(id.clone()),
        Scalar::text(tournament.name.clone()),
        Scalar::text(record.game.to_string()),
        Scalar::Count(record.rules_version.into()),
        Scalar::text(tournament.kind().to_owned()),
        Scalar::Count(played.deal.into()),
        Scalar::Count(record.seed.into()),
        Scalar::count(tournament.round_of(played.deal).map(u64::from)),
        Scalar::Count(record.seats as u64),
        Scalar::text(played.bots.join("/")),
        Scalar::text(ended),
        if winners.is_empty() {
            Scalar::Missing
        } else {
            Scalar::text(winners.join("/"))
        },
        Scalar::Count(record.replies.len() as u64),
        Scalar::Count(played.voids.len() as u64),
    ];
    row.extend(with.times.then_some(Scalar::Count(played.times.wall_us)));
    row
}

/// Returns the best bots, in seat order; none if all forfeited.
fn winners<'a>(seats: &[SeatResult], bots: &'a [String]) -> Vec<&'a str> {
    let best = |(seat, bot): (usize, &'a String)| {
        (in_match(seats, seat) != Wdl::Loss).then_some(bot.as_str())
    };
    bots.iter().enumerate().filter_map(best).collect()
}
