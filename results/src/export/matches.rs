//! The table of matches: a row for each.

use arena_engine::game::Game;
use arena_engine::outcome::Ended;
use arena_tournament::deals::{Seated, Wdl, in_match};
use arena_tournament::spec::Spec;

use super::Column::{self, Integer, Text};
use super::{Replayed, With};
use crate::scalar::Scalar;

const TEXTS: [Column; 3] = [Text("id"), Text("tournament"), Text("game")];
const INTEGERS: [Column; 3] = [Integer("deal"), Integer("deal_seed"), Integer("seats")];
const ENDS: [Column; 5] = [Text("bots"), Text("ended"), Text("winners"), Integer("turns"), Integer("voids")];

/// The columns.
pub(super) fn columns(with: With) -> Vec<Column> {
    let parts: [&[Column]; 4] = [&TEXTS, &[Integer("rules_version"), Text("format")], &INTEGERS, &ENDS];
    let mut columns = parts.concat();
    columns.extend(with.times.then_some(Integer("wall_us")));
    columns
}

/// The row of a match.
pub(super) fn row<'a, G: Game>(tournament: &'a Spec, replayed: &'a Replayed<'_, G>, with: With) -> Vec<Scalar<'a>> {
    let Replayed { id, played, finished } = replayed;
    let record = &finished.record;
    let ended = match finished.verdict.ended {
        Ended::Played => "played",
        Ended::Forfeit => "forfeit",
    };
    let winners = winners(&Seated::all(&finished.verdict), &played.bots);
    let mut row = vec![
        Scalar::text(id),
        Scalar::text(&tournament.name),
        Scalar::text(record.game.as_ref()),
        Scalar::Count(record.rules_version.into()),
        Scalar::text(tournament.kind()),
        Scalar::Count(played.deal.into()),
        Scalar::Count(record.seed.into()),
        Scalar::Count(record.seats as u64),
        Scalar::text(played.bots.join("/")),
        Scalar::text(ended),
        if winners.is_empty() { Scalar::Missing } else { Scalar::text(winners.join("/")) },
        Scalar::Count(record.replies.len() as u64),
        Scalar::Count(played.voids.len() as u64),
    ];
    row.extend(with.times.then_some(Scalar::Count(played.times.wall_us)));
    row
}

/// The best bots, in order of their seats; none if all forfeited.
fn winners<'a>(seats: &[Seated], bots: &'a [String]) -> Vec<&'a str> {
    let best = |(seat, bot): (usize, &'a String)| (in_match(seats, seat) != Wdl::Loss).then_some(bot.as_str());
    bots.iter().enumerate().filter_map(best).collect()
}
