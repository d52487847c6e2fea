//! The sources and bounds of points in a game, by the game's name.

use arena_engine::outcome::Source;
use arena_engine::table;
use serde_json::Value;

/// Returns the sources of points; `None` for an unknown game.
pub fn scoring(game: &str) -> Option<&'static [Source]> {
    table::find(game).map(|game| game.scoring)
}

/// Bounds of points in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// Maximum difference between the points of a seat in two matches.
    pub points: f64,
    /// Maximum lead of a seat over another one in points.
    pub lead: f64,
}

/// Returns the bounds of points in matches of a game with these rules and this number of seats; 0 if the game or the rules are unknown.
pub fn range(game: &str, rules: &Value, seats: usize) -> Range {
    let dealer = table::find(game).and_then(|game| game.rulebook.dealer(rules, seats).ok());
    dealer.map_or_else(Range::default, |dealer| Range {
        points: f64::from(*dealer.points().end()) - f64::from(*dealer.points().start()),
        lead: dealer.lead().into(),
    })
}
