//! Failures of bots, as a match and its record know them: a cause, and a sentence for the bot's author.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::json::Json;

/// The kind of a fault.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    Error,
)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// It did not answer in time.
    #[error("time")]
    Time,
    /// Its process ended, or it panicked.
    #[error("crash")]
    Crash,
    /// It answered with an action that the rules forbid.
    #[error("illegal")]
    Illegal,
    /// Its answer was not a message of the protocol.
    #[error("protocol")]
    Protocol,
    /// It was withdrawn from the tournament before the match.
    #[error("withdrawn")]
    Withdrawn,
}

/// A bot's failure; shown as its detail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Error)]
#[error("{detail}")]
pub struct Fault {
    /// The kind of failure.
    pub cause: Cause,
    /// A sentence for what happened.
    pub detail: String,
    /// Details for help texts, in the format of the code that found the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Json>,
}

impl Fault {
    /// A failure of which nothing more is known.
    pub fn new(cause: Cause, detail: impl Into<String>) -> Self {
        Self {
            cause,
            detail: detail.into(),
            known: None,
        }
    }

    /// The kind of failure.
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// An illegal action, for this reason.
    pub fn illegal(why: String) -> Self {
        Self::new(Cause::Illegal, why)
    }

    /// A player that is no longer there.
    pub fn left() -> Self {
        Self::new(Cause::Crash, "has left the match")
    }

    /// No answer in time.
    pub fn late() -> Self {
        Self::new(Cause::Time, "no answer in time")
    }
}

/// A fault as it is written for people and other programs: its kind and its sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FaultText {
    /// The kind of failure.
    pub cause: Cause,
    /// A sentence for what happened.
    pub detail: String,
}

impl From<&Fault> for FaultText {
    fn from(fault: &Fault) -> Self {
        Self {
            cause: fault.cause,
            detail: fault.detail.clone(),
        }
    }
}
