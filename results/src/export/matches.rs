//! The table of matches: a row for each.

use arena_engine::game::Game;
use arena_engine::outcome::Ended;

use super::row::Cell;
use super::{Replayed, With};
use arena_tournament::deals::{Seated, Wdl, in_match};
use arena_tournament::spec::Spec;

/// The names of the columns.
pub(super) fn columns(with: With) -> Vec<&'static str> {
    let mut columns = vec![
        "id",
        "tournament",
        "game",
        "rules_version",
        "format",
        "deal",
        "deal_seed",
        "seats",
        "bots",
        "ended",
        "winners",
        "turns",
        "voids",
    ];
    columns.extend(with.times.then_some("wall_us"));
    columns
}

/// The row of a match.
pub(super) fn row<'a, G: Game>(tournament: &'a Spec, replayed: &'a Replayed<'_, G>, with: With) -> Vec<Cell<'a>> {
    let Replayed { id, played, finished } = replayed;
    let record = &finished.record;
    let ended = match finished.verdict.ended {
        Ended::Played => "played",
        Ended::Forfeit => "forfeit",
    };
    let winners = winners(&Seated::all(&finished.verdict), &played.bots);
    let mut row = vec![
        Cell::text(id),
        Cell::text(&tournament.name),
        Cell::text(record.game.as_ref()),
        Cell::Count(record.rules_version.into()),
        Cell::text(tournament.plan.format.name()),
        Cell::Count(played.deal.into()),
        Cell::Count(record.seed.into()),
        Cell::Count(record.seats as u64),
        Cell::text(played.bots.join("/")),
        Cell::text(ended),
        if winners.is_empty() { Cell::Missing } else { Cell::text(winners.join("/")) },
        Cell::Count(record.replies.len() as u64),
        Cell::Count(played.voids.len() as u64),
    ];
    row.extend(with.times.then_some(Cell::Count(played.times.wall_us)));
    row
}

/// The best bots, in order of their seats; none if all forfeited.
fn winners<'a>(seats: &[Seated], bots: &'a [String]) -> Vec<&'a str> {
    let best = |(seat, bot): (usize, &'a String)| (in_match(seats, seat) != Wdl::Loss).then_some(bot.as_str());
    bots.iter().enumerate().filter_map(best).collect()
}
