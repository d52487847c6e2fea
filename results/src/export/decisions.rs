//! The table of decisions: a row for each, with what could be known by counting.

use arena_engine::game::Game;

use super::Column::{self, Flag, Integer, Number, Text};
use super::seats::opponents;
use super::{ExportError, Replayed};
use crate::decision::{Decision, decisions};
use crate::scalar::Scalar;

/// The columns.
pub(super) fn columns() -> Vec<Column> {
    let mut columns = vec![Text("id"), Integer("deal"), Integer("turn"), Integer("seat"), Text("bot")];
    columns.extend([Text("opponents"), Text("kind"), Integer("target")]);
    columns.extend(["worlds", "chance", "best", "expected", "gained"].map(Number));
    columns.push(Flag("right"));
    columns
}

/// Hands over the rows of a match, in the order of its replies; none if the game does not count.
pub(super) fn rows<G: Game>(
    replayed: &Replayed<'_, G>,
    put: &mut dyn FnMut(Vec<Scalar<'_>>),
) -> Result<(), ExportError> {
    let decisions = decisions::<G>(&replayed.finished.record).map_err(|why| replayed.failed(&why))?;
    decisions.into_iter().for_each(|decision| put(row(replayed, decision)));
    Ok(())
}

fn row<'a, G: Game>(Replayed { id, played, .. }: &'a Replayed<'_, G>, decision: Decision) -> Vec<Scalar<'a>> {
    let Decision { turn, seat, kind, target, worlds, chance, best, learned } = decision;
    vec![
        Scalar::text(id),
        Scalar::Count(played.deal.into()),
        Scalar::Count(turn as u64),
        Scalar::Count(seat.0.into()),
        Scalar::text(&played.bots[seat.index()]),
        Scalar::text(opponents(&played.bots, seat.index())),
        kind.map_or(Scalar::Missing, Scalar::text),
        Scalar::count(target.map(|seat| seat.0.into())),
        Scalar::number(worlds),
        Scalar::number(chance),
        Scalar::number(best),
        Scalar::number(learned.map(|learned| learned.expected)),
        Scalar::number(learned.map(|learned| learned.gained)),
        learned.and_then(|learned| learned.right).map_or(Scalar::Missing, Scalar::Flag),
    ]
}
