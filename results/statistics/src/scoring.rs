//! The sources of points in a game, and how many there can be, by its name.

use arena_engine::outcome::Source;
use arena_engine::table;
use serde_json::Value;

/// The sources of points; none for a game that is not known here.
pub fn scoring(game: &str) -> Option<&'static [Source]> {
    table::find(game).map(|game| game.scoring)
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
    let dealer = table::find(game).and_then(|game| game.dealer(rules, seats).ok());
    dealer.map_or_else(Range::default, |dealer| Range {
        points: (*dealer.points().end()).into(),
        lead: dealer.lead().into(),
    })
}
