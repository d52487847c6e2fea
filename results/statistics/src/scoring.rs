//! The sources of points in a game, and how many there can be, by its name.

use arena_engine::by_name;
use arena_engine::game::{Game, Rules as _};
use arena_engine::outcome::Source;
use arena_tournament::spec::Spec;

/// The sources of points; none for a game that is not known here.
pub fn scoring(game: &str) -> Option<&'static [Source]> {
    by_name!(game, G => G::SCORING)
}

/// The bounds of points in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// The most that a seat can have; the least is 0.
    pub points: f64,
    /// The most by which a seat can be ahead of another one.
    pub lead: f64,
}

/// The bounds of points in a tournament's matches; 0 if its game or its rules are not known here.
pub fn range(spec: &Spec) -> Range {
    by_name!(spec.plan.game, G => range_of::<G>(spec))
        .flatten()
        .unwrap_or_default()
}

fn range_of<G: Game>(spec: &Spec) -> Option<Range> {
    let rules: G::Rules = serde_json::from_value(spec.plan.rules.clone()).ok()?;
    let seats = spec.plan.seats;
    let (points, lead) = (*rules.points(seats).end(), rules.lead(seats));
    Some(Range {
        points: points.into(),
        lead: lead.into(),
    })
}
