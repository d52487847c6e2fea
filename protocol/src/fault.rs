//! Detailed failures of bots as typed values, each with the sentence shown to the bot's author.

use arena_engine::fault::{Cause, Fault};
use arena_engine::table::Json;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A failure of a bot. Its `Display` is one sentence for the bot's author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum BotFault {
    /// The bot did not answer a turn in time. The hint tells what it did instead, if known.
    #[error("no answer in time{}", .0.map(|hint| format!(": {hint}")).unwrap_or_default())]
    Late(Option<Hint>),
    /// The bot was not ready within the start-up limit.
    #[error("did not send `ready` within {limit_ms} ms: {hint}")]
    NotReady {
        /// The limit, in milliseconds.
        limit_ms: u64,
        /// The observed behaviour of the bot during that time.
        hint: Hint,
    },
    /// The bot did not read its input within the limit.
    #[error("did not read its input for {limit_ms} ms")]
    NotReading {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// The bot's process ended.
    #[error(transparent)]
    Exited(ProcessEnd),
    /// The bot exceeded a resource limit and was stopped.
    #[error(transparent)]
    OverLimit(Excess),
    /// The bot closed its standard output.
    #[error("closed its standard output")]
    ClosedOutput,
    /// The operating system could not start the bot's program.
    #[error("could not be started: {0}")]
    StartFailed(String),
    /// The bot exited in an earlier match, and its `restart` policy is `never`.
    #[error("failed before and is not started again (restart = \"never\")")]
    NotRestarted,
    /// The bot forfeited earlier in the match, or the player is a person who left.
    #[error("has left the match")]
    Left,
    /// The bot was withdrawn from the tournament.
    #[error("withdrawn from the tournament")]
    Withdrawn,
    /// A bot in the arena's own process panicked.
    #[error("{0}")]
    Panicked(String),
    /// The bot's action is illegal, for this reason.
    #[error("{0}")]
    Illegal(String),
    /// The bot broke the protocol.
    #[error(transparent)]
    Protocol(Box<Violation>),
}

/// The observed behaviour of a bot that did not answer in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// The bot did nothing that the arena can observe.
    #[error("no output was received (flush stdout after each answer)")]
    Nothing,
    /// The bot spent most of the time computing.
    #[error("it was computing")]
    Computing,
    /// The bot's output does not end with a newline.
    #[error("its output does not end with a newline")]
    NoNewline,
    /// The bot wrote blank lines.
    #[error("it sent blank lines")]
    BlankLines,
    /// The bot's answers had other ids than that of the turn.
    #[error("it sent the id of another turn")]
    EarlierTurns,
    /// The bot answered after the deadline.
    #[error("it answered after {after_ms} ms")]
    AnsweredLate {
        /// Time from the turn to the answer, in milliseconds.
        after_ms: u64,
    },
    /// The bot answered only when its input was closed.
    #[error("it answered only after its input was closed")]
    AnsweredAtEnd,
    /// The bot answered turns of the previous match, in time or late.
    #[error("it answers, but not in time")]
    Slow,
}

/// The end of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum ProcessEnd {
    /// Exited with this code.
    #[error("exited with code {0}")]
    Code(i32),
    /// Killed by this signal: its name, such as SEGV, or its number if it has no name.
    #[error("was ended by signal {0}")]
    Signal(String),
    /// Stopped by the arena.
    #[error("was ended")]
    Stopped,
    /// Killed together with its supervisor.
    #[error("was killed together with its supervisor, from outside or by the bot")]
    Lost,
    /// Ended for a reason that the operating system did not report.
    #[default]
    #[error("ended")]
    Unknown,
}

/// A resource limit that a bot exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Excess {
    /// Memory limit, in MiB.
    #[error("used more than {0} MiB of memory")]
    Memory(u64),
    /// Maximum number of processes.
    #[error("started more than {0} processes")]
    Processes(u64),
    /// Maximum number of threads.
    #[error("started more than {0} threads")]
    Threads(u64),
    /// Disk space limit, in MiB.
    #[error("wrote more than {0} MiB to its temporary folders")]
    Disk(u64),
    /// File size limit, in MiB.
    #[error("wrote a file of more than {0} MiB")]
    FileSize(u64),
    /// Maximum number of files and folders.
    #[error("made more than {0} files in its temporary folders")]
    Files(u64),
}

/// A breach of the protocol. Quoted lines are truncated and free of control characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Violation {
    /// The line exceeds the length limit without a newline.
    #[error("sent a line of more than {limit} bytes without a newline")]
    TooLong {
        /// Maximum length of a line in bytes, newline included.
        limit: usize,
    },
    /// The bytes are not UTF-8.
    #[error("sent a line that is not UTF-8: {line}")]
    NotUtf8 {
        /// The line that broke the protocol, shortened.
        line: String,
    },
    /// The line is not JSON.
    #[error("the line is not JSON: {error}{opening}: {line}")]
    NotJson {
        /// The beginning of the line.
        opening: Opening,
        /// The JSON parser's complaint.
        error: String,
        /// The line that broke the protocol, shortened.
        line: String,
    },
    /// The line is JSON, but not an object.
    #[error("the line does not fit the protocol: a message is an object: {line}")]
    NotAnObject {
        /// The line that broke the protocol, shortened.
        line: String,
    },
    /// The line is an object, but not the expected message.
    #[error("the line does not fit the protocol: {error}: {line}")]
    Unfit {
        /// The missing or invalid part.
        flaw: Flaw,
        /// The problem in a sentence.
        error: String,
        /// The line that broke the protocol, shortened.
        line: String,
    },
    /// The id does not belong to any turn sent to this bot. The id itself is not stored, because ids differ from run to run.
    #[error("{}", wrong_id(*.awaited))]
    WrongId {
        /// True if a turn was awaiting an answer.
        awaited: bool,
    },
    /// The line is nested too deeply.
    #[error("sent a line that is nested more than {limit} levels deep: {line}")]
    TooDeep {
        /// Maximum number of nesting levels.
        limit: usize,
        /// The line that broke the protocol, shortened.
        line: String,
    },
    /// The bot speaks a different version of the protocol.
    #[error("the bot speaks version {bot} of the protocol, and the arena version {arena}")]
    WrongVersion {
        /// The bot's version.
        bot: u32,
        /// The arena's version.
        arena: u32,
    },
    /// The bot does not play the game with this name.
    #[error("does not list {0} among its games")]
    WrongGame(String),
}

/// The beginning of a line that is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    /// The line begins like a message.
    #[error("")]
    Brace,
    /// The line begins with a byte order mark.
    #[error("; it begins with a byte order mark, write UTF-8 without one")]
    ByteOrderMark,
    /// The line is some other text.
    #[error("; only messages go to stdout, print everything else to stderr")]
    Text,
}

/// The part of a message that is missing or invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// The first message is missing or malformed.
    Ready,
    /// An answer has neither id nor action.
    Everything,
    /// An answer has no id.
    NoId,
    /// The id of an answer is not a valid id.
    Id,
    /// The action, or another part of an answer to an open turn, is invalid.
    Action,
    /// The bot requested a pause, but may not pause.
    Pause,
}

impl BotFault {
    /// Returns the kind of the failure.
    pub fn cause(&self) -> Cause {
        match self {
            Self::Late(_) | Self::NotReady { .. } | Self::NotReading { .. } => Cause::Time,
            Self::Exited(_)
            | Self::OverLimit(_)
            | Self::ClosedOutput
            | Self::StartFailed(_)
            | Self::NotRestarted
            | Self::Left
            | Self::Panicked(_) => Cause::Crash,
            Self::Withdrawn => Cause::Withdrawn,
            Self::Illegal(_) => Cause::Illegal,
            Self::Protocol(_) => Cause::Protocol,
        }
    }
}

impl From<Violation> for BotFault {
    fn from(violation: Violation) -> Self {
        Self::Protocol(Box::new(violation))
    }
}

impl From<&BotFault> for Fault {
    fn from(fault: &BotFault) -> Self {
        Self {
            cause: fault.cause(),
            detail: fault.to_string(),
            known: Some(Json::new(fault)),
        }
    }
}

impl From<BotFault> for Fault {
    fn from(fault: BotFault) -> Self {
        (&fault).into()
    }
}

impl From<&Fault> for BotFault {
    /// Keeps all details of the fault; if it has none, only its kind.
    fn from(fault: &Fault) -> Self {
        let known = fault.known.as_ref().and_then(|known| known.read().ok());
        known.unwrap_or_else(|| match fault.cause {
            Cause::Time => Self::Late(None),
            Cause::Illegal | Cause::Protocol => Self::Illegal(fault.detail.clone()),
            Cause::Withdrawn => Self::Withdrawn,
            Cause::Crash => Self::Panicked(fault.detail.clone()),
        })
    }
}

fn wrong_id(awaited: bool) -> &'static str {
    if awaited {
        "the id of the answer is not that of an open turn"
    } else {
        "sent an answer while no turn was open"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_take_no_more_room_than_a_sentence() {
        assert!(size_of::<BotFault>() <= 32, "{}", size_of::<BotFault>());
    }

    #[test]
    fn faults_are_short_in_json() {
        let json = |fault: BotFault| serde_json::to_string(&fault).unwrap();
        assert_eq!(
            json(BotFault::Late(Some(Hint::Computing))),
            r#"{"late":"computing"}"#
        );
        assert_eq!(
            json(BotFault::Exited(ProcessEnd::Code(3))),
            r#"{"exited":{"code":3}}"#
        );
        assert_eq!(
            json(Violation::TooLong { limit: 8 }.into()),
            r#"{"protocol":{"too_long":{"limit":8}}}"#
        );
    }
}
