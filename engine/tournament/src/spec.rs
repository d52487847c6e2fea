//! The description of a tournament: everything that a tournament file can say, with all defaults filled in.
//!
//! It is stored in the ledger as it stands here. Fields that come later get a serde default, so that older ledgers stay
//! readable.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use arena_engine::chance::Seed;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::field::Field;
use crate::formats::Choice;
use crate::test::Test;

/// A tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// Its name.
    pub name: String,
    /// What decides which matches there are.
    pub plan: Plan,
    /// Under which conditions they are played.
    pub conditions: Conditions,
    /// How they are played on this machine; not stored.
    #[serde(skip)]
    pub local: Local,
    /// Who takes part, in the order of the file.
    pub bots: Vec<Entrant>,
}

/// What decides which matches there are, beside the entrants: the same plan and the same bots give the same matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The game's name.
    pub game: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// Its rules, complete with their defaults.
    pub rules: Value,
    /// Who meets whom.
    pub format: Choice,
    /// What is tested between the first two bots, if they are compared and it stops by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Test>,
    /// Seats at a table.
    pub seats: usize,
    /// In how many orders the bots of a table are seated on each deal.
    pub seatings: Seatings,
    /// How many deals: in all, or of each pairing in a round for a format that draws its rounds from results.
    pub deals: u32,
    /// Where all chance comes from.
    pub seed: Seed,
}

/// In how many orders the bots of a table are seated on each deal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seatings {
    /// All orders for two and three seats, rotations for four.
    #[default]
    Auto,
    /// The rotations of an order drawn for the deal and the bots: as many as seats.
    Rotations,
    /// All orders: 2, 6 or 24.
    All,
}

/// Under which conditions matches are played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// How much time bots have.
    #[serde(default)]
    pub clock: TimeControl,
    /// What each program may use.
    #[serde(default)]
    pub limits: Limits,
    /// What programs are put into.
    #[serde(default)]
    pub isolation: Isolation,
}

/// How much time bots have, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeControl {
    /// For each answer; null if there is no limit.
    pub move_ms: Option<u64>,
    /// For all answers of a seat in one match; null if there is no limit.
    pub bank_ms: Option<u64>,
    /// What is added to the bank after each answer.
    pub increment_ms: u64,
    /// From the start of a program until it is ready.
    pub start_ms: u64,
}

impl Default for TimeControl {
    fn default() -> Self {
        Self { move_ms: Some(2_000), bank_ms: None, increment_ms: 0, start_ms: 10_000 }
    }
}

/// What a program may use: all of its processes together, unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Memory that is resident, in MiB.
    pub memory_mb: u64,
    /// Processes.
    pub processes: u64,
    /// The size of each file that it writes, in MiB.
    pub file_mb: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory_mb: 2_048, processes: 64, file_mb: 256 }
    }
}

/// How much isolation is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// The best that can be had.
    #[default]
    Auto,
    /// Bubblewrap or Landlock, or nothing is played.
    Require,
    /// Bubblewrap, or nothing is played.
    Bubblewrap,
    /// Landlock, or nothing is played.
    Landlock,
    /// None: bots may read and write what you may.
    Off,
}

/// How matches are played on one machine; no result depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// How many matches run at the same time.
    pub jobs: usize,
    /// Whether that may be more than there are cores.
    pub oversubscribe: bool,
    /// Whether each worker, with the programs that it starts, stays on one core.
    pub pin: bool,
    /// Files that no bot may read, such as the tournament's file, which holds the seed.
    pub hidden: Vec<PathBuf>,
}

impl Default for Local {
    fn default() -> Self {
        Self { jobs: 1, oversubscribe: false, pin: true, hidden: Vec::new() }
    }
}

/// Somebody who takes part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// The name in this tournament; no other has the same.
    pub name: String,
    /// What plays.
    pub bot: Bot,
    /// When a program is started anew.
    #[serde(default)]
    pub restart: Restart,
    /// The first round in which it may be drawn, counted from 1; for formats that take newcomers.
    #[serde(default = "first_round")]
    pub joined: u32,
    /// The last round in which it may be drawn; to the end if none.
    #[serde(default)]
    pub left: Option<u32>,
    /// The files that the command names, as they were when the bot entered.
    #[serde(default)]
    pub files: Vec<HashedFile>,
}

fn first_round() -> u32 {
    1
}

impl Entrant {
    /// An entrant that is as others are in all but its name and what plays.
    pub fn new(name: impl Into<String>, bot: Bot) -> Self {
        Self { name: name.into(), bot, restart: Restart::default(), joined: 1, left: None, files: Vec::new() }
    }
}

/// What plays for an entrant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bot {
    /// A bot that is built in, by its name.
    Builtin(String),
    /// A program.
    Program(Program),
}

/// A program, and how it is started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The command as it was written, to be split into words as a shell does.
    pub command: String,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Where it runs.
    pub dir: PathBuf,
    /// What is added to its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// What it may read beside its folder.
    #[serde(default)]
    pub read: Vec<PathBuf>,
    /// On which cores it may compute.
    #[serde(default)]
    pub cores: Cores,
}

/// On which cores a program may compute while workers stay on one each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cores {
    /// On that of its worker.
    #[default]
    One,
    /// On all that the arena may use.
    All,
}

/// When a bot's process is started anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restart {
    /// After a fault, for the next match.
    #[default]
    Fault,
    /// For each match.
    Match,
    /// Never: it lives on after an illegal action or a late one, and if it ends, it forfeits what is left.
    Never,
}

/// A file that is part of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HashedFile {
    /// The file, as the command names it.
    pub file: String,
    /// The SHA-256 of what it holds, in hexadecimal digits.
    pub sha256: String,
}

impl fmt::Display for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bot::Builtin(name) => write!(f, "builtin {name}"),
            Bot::Program(program) => f.write_str(&program.command),
        }
    }
}

impl Spec {
    /// What the format draws from.
    pub fn field(&self) -> Field<'_> {
        Field { plan: &self.plan, bots: &self.bots }
    }

    /// The names of the entrants, in order.
    pub fn names(&self) -> Vec<String> {
        self.bots.iter().map(|entrant| entrant.name.clone()).collect()
    }

    /// How many matches are planned in all rounds together.
    pub fn matches(&self) -> u64 {
        self.field().count()
    }

    /// How many rounds there are, each with deals of its own; 1 where all matches are known from the beginning.
    pub fn rounds(&self) -> u32 {
        self.field().rounds()
    }

    /// The deal's seed, the same for all who play it.
    pub fn deal_seed(&self, deal: u32) -> Seed {
        self.plan.seed.child("deal", deal.into())
    }
}
