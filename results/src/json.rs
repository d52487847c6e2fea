//! All that a tournament's matches tell as JSON.

use arena_tournament::placings::Placings;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::anytime_valid::AnytimePair;
use crate::rating::Ratings;
use crate::standings::Standings;
use crate::stats::forfeits::BotForfeits;
use crate::stats::identical::Identical;
use crate::stats::pair::Pair;

/// The fields of the standings, and beside them those of the rest.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    standings: &'a Standings,
    bots: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    placings: Option<&'a Placings>,
    ratings: &'a Ratings,
    pairs: &'a [Pair],
    forfeits: &'a [BotForfeits],
    live: &'a [AnytimePair],
    identical: &'a [Identical],
}

/// The whole analysis as an object: the fields of [`Standings`], and `placings`, `ratings`, `pairs`, `forfeits`, `live`, `identical`, with the
/// `bots` that the latter speak of by index.
pub fn analysis(analysis: &Analysis) -> serde_json::Result<String> {
    let Analysis { standings, ratings, pairs, forfeits, anytime_valid: live, identical, bots, placings } = analysis;
    let text = serde_json::to_string_pretty(&Whole {
        standings,
        bots,
        placings: placings.as_ref(),
        ratings,
        pairs,
        forfeits,
        live,
        identical,
    })?;
    Ok(text + "\n")
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
    }
}
