//! The sources of points in a game, and how many there can be, by its name.

use arena_engine::by_name;
use arena_engine::game::{Game, Rules as _};
use arena_engine::outcome::Source;
use serde::Deserialize;
use serde_json::Value;

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

/// Returns the bounds of points in matches of a game by these rules at tables of so many seats; 0 if either is not known here.
pub fn range(game: &str, rules: &Value, seats: usize) -> Range {
    by_name!(game, G => range_of::<G>(rules, seats))
        .flatten()
        .unwrap_or_default()
}

fn range_of<G: Game>(rules: &Value, seats: usize) -> Option<Range> {
    let rules = G::Rules::deserialize(rules).ok()?;
    Some(Range {
        points: (*rules.points(seats).end()).into(),
        lead: rules.lead(seats).into(),
    })
}
