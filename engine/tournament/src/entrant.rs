//! Participants of a tournament: each a name and what plays under it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use arena_engine::shown;
use serde::{Deserialize, Serialize};

use crate::clock::TimeControl;

/// A participant of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// The name, unique in this tournament.
    pub name: String,
    /// The bot that plays.
    pub bot: Bot,
    /// The restart policy of the program.
    #[serde(default)]
    pub restart: Restart,
    /// Its own clock, if it differs from the tournament's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// The first round in which it may be drawn, counted from 1; for formats that accept newcomers.
    #[serde(default = "first_round")]
    pub joined: u32,
    /// Number of rounds begun when it was withdrawn: it is not drawn in later ones, and forfeits matches already planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<u32>,
    /// Hashes of the files that the command names and of all sources, as of when the bot entered.
    #[serde(default)]
    pub files: Vec<HashedFile>,
    /// The reason why a newer version was refused, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// File name that stands for all files a bot is run or built from.
pub const SOURCES: &str = "sources";

fn first_round() -> u32 {
    1
}

impl Entrant {
    /// Creates an entrant with default settings.
    pub fn new(name: impl Into<String>, bot: Bot) -> Self {
        let name = name.into();
        let restart = Restart::default();
        let files = Vec::new();
        Self {
            name,
            bot,
            restart,
            clock: None,
            joined: 1,
            withdrawn: None,
            files,
            refused: None,
        }
    }

    /// Returns the files whose change makes it a different bot: all that it is built from, or otherwise only those its
    /// command names, because neighbouring files may not belong to it.
    pub fn own_files(&self) -> impl Iterator<Item = &HashedFile> {
        let is_built = self
            .program()
            .is_some_and(|program| program.build.is_some());
        self.files
            .iter()
            .filter(move |file| is_built || file.file != SOURCES)
    }

    /// Returns the hash of all its files; `None` in ledgers of an earlier version.
    pub fn sources(&self) -> Option<&str> {
        self.files
            .iter()
            .find(|file| file.file == SOURCES)
            .map(|file| file.sha256.as_str())
    }

    /// Returns `true` for another version of the bot with this name: another program, or other files in its folder.
    pub fn is_other_version(&self, of: &Entrant) -> bool {
        let has_other_sources = self.sources() != of.sources() && of.sources().is_some();
        self.bot != of.bot || has_other_sources || !self.own_files().eq(of.own_files())
    }

    /// Returns the program that plays, unless it is a built-in bot or a person.
    pub fn program(&self) -> Option<&Program> {
        if let Bot::Program(program) = &self.bot {
            Some(program)
        } else {
            None
        }
    }

    /// Returns `true` if a program plays.
    pub fn is_program(&self) -> bool {
        self.program().is_some()
    }

    /// Returns `true` if a person plays.
    pub fn is_person(&self) -> bool {
        matches!(self.bot, Bot::Person)
    }
}

/// The player behind an entrant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bot {
    /// A built-in bot, by name.
    Builtin(String),
    /// A program.
    Program(Program),
    /// A person; only in single matches, because tournaments are between bots.
    Person,
}

/// A program and how to start it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Its working folder.
    pub dir: PathBuf,
    /// The shell command that builds it from the sources in its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// Extra environment variables.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Names of variables passed from the arena's environment. Their values are not stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pass_env: Vec<String>,
    /// Files and folders that it may read in addition to its own folder.
    #[serde(default)]
    pub read: Vec<PathBuf>,
    /// The cores that it may use.
    #[serde(default)]
    pub cores: Cores,
    /// True if it may use the network during play.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// True if it may ask for a pause, which voids its match and stops the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_pause: bool,
    /// A persistent folder that it may write to, in addition to those of its processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<PathBuf>,
    /// True if it may use the network while it is built.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub build_network: bool,
}

/// Build command of a class's bot that needs no build.
pub const NO_BUILD: &str = "true";

impl Program {
    /// Returns `true` if it is built, not just copied.
    pub fn builds(&self) -> bool {
        self.build.as_deref().is_some_and(|build| build != NO_BUILD)
    }
}

/// The cores that a program may use while workers are pinned to one each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cores {
    /// Its worker's core.
    #[default]
    One,
    /// All cores that the arena may use.
    All,
    /// None of this machine's, because it waits for a GPU or a server: it takes no other bot's place.
    None,
}

/// Restart policy of a bot's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restart {
    /// After a fault, for the next match.
    #[default]
    Fault,
    /// Before each match.
    Match,
    /// Never: it survives illegal and late actions, and if it exits, it forfeits the rest.
    Never,
}

/// A file that is part of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HashedFile {
    /// Path as named by the command.
    pub file: String,
    /// SHA-256 of its contents, in hexadecimal.
    pub sha256: String,
}

shown!(
    Bot,
    |bot| "{}",
    match bot {
        Bot::Builtin(name) => format!("builtin {name}"),
        Bot::Program(program) =>
            shlex::try_join(program.command.iter().map(String::as_str)).unwrap_or_default(),
        Bot::Person => "a person".into(),
    }
);
