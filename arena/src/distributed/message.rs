//! What coordinator and workers send each other: JSON, and for results JSON in front of compressed matches.

use std::io::Read;

use anyhow::{Context, ensure};
use arena_results::played::Played;
use arena_tournament::field::Meeting;
use arena_tournament::spec::{Isolation, Spec};
use arena_tournament::unit::Unit;
use serde::{Deserialize, Serialize};

/// The most bytes that the matches of a unit may have.
const MOST: u64 = 512 << 20;
/// How strongly results are compressed.
const LEVEL: i32 = 3;

/// A worker that offers to play.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// Its name.
    pub worker: String,
    /// A number that no other has, whatever its name.
    pub id: u64,
    /// What it runs.
    pub build: Build,
    /// The cores that it may use.
    pub cores: usize,
    /// The matches that it plays at a time.
    pub jobs: usize,
    /// Random matches of Coda in a second on one core, which tells how fast the machine is.
    pub speed: f64,
    /// The levels of isolation that it can have for programs.
    pub isolation: Vec<Isolation>,
    /// The best of them, in words.
    pub best: String,
}

/// What program plays, and by which rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The arena's version.
    pub version: String,
    /// The SHA-256 of the program.
    pub sha256: String,
    /// The games with the versions of their rules.
    pub rules: Vec<(String, u32)>,
}

/// The answer to a worker that offers to play.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It may.
    Welcome(Box<Welcome>),
    /// It may not, for this reason.
    Refused(String),
    /// It may not now, for this reason, but perhaps later.
    NotNow(String),
}

/// All that a worker needs to play matches of a tournament.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// What names the plan.
    pub plan: String,
    /// The tournament.
    pub spec: Spec,
    /// For each bot that is a program, the SHA-256 of its archive.
    pub bundles: Vec<Option<String>>,
}

/// A unit to be played.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The plan that it belongs to.
    pub plan: String,
    /// The epoch of the coordinator, which is another after each start.
    pub epoch: u64,
    /// The deals.
    pub unit: Unit,
    /// Who meets whom on them, where that does not follow from the tournament alone.
    pub meetings: Option<Vec<Meeting>>,
    /// The workers that played it already; this is a check.
    pub checks: Vec<String>,
}

/// What came of a unit, but for the matches themselves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The plan.
    pub plan: String,
    /// The epoch of the coordinator that published the unit.
    pub epoch: u64,
    /// The deals.
    pub unit: Unit,
    /// The workers that had played it before; then it is a check.
    pub checks: Vec<String>,
    /// Who played.
    pub worker: String,
    /// The number of times that the unit had been delivered by then.
    pub delivered: i64,
    /// The matches that came to no result, each with the reason.
    pub unplayed: Vec<String>,
    /// What a person should read.
    pub news: Vec<String>,
    /// The object that holds the matches, where they are too long for a message.
    pub object: Option<String>,
}

/// How a worker is getting on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Status {
    /// Its name.
    pub worker: String,
    /// Its offer, in case that the coordinator began after it.
    pub hello: Hello,
    /// The units that it has, by the last words of their subjects.
    pub holding: Vec<String>,
    /// The units that it gave back since the last time.
    pub given_back: Vec<String>,
    /// The interpreters that bots are started with, each with what it says of its version.
    pub languages: Vec<String>,
    /// True if it will send no more.
    pub leaves: bool,
}

/// A sign of life of a coordinator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pulse {
    /// Who and where it is.
    pub coordinator: String,
    /// Its epoch.
    pub epoch: u64,
    /// The workers that are not believed.
    pub shut_out: Vec<String>,
    /// True if it will send no more units.
    pub ends: bool,
}

/// A message as bytes.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("a message of names and numbers becomes JSON")
}

/// The word for something as it stands in JSON.
pub fn word(value: &impl Serialize) -> String {
    String::from_utf8_lossy(&encode(value)).trim_matches('"').to_owned()
}

/// Packs matches.
pub fn pack(matches: &[Played]) -> anyhow::Result<Vec<u8>> {
    let text = serde_json::to_vec(matches).context("the matches cannot be written")?;
    zstd::bulk::compress(&text, LEVEL).context("the matches cannot be compressed")
}

/// Unpacks matches, if they are not too long.
pub fn unpack(packed: &[u8]) -> anyhow::Result<Vec<Played>> {
    let mut text = Vec::new();
    zstd::Decoder::with_buffer(packed)?.take(MOST + 1).read_to_end(&mut text)?;
    ensure!(text.len() as u64 <= MOST, "its matches are longer than {} MiB", MOST >> 20);
    Ok(serde_json::from_slice(&text)?)
}

/// A report with the matches behind it.
pub fn with_matches(report: &Report, packed: &[u8]) -> Vec<u8> {
    let mut bytes = encode(report);
    bytes.push(b'\n');
    bytes.extend_from_slice(packed);
    bytes
}

/// Takes a report and the matches behind it apart.
pub fn without_matches(bytes: &[u8]) -> anyhow::Result<(Report, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n').context("there is no end of the report")?;
    Ok((serde_json::from_slice(&bytes[..end])?, &bytes[end + 1..]))
}
