//! Who takes part in a tournament: a name, and what plays under it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use arena_engine::shown;
use serde::{Deserialize, Serialize};

use crate::clock::TimeControl;

/// A participant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// The name in this tournament; no other has the same.
    pub name: String,
    /// The bot that plays.
    pub bot: Bot,
    /// When the program is restarted.
    #[serde(default)]
    pub restart: Restart,
    /// Its clock, where that is another than the tournament's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// The first round in which it may be drawn, counted from 1; for formats that take newcomers.
    #[serde(default = "first_round")]
    pub joined: u32,
    /// The number of rounds that had begun when it was withdrawn: it is drawn in no later one, and forfeits what is planned without draws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<u32>,
    /// The files that the command names, and all that it plays from as one, as they were when the bot entered.
    #[serde(default)]
    pub files: Vec<HashedFile>,
    /// Why a newer version of it did not enter, if one was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// What stands in the place of a file's name for all files that a bot plays from, or is built from.
pub const SOURCES: &str = "sources";

fn first_round() -> u32 {
    1
}

impl Entrant {
    /// An entrant that is as others are in all but its name and what plays.
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

    /// The files that make it another bot when they change: all that it is built from, or else those that its command names, since what
    /// lies beside them may be another's.
    pub fn own_files(&self) -> impl Iterator<Item = &HashedFile> {
        let is_built = self
            .program()
            .is_some_and(|program| program.build.is_some());
        self.files
            .iter()
            .filter(move |file| is_built || file.file != SOURCES)
    }

    /// The hash of all files that it plays from; none in a ledger of an earlier version.
    pub fn sources(&self) -> Option<&str> {
        self.files
            .iter()
            .find(|file| file.file == SOURCES)
            .map(|file| file.sha256.as_str())
    }

    /// The program that plays, if it is neither a bot that is built in nor a person.
    pub fn program(&self) -> Option<&Program> {
        if let Bot::Program(program) = &self.bot {
            Some(program)
        } else {
            None
        }
    }

    /// True if a program plays.
    pub fn is_program(&self) -> bool {
        self.program().is_some()
    }

    /// True if a person plays.
    pub fn is_person(&self) -> bool {
        matches!(self.bot, Bot::Person)
    }
}

/// The player of an entrant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bot {
    /// A bot that is built in, by its name.
    Builtin(String),
    /// A program.
    Program(Program),
    /// A person, in single matches only: tournaments are between bots.
    Person,
}

/// A program, and how it is started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder in which it runs.
    pub dir: PathBuf,
    /// The shell command that builds it from its sources, the files in its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// The variables that are added to its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The names of variables that it is passed from the arena's environment. Their values are not stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pass_env: Vec<String>,
    /// The files and folders that it may read beside its own folder.
    #[serde(default)]
    pub read: Vec<PathBuf>,
    /// On which cores it may compute.
    #[serde(default)]
    pub cores: Cores,
    /// True if it may use the network in play.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// True if it may ask for a pause, which makes its match void and stops the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_pause: bool,
    /// The folder that it may write to and that stays, beside those of its processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<PathBuf>,
    /// True if it may use the network while it is built.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub build_network: bool,
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
    /// It needs none of this machine's, since it waits for a graphics processor or a server: it takes no other bot's place.
    None,
}

/// When a bot's process is restarted.
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
