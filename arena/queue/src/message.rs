//! Messages between the coordinator and the workers, encoded as JSON. Results are compressed.

use anyhow::Context;
use arena_tournament::field::Meeting;
use arena_tournament::played::Played;
use arena_tournament::spec::Spec;
use serde::{Deserialize, Serialize};

use crate::build::Build;
use crate::bundle::Bundle;

/// Compression level of results.
const COMPRESSION_LEVEL: i32 = 3;
/// Maximum number of deals listed by name.
const MAX_NAMED: usize = 4;

/// Heartbeat of a coordinator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pulse {
    pub build: Build,
    /// SHA-256 of the tournament's description, an object in the queue.
    pub tournament: String,
    /// True if no more units will follow.
    pub ends: bool,
}

/// Everything that a worker needs to play matches of a tournament.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tournament {
    pub spec: Spec,
    /// Bundle of each bot; `None` for built-in bots.
    pub bundles: Vec<Option<Bundle>>,
}

/// A unit: a batch of deals to play.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// Deals in ascending order; the first one identifies the unit.
    pub deals: Vec<u32>,
    /// Meetings on these deals; `None` if they follow from the tournament alone.
    pub meetings: Option<Vec<Meeting>>,
}

/// The result of a unit, or of a part of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct UnitReport {
    /// Name of the worker.
    pub worker: String,
    /// Deals of the unit.
    pub deals: Vec<u32>,
    /// Finished matches.
    pub matches: Vec<Played>,
    /// Reasons of matches without a result.
    pub unplayed: Vec<String>,
    /// Lines for the coordinator's terminal.
    pub news: Vec<String>,
    /// True for the last part.
    pub is_last: bool,
}

/// Heartbeat of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Heartbeat {
    /// Name of the worker.
    pub worker: String,
    /// Number of concurrent matches.
    pub jobs: usize,
    /// Number of units that the worker holds.
    pub units: usize,
    /// True if this is the worker's last heartbeat.
    pub leaves: bool,
}

/// Encodes a message.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("a message of names and numbers becomes JSON")
}

/// Describes deals in a text of bounded length.
pub fn describe(deals: &[u32]) -> String {
    let first: Vec<String> = deals
        .iter()
        .take(MAX_NAMED)
        .map(ToString::to_string)
        .collect();
    match (deals.len(), deals.len().saturating_sub(MAX_NAMED)) {
        (1, _) => format!("deal {}", first[0]),
        (_, 0) => format!("deals {}", first.join(", ")),
        (_, more) => format!("deals {} and {more} others", first.join(", ")),
    }
}

impl UnitReport {
    /// Encodes a report as messages of at most this length, as far as its matches can be divided.
    pub fn messages(mut self, room: usize) -> anyhow::Result<Vec<Vec<u8>>> {
        let message = zstd::bulk::compress(&encode(&self), COMPRESSION_LEVEL)
            .context("the matches cannot be compressed")?;
        if message.len() <= room || self.matches.len() <= 1 {
            return Ok(vec![message]);
        }
        let rest = self.matches.split_off(self.matches.len() / 2);
        let first = Self {
            worker: self.worker.clone(),
            deals: self.deals.clone(),
            matches: std::mem::replace(&mut self.matches, rest),
            ..Self::default()
        };
        let mut messages = first.messages(room)?;
        messages.extend(self.messages(room)?);
        Ok(messages)
    }

    /// Decodes a message.
    pub fn parse(message: &[u8]) -> anyhow::Result<Self> {
        Ok(serde_json::from_reader(zstd::Decoder::new(message)?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_tournament::sample;

    #[test]
    fn a_long_report_travels_in_parts_of_which_one_is_the_last() {
        let matches: Vec<Played> = (1..=20)
            .map(|deal| sample::really(1, deal, &["ann", "bob"], None))
            .collect();
        let report = UnitReport {
            worker: "w".into(),
            deals: (1..=20).collect(),
            matches: matches.clone(),
            unplayed: vec!["why".into()],
            is_last: true,
            ..UnitReport::default()
        };
        let whole = report.clone().messages(1 << 20).unwrap();
        assert_eq!(whole.len(), 1);
        let parts = report.messages(whole[0].len() / 2).unwrap();
        let parts: Vec<UnitReport> = parts
            .iter()
            .map(|part| UnitReport::parse(part).unwrap())
            .collect();
        assert!(parts.len() > 1);
        let (last, others) = parts.split_last().unwrap();
        assert!(last.is_last && last.unplayed == ["why"]);
        assert!(
            others
                .iter()
                .all(|part| !part.is_last && part.unplayed.is_empty())
        );
        let together: Vec<Played> = parts.into_iter().flat_map(|part| part.matches).collect();
        assert_eq!(together, matches);
    }
}
