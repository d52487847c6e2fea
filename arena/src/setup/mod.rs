//! What is to be played: the tournament file and the flags, checked before anything starts.

pub mod bots;
mod field;
pub mod file;
pub mod files;
mod keys;
mod misfit;
mod nearest;
mod plan;
mod problem;
mod rules;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use arena_engine::chance::Seed;
use arena_results::compare::Test;
use serde::{Deserialize, Serialize};

pub use self::problem::BadSetup;
pub use self::rules::table as rule_table;
use crate::format::{self, Format, Seatings};
use crate::sandbox::Isolation;
use crate::sandbox::Limits;

/// A tournament or match that can be played as it stands.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What the tournament is called.
    pub name: String,
    /// The game's name.
    pub game: String,
    /// The game's rules, all values filled in.
    pub rules: serde_json::Value,
    /// Who meets whom.
    pub format: Format,
    /// What is tested between the first two bots, if they are compared and it stops by itself.
    pub test: Option<Test>,
    /// In how many orders the bots of a table are seated.
    pub seatings: Seatings,
    /// How many deals.
    pub deals: u32,
    /// How many seats at a table.
    pub seats: usize,
    /// All chance.
    pub seed: Seed,
    /// How much time bots have.
    pub clock: Clock,
    /// How many matches at the same time.
    pub jobs: usize,
    /// Whether that may be more than there are cores.
    pub oversubscribe: bool,
    /// Whether each worker, with the programs that it starts, stays on one core.
    pub pin: bool,
    /// What bots that are programs are put into.
    pub isolation: Isolation,
    /// What each of them may use.
    pub limits: Limits,
    /// Files that no bot may read: the tournament's file, which holds the seed.
    pub hidden: Vec<PathBuf>,
    /// Who plays.
    pub bots: Vec<Bot>,
}

/// How much time bots have.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// For each answer; no limit if none.
    pub per_move: Option<Duration>,
    /// For all answers of a seat in one match; no limit if none.
    pub bank: Option<Bank>,
    /// From the start of a process until it is ready.
    pub start: Duration,
}

/// The time that a seat has for a whole match.
#[derive(Clone, Copy, Debug)]
pub struct Bank {
    /// What it begins with.
    pub total: Duration,
    /// What is added after each answer.
    pub increment: Duration,
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

/// A bot with its name in this tournament.
#[derive(Clone, Debug)]
pub struct Bot {
    /// Its name in this tournament.
    pub name: String,
    /// When its process is started anew.
    pub restart: Restart,
    /// The first round in which it is drawn, counted from 1; for ladders.
    pub joined: u32,
    /// The last round in which it is drawn; to the end if none.
    pub left: Option<u32>,
    /// What plays.
    pub plays: Plays,
}

impl Bot {
    /// A bot that is as others are in all but its name and what plays.
    pub fn new(name: &str, plays: Plays) -> Self {
        Self { name: name.to_owned(), restart: Restart::default(), joined: 1, left: None, plays }
    }
}

/// What plays for a bot.
#[derive(Clone, Debug)]
pub enum Plays {
    /// A bot of ours, in this process.
    Builtin(String),
    /// A program.
    Program(Program),
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

/// How to start a program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it runs.
    pub dir: PathBuf,
    /// What is added to its environment.
    pub env: BTreeMap<String, String>,
    /// What it may read beside its folder.
    pub read: Vec<PathBuf>,
    /// On which cores it may compute.
    pub cores: Cores,
}

impl Setup {
    /// Says what keeps these bots from playing a tournament, if anything does.
    pub fn check_field(&self) -> Result<(), BadSetup> {
        let wrong = format::plan::check(&self.field());
        if wrong.is_empty() { Ok(()) } else { Err(BadSetup::one(wrong.join("\n       "))) }
    }

    /// The names of the bots in these seats.
    pub fn names(&self, seats: &[usize]) -> Vec<String> {
        seats.iter().map(|bot| self.bots[*bot].name.clone()).collect()
    }
}

/// Whole microseconds.
pub fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Whole milliseconds.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl std::fmt::Display for Plays {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Plays::Builtin(name) => write!(f, "builtin {name}"),
            Plays::Program(program) => {
                let words: Vec<&str> = program.command.iter().map(String::as_str).collect();
                f.write_str(&shlex::try_join(words).unwrap_or_default())
            }
        }
    }
}
