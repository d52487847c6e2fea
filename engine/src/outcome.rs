//! The end of a match: placing, points by source, and the reason why it ended.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::seat::BySeat;

/// A source of points: something for which a game awards them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name of the source in breakdowns.
    pub name: &'static str,
    /// Points per occurrence.
    pub worth: i32,
}

impl Source {
    /// Creates a source with this name, worth `worth` points per occurrence.
    pub const fn new(name: &'static str, worth: i32) -> Self {
        Self { name, worth }
    }
}

/// A seat's count for each source of points of the game; written as an object in the order of the sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breakdown(Vec<(Cow<'static, str>, i32)>);

impl Breakdown {
    /// Pairs the sources of a game with their counts.
    pub fn new(sources: &'static [Source], counts: &[i32]) -> Self {
        assert_eq!(sources.len(), counts.len());
        Self(
            sources
                .iter()
                .zip(counts)
                .map(|(source, count)| (source.name.into(), *count))
                .collect(),
        )
    }

    /// Returns the count of a source.
    pub fn get(&self, source: &str) -> i32 {
        self.iter()
            .find(|(name, _)| *name == source)
            .map_or(0, |(_, count)| count)
    }

    /// Returns the sources with their counts, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, i32)> {
        self.0.iter().map(|(name, count)| (name.as_ref(), *count))
    }

    /// Returns the points that the counts are worth.
    pub fn points(&self, sources: &[Source]) -> i32 {
        sources
            .iter()
            .map(|source| source.worth * self.get(source.name))
            .sum()
    }
}

/// Place and points of one seat at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// 1 for the best seat; equal seats share a place.
    pub place: u8,
    /// Points by the official scoring of the game.
    pub points: i32,
    /// Number of times each source of points counted.
    pub breakdown: Breakdown,
}

/// Placing and points of all seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// One score for each seat.
    pub seats: BySeat<Score>,
}

impl Outcome {
    /// Ranks the seats by points, most first.
    pub fn by_points(sources: &'static [Source], breakdowns: &BySeat<Breakdown>) -> Self {
        let points = breakdowns.map(|breakdown| breakdown.points(sources));
        let place = |mine: i32| 1 + points.iter().filter(|theirs| **theirs > mine).count() as u8;
        let score = |seat| Score {
            place: place(points[seat]),
            points: points[seat],
            breakdown: breakdowns[seat].clone(),
        };
        Self {
            seats: BySeat::new(breakdowns.len(), score),
        }
    }
}

/// The reason why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It was played to its end.
    Played,
    /// Forfeits left too few seats.
    Forfeit,
}

/// The end of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Placing and points.
    pub outcome: Outcome,
    /// The reason why it is over.
    pub ended: Ended,
    /// The fault of each seat that forfeited; null for the others.
    pub faults: BySeat<Option<Fault>>,
}

impl Serialize for Breakdown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Breakdown {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Counts;
        impl<'de> Visitor<'de> for Counts {
            type Value = Breakdown;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of counts")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Breakdown, A::Error> {
                let mut counts = Vec::new();
                while let Some((source, count)) = map.next_entry::<String, i32>()? {
                    counts.push((source.into(), count));
                }
                Ok(Breakdown(counts))
            }
        }
        deserializer.deserialize_map(Counts)
    }
}

impl JsonSchema for Breakdown {
    fn schema_name() -> Cow<'static, str> {
        "Breakdown".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": { "type": "integer" } })
    }
}
