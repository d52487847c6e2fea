//! Columns about the information available at each decision, which complement those of the table of moves.

use arena_engine::insight::Insight;
use arena_engine::seat::Seat;
use arena_engine::table::{Entry, Json};

use super::Kind::{Flag, Integer, Number, Text};
use super::seats::opponents;
use super::{Column, ExportError, Replayed, Row};
use crate::scalar::Scalar;

const GUESS: [Column; 5] = [
    ("opponents", Text),
    ("target", Integer),
    ("worlds", Number),
    ("chance", Number),
    ("best", Number),
];
const ANSWER: [Column; 3] = [("expected", Number), ("gained", Number), ("right", Flag)];

/// Returns the columns that are added to those of moves.
pub(super) fn columns() -> Vec<Column> {
    [&GUESS[..], &ANSWER].concat()
}

/// Returns the rows of a match, in the order of its replies; none if the game provides no insights.
pub(super) fn rows(replayed: &Replayed<'_>) -> Result<Vec<Row>, ExportError> {
    let row = |insight: Insight<Json>| {
        let Insight {
            seat,
            action,
            worlds,
            chance,
            likeliest,
            learned,
            ..
        } = insight;
        vec![
            Scalar::text(opponents(&replayed.played.bots, seat.index())),
            Scalar::count(
                action
                    .as_ref()
                    .and_then(|action| target(replayed.game, action))
                    .map(|seat| seat.0.into()),
            ),
            Scalar::number(worlds),
            Scalar::number(chance),
            Scalar::number(likeliest.first().map(|(_, chance)| *chance)),
            Scalar::number(learned.map(|learned| learned.expected)),
            Scalar::number(learned.map(|learned| learned.gained)),
            learned
                .and_then(|learned| learned.right)
                .map_or(Scalar::Missing, Scalar::Flag),
        ]
    };
    Ok(replayed.insights(1)?.into_iter().map(row).collect())
}

/// Returns the seat in the first field of an action that the game declares to hold one.
pub(crate) fn target(game: &Entry, action: &Json) -> Option<Seat> {
    let action = action.value();
    let values = action.as_object()?.values().next()?;
    let mut fields = game.players.seat.iter();
    let seat = fields.find_map(|field| values.get(field)?.as_u64())?;
    Some(Seat(seat as u8))
}
