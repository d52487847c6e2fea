//! Failures of bots in detail: what happened, as a value, with the sentence for it.

use arena_engine::fault::{Cause, Fault};
use arena_engine::table::Json;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A bot's failure; shown as one sentence for its author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum BotFault {
    /// It did not answer a turn in time, and did this instead, if that is known.
    #[error("no answer in time{}", .0.map(|hint| format!(": {hint}")).unwrap_or_default())]
    Late(Option<Hint>),
    /// It was not ready in time after its start.
    #[error("did not send `ready` within {limit_ms} ms: {hint}")]
    NotReady {
        /// The limit, in milliseconds.
        limit_ms: u64,
        /// Its behaviour instead.
        hint: Hint,
    },
    /// It did not read its input.
    #[error("did not read its input for {limit_ms} ms")]
    NotReading {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// Its process ended.
    #[error(transparent)]
    Exited(ProcessEnd),
    /// It used more than it may, and was ended for that.
    #[error(transparent)]
    OverLimit(Excess),
    /// It closed its standard output.
    #[error("closed its standard output")]
    ClosedOutput,
    /// The system could not start its program.
    #[error("could not be started: {0}")]
    StartFailed(String),
    /// It ended in an earlier match, and is started only once.
    #[error("failed before and is not started again (restart = \"never\")")]
    NotRestarted,
    /// It forfeited earlier in the match, or is a person who left it.
    #[error("has left the match")]
    Left,
    /// It is withdrawn from the tournament.
    #[error("withdrawn from the tournament")]
    Withdrawn,
    /// A bot in the arena's own process panicked.
    #[error("{0}")]
    Panicked(String),
    /// The rules forbid its action, for this reason.
    #[error("{0}")]
    Illegal(String),
    /// It broke the protocol.
    #[error(transparent)]
    Protocol(Box<Violation>),
}

/// A bot's behaviour instead of answering in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// Nothing that the arena could see.
    #[error("no output was received (flush stdout after each answer)")]
    Nothing,
    /// It computed for most of the time.
    #[error("it was computing")]
    Computing,
    /// It wrote something that has no newline at its end.
    #[error("its output does not end with a newline")]
    NoNewline,
    /// It wrote blank lines.
    #[error("it sent blank lines")]
    BlankLines,
    /// It wrote answers with other ids than that of the turn.
    #[error("it sent the id of another turn")]
    EarlierTurns,
    /// It answered after the limit.
    #[error("it answered after {after_ms} ms")]
    AnsweredLate {
        /// From the turn to the answer, in milliseconds.
        after_ms: u64,
    },
    /// It answered as soon as its input was closed.
    #[error("it answered only after its input was closed")]
    AnsweredAtEnd,
    /// It answered turns of the match before, in time or too late.
    #[error("it answers, but not in time")]
    Slow,
}

/// The way in which a process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum ProcessEnd {
    /// With this code.
    #[error("exited with code {0}")]
    Code(i32),
    /// By the signal of this name, such as SEGV, or of this number if it has no name.
    #[error("was ended by signal {0}")]
    Signal(String),
    /// By the arena.
    #[error("was ended")]
    Stopped,
    /// Together with the process that watches it.
    #[error("was killed together with its supervisor, from outside or by the bot")]
    Lost,
    /// In a way that the system does not tell.
    #[default]
    #[error("ended")]
    Unknown,
}

/// A limit that a bot broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Excess {
    /// More memory than this many MiB.
    #[error("used more than {0} MiB of memory")]
    Memory(u64),
    /// More processes.
    #[error("started more than {0} processes")]
    Processes(u64),
    /// More threads.
    #[error("started more than {0} threads")]
    Threads(u64),
    /// More on disk than this many MiB.
    #[error("wrote more than {0} MiB to its temporary folders")]
    Disk(u64),
    /// A file of more than this many MiB.
    #[error("wrote a file of more than {0} MiB")]
    FileSize(u64),
    /// More files and folders.
    #[error("made more than {0} files in its temporary folders")]
    Files(u64),
}

/// Something sent by a bot that is not as the protocol has it. Lines are quoted in part, without control characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Violation {
    /// There is no newline within the limit.
    #[error("sent a line of more than {limit} bytes without a newline")]
    TooLong {
        /// The most bytes of a line, its newline included.
        limit: usize,
    },
    /// The bytes are not UTF-8.
    #[error("sent a line that is not UTF-8: {line}")]
    NotUtf8 {
        /// The line.
        line: String,
    },
    /// The line is not JSON.
    #[error("the line is not JSON: {error}{opening}: {line}")]
    NotJson {
        /// How it begins.
        opening: Opening,
        /// What is wrong with it.
        error: String,
        /// The line.
        line: String,
    },
    /// The line is JSON, but not an object.
    #[error("the line does not fit the protocol: a message is an object: {line}")]
    NotAnObject {
        /// The line.
        line: String,
    },
    /// The line is an object, but not the message that is expected.
    #[error("the line does not fit the protocol: {error}: {line}")]
    Unfit {
        /// What is missing or wrong.
        flaw: Flaw,
        /// The same in a sentence.
        error: String,
        /// The line.
        line: String,
    },
    /// It answers a turn that it was not sent. The ids are not kept: they differ from run to run.
    #[error("{}", wrong_id(*.awaited))]
    WrongId {
        /// True if a turn was to be answered.
        awaited: bool,
    },
    /// Its values are nested too deeply.
    #[error("sent a line that is nested more than {limit} levels deep: {line}")]
    TooDeep {
        /// The most levels.
        limit: usize,
        /// The line.
        line: String,
    },
    /// The bot speaks another version of the protocol.
    #[error("the bot speaks version {bot} of the protocol, and the arena version {arena}")]
    WrongVersion {
        /// The bot's version.
        bot: u32,
        /// The arena's version.
        arena: u32,
    },
    /// The bot does not play this game.
    #[error("does not list {0} among its games")]
    WrongGame(String),
}

/// The beginning of a line that is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    /// It begins as a message does.
    #[error("")]
    Brace,
    /// It begins with a byte order mark.
    #[error("; it begins with a byte order mark, write UTF-8 without one")]
    ByteOrderMark,
    /// It is some other text.
    #[error("; only messages go to stdout, print everything else to stderr")]
    Text,
}

/// The part of a message that is missing or wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// The first message is not `ready`, or not as it should be.
    Ready,
    /// An answer has neither id nor action.
    Everything,
    /// An answer has no id.
    NoId,
    /// The id of an answer is no number that can be one.
    Id,
    /// The action, or what else stands in the answer to an open turn.
    Action,
    /// A pause that the bot may not ask for.
    Pause,
}

impl BotFault {
    /// The kind of failure.
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
    /// Returns what is known of a fault: at least its kind.
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
