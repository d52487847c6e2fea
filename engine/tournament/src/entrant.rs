//! Participants of a tournament, each with a name and the bot that plays under it.

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
    /// The restart policy of the bot's process.
    #[serde(default)]
    pub restart: Restart,
    /// The bot's own time control, if it differs from the tournament's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// The first round in which the bot may be drawn, counted from 1; used by formats that accept newcomers.
    #[serde(default = "first_round")]
    pub joined: u32,
    /// The number of rounds that had begun when the bot was withdrawn. The bot is not drawn in later rounds, and forfeits matches that were
    /// already planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<u32>,
    /// Hashes of the files that the command names and of all sources, taken when the bot entered.
    #[serde(default)]
    pub files: Vec<HashedFile>,
    /// The reason why a newer version of the bot was refused, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// The file name that stands for all files from which a bot is run or built.
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

    /// Returns the files whose change makes the bot a different one. For a bot that is built, these are all its sources. For any other bot,
    /// these are the files that the command names, because neighbouring files may not belong to the bot.
    pub fn own_files(&self) -> impl Iterator<Item = &HashedFile> {
        let is_built = self
            .program()
            .is_some_and(|program| program.build.is_some());
        self.files
            .iter()
            .filter(move |file| is_built || file.file != SOURCES)
    }

    /// Returns the hash of all sources; `None` in ledgers of an earlier version.
    pub fn sources(&self) -> Option<&str> {
        self.files
            .iter()
            .find(|file| file.file == SOURCES)
            .map(|file| file.sha256.as_str())
    }

    /// Returns `true` if this is another version of the bot with the same name: another program, or other files in its folder.
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

/// A program and the way to start it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The working folder.
    pub dir: PathBuf,
    /// The shell command that builds the program from the sources in its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// Extra environment variables.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Names of environment variables that are passed on from the arena. Their values are not stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pass_env: Vec<String>,
    /// Files and folders that the program may read in addition to its own folder.
    #[serde(default)]
    pub read: Vec<PathBuf>,
    /// The cores that the program may use.
    #[serde(default)]
    pub cores: Cores,
    /// True if the program may use the network during play.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// True if the program may ask for a pause, which voids its match and stops the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_pause: bool,
    /// A persistent folder that the program may write to, in addition to the folders of its processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<PathBuf>,
    /// True if the program may use the network while it is built.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub build_network: bool,
}

/// The build command of a class's bot that needs no build.
pub const NO_BUILD: &str = "true";

impl Program {
    /// Returns `true` if the program has to be built, rather than just copied.
    pub fn builds(&self) -> bool {
        self.build.as_deref().is_some_and(|build| build != NO_BUILD)
    }
}

/// The cores that a program may use while each worker is pinned to one core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cores {
    /// The core of the program's worker.
    #[default]
    One,
    /// All cores that the arena may use.
    All,
    /// No core of this machine: the program waits for a GPU or a server, and does not compete with other bots.
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
    /// Never. The process survives illegal and late actions; if it exits, the bot forfeits its remaining matches.
    Never,
}

/// A file that is part of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HashedFile {
    /// The path as named by the command.
    pub file: String,
    /// The SHA-256 of the contents, in hexadecimal.
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
