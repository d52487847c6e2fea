//! What commands print as JSON: the version of all of it, and all that a tournament's matches tell.

use arena_tournament::placings::Placings;
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Analysis;
use arena_statistics::anytime_valid::AnytimePair;
use arena_statistics::forfeits::BotForfeits;
use arena_statistics::identical::Identical;
use arena_statistics::pair::Pair;
use arena_statistics::rating::Ratings;
use arena_statistics::standings::Standings;

/// The version of all JSON that commands print. It rises when a field goes, or changes its name, type or meaning; not when one is
/// added.
pub const VERSION: u32 = 1;

/// An object with the version beside its own fields.
#[derive(Serialize, JsonSchema)]
pub struct Versioned<T> {
    /// The version of all JSON that commands print.
    #[schemars(range(min = 1))]
    version: u32,
    #[serde(flatten)]
    content: T,
}

/// A document: an object over many lines.
pub fn document(content: impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&Versioned { version: VERSION, content })? + "\n")
}

/// An object in one line, among others.
pub fn line(content: impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string(&Versioned { version: VERSION, content })? + "\n")
}

/// Everything that a tournament's matches tell. The fields are those of the standings, and beside them those of the rest.
#[derive(Serialize, JsonSchema)]
pub struct Whole<'a> {
    #[serde(flatten)]
    standings: &'a Standings,
    /// The names of the bots, in order of the tournament file: what `placings`, `pairs`, `forfeits`, `live` and `identical` give by
    /// index is counted from 0 in this list.
    bots: &'a [String],
    /// The order by the rules of the format; left out where that is the order of the points.
    #[serde(skip_serializing_if = "Option::is_none")]
    placings: Option<&'a Placings>,
    /// The strengths of the bots, by a model.
    ratings: &'a Ratings,
    /// Every two bots against each other, with what follows from it.
    pairs: &'a [Pair],
    /// The forfeits of each bot.
    forfeits: &'a [BotForfeits],
    /// While the tournament runs: every two bots, by intervals that are valid however often one looks.
    live: &'a [AnytimePair],
    /// Bots whose matches went alike, so that they tell less than their number says.
    identical: &'a [Identical],
}

/// The whole analysis as a document.
pub fn analysis(analysis: &Analysis) -> serde_json::Result<String> {
    let Analysis { standings, ratings, pairs, forfeits, anytime_valid: live, identical, bots, placings } = analysis;
    let placings = placings.as_ref();
    document(Whole { standings, bots, placings, ratings, pairs, forfeits, live, identical })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::sample;

    #[test]
    fn all_is_in_one_object() {
        let all = sample::analysis(&["a", "b", "c"], 4);
        let text = analysis(&all).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let standings = serde_json::to_value(&all.standings).unwrap();
        assert!(standings.as_object().unwrap().iter().all(|(name, field)| value[name] == *field));
        assert_eq!(value["ratings"]["bots"].as_array().unwrap().len(), 3);
        assert_eq!((value["pairs"].as_array().unwrap().len(), value["bots"][2].as_str()), (3, Some("c")));
        assert!(value["forfeits"].is_array() && value["identical"].is_array());
        assert_eq!(value["version"], VERSION);
    }
}
