//! What coordinator and workers send each other: JSON, and for results JSON in front of compressed matches.

use std::collections::BTreeSet;
use std::io::Read;

use anyhow::{Context, ensure};
use arena_tournament::field::Meeting;
use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use arena_tournament::spec::{Isolation, Spec};
use serde::{Deserialize, Serialize};

use crate::key::Key;
use arena_runner::short_hash::short_hash;

/// The most bytes that the matches of a unit may have, and those for each of them.
const MOST: u64 = 512 << 20;
const MOST_OF_A_MATCH: u64 = 8 << 20;
/// The longest name of a worker.
pub const LONGEST_NAME: usize = 64;
/// The longest text of a worker about itself, and the most entries of a list.
pub const LONGEST: usize = 300;
const LONGEST_LIST: usize = 64;
/// The most letters of all lines of a report.
const TEXTS: usize = 8 << 10;
/// The most deals that are named.
const MOST_DEALS: usize = 4;
/// The most lines of a text.
const MOST_LINES: usize = 8;
/// The most matches that one worker may claim to play at a time.
const MOST_JOBS: usize = 4_096;
/// How strongly results are compressed.
const LEVEL: i32 = 3;

/// A worker that offers to play.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Hello {
    pub worker: String,
    /// A number that no other has, whatever its name.
    pub id: u64,
    pub build: Build,
    /// The cores that it may use.
    pub cores: usize,
    /// The matches that it plays at a time.
    pub jobs: usize,
    /// Random matches of the first game in a second on one core: how fast the machine is.
    pub speed: f64,
    /// The levels of isolation that it can have for programs.
    pub isolation: Vec<Isolation>,
    /// The best of them, in words.
    pub best: String,
}

/// What program plays, and by which rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    Welcome(Box<Welcome>),
    /// It may not take part, for this reason.
    Refused(String),
    /// It may not now, for this reason, but perhaps later.
    NotNow(String),
}

/// What the bots of a tournament answer to the first turn of the rehearsal; none for those of which that is not known.
pub type Openings = Vec<Option<String>>;

/// All that a worker needs to play matches of a tournament.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// What names the plan.
    pub plan: String,
    /// The tournament.
    pub spec: Spec,
    /// For each bot that is a program, the SHA-256 of its archive.
    pub bundles: Vec<Option<String>>,
    /// What the bots answer in the rehearsal on the coordinator's machine.
    pub openings: Openings,
}

/// A unit to be played: nothing in it shows whether its deals were played before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The plan that it belongs to.
    pub plan: String,
    /// The epoch of the coordinator, which is another after each start.
    pub epoch: u64,
    /// What names it.
    pub key: Key,
    /// The deals, which ascend.
    pub deals: Vec<u32>,
    /// Who meets whom on them, where that does not follow from the tournament alone.
    pub meetings: Option<Vec<Meeting>>,
    /// Marks of workers that leave it to others. Each knows its own mark only, and those of nobody fill the list.
    pub not_for: Vec<String>,
}

/// What came of a unit, but for the matches themselves. The subject of its message names the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The plan.
    pub plan: String,
    /// The epoch of the coordinator that published the unit.
    pub epoch: u64,
    /// The unit.
    pub key: Key,
    /// Its deals.
    pub deals: Vec<u32>,
    /// The number of times that the unit had been delivered by then.
    pub delivered: i64,
    /// The matches that came to no result, each with the reason.
    pub unplayed: Vec<String>,
    /// Lines for the coordinator's terminal.
    pub news: Vec<String>,
    /// The SHA-256 of the matches, where they are too long for a message and lie in an object.
    pub object: Option<String>,
}

/// How a worker is getting on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Status {
    /// Its name, and its offer in case the coordinator began after it.
    pub hello: Hello,
    /// The units that it has, by the last words of their subjects.
    pub holding: Vec<String>,
    /// The units that it gave back since the last time.
    pub given_back: Vec<String>,
    /// The interpreters that bots are started with, each with its version.
    pub languages: Vec<String>,
    /// True if it will send no more.
    pub leaves: bool,
    /// Why it cannot play this tournament's bots, if it cannot.
    #[serde(default)]
    pub stands_aside: Option<String>,
    /// The number of the bot that does not answer as on the coordinator's machine, if that is why.
    #[serde(default)]
    pub otherwise: Option<usize>,
}

/// A sign of life of a coordinator.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Pulse {
    /// Who and where it is.
    pub coordinator: String,
    /// Its epoch.
    pub epoch: u64,
    /// The workers whose results failed verification.
    pub excluded: BTreeSet<String>,
    /// The workers that may not take part any more, such as those with the program of an earlier coordinator.
    pub refused: BTreeSet<String>,
    /// The workers that are to finish what they have, and to offer themselves to others.
    pub released: BTreeSet<String>,
    /// The number of workers that are to stay, and if there is something to play for more.
    pub workers: usize,
    pub wants_more: bool,
    /// True if it will send no more units.
    pub ends: bool,
}

/// True for what may name a worker.
pub fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    (1..=LONGEST_NAME).contains(&text.len()) && text.chars().all(is_plain)
}

/// A stranger's text, without what acts on a terminal, of at most a few lines.
pub fn shortened(text: &str) -> String {
    clean(&text.chars().take(LONGEST).collect::<String>())
}

/// The same, of several lines.
pub fn shortened_lines(text: &str) -> String {
    text.lines()
        .take(MOST_LINES)
        .map(shortened)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The mark of a worker with this id on a unit: it shows nothing to those who do not know the id.
pub fn mark(id: u64, key: Key) -> String {
    short_hash(format!("{id}-{key}"))
}

/// Deals as a text of bounded length.
pub fn describe(deals: &[u32]) -> String {
    let first: Vec<String> = deals
        .iter()
        .take(MOST_DEALS)
        .map(ToString::to_string)
        .collect();
    match (deals.len(), deals.len().saturating_sub(MOST_DEALS)) {
        (1, _) => format!("deal {}", first[0]),
        (_, 0) => format!("deals {}", first.join(", ")),
        (_, more) => format!("deals {} and {more} others", first.join(", ")),
    }
}

impl Order {
    /// What comes of it, before anything is played.
    pub fn report(self, delivered: i64) -> Report {
        let Self {
            plan,
            epoch,
            key,
            deals,
            ..
        } = self;
        Report {
            plan,
            epoch,
            key,
            deals,
            delivered,
            unplayed: Vec::new(),
            news: Vec::new(),
            object: None,
        }
    }
}

impl Report {
    /// Shortens its lines as far as all of them must be in front of the matches in a message.
    pub fn shorten(&mut self) {
        for lines in [&mut self.unplayed, &mut self.news] {
            let most = (TEXTS / lines.len().max(1)).min(4 * LONGEST);
            lines
                .iter_mut()
                .for_each(|line| *line = line.chars().take(most).collect());
        }
    }
}

impl Hello {
    /// True if nothing of it is longer or larger than a worker would send.
    pub fn is_sound(&self) -> bool {
        let Build {
            version,
            sha256,
            rules,
        } = &self.build;
        let names = rules.iter().map(|(name, _)| name);
        let mut texts = [&self.best, version, sha256].into_iter().chain(names);
        is_name(&self.worker)
            && [self.cores, self.jobs]
                .iter()
                .all(|count| (1..=MOST_JOBS).contains(count))
            && texts.all(|text| text.chars().count() <= LONGEST)
            && rules.len().max(self.isolation.len()) <= LONGEST_LIST
    }

    /// A line about it.
    pub fn describe(&self) -> String {
        let Self {
            worker,
            jobs,
            cores,
            speed,
            best,
            ..
        } = self;
        let (worker, best) = (clean(worker), clean(best));
        format!(
            "{worker}: {jobs} jobs on {cores} cores, {speed:.0} random matches/s per core, {best}"
        )
    }
}

/// A message as bytes.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("a message of names and numbers becomes JSON")
}

/// Packs matches.
pub fn pack(matches: &[Played]) -> anyhow::Result<Vec<u8>> {
    let text = serde_json::to_vec(matches).context("the matches cannot be written")?;
    zstd::bulk::compress(&text, LEVEL).context("the matches cannot be compressed")
}

/// Unpacks the matches of a unit that has this number of them, if they are not too long.
pub fn unpack(packed: &[u8], due: usize) -> anyhow::Result<Vec<Played>> {
    let (mut text, most) = (Vec::new(), MOST.min(MOST_OF_A_MATCH * due as u64));
    zstd::Decoder::with_buffer(packed)?
        .take(most + 1)
        .read_to_end(&mut text)?;
    ensure!(
        text.len() as u64 <= most,
        "its matches are longer than {} MiB",
        most >> 20
    );
    Ok(serde_json::from_slice(&text)?)
}

/// A report with the matches behind it.
pub fn with_matches(report: &Report, packed: &[u8]) -> Vec<u8> {
    [&encode(report), b"\n".as_slice(), packed].concat()
}

/// Takes a report and the matches behind it apart.
pub fn without_matches(bytes: &[u8]) -> anyhow::Result<(Report, &[u8])> {
    let end = bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .context("there is no end of the report")?;
    Ok((serde_json::from_slice(&bytes[..end])?, &bytes[end + 1..]))
}
