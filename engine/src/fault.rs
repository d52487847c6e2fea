//! Bot failures as a match and its record store them: a cause, and a sentence for the bot's author.

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
    /// Its process exited, or it panicked.
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

/// A bot's failure; displayed as its detail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Error)]
#[error("{detail}")]
pub struct Fault {
    /// The kind of failure.
    pub cause: Cause,
    /// A sentence describing the failure.
    pub detail: String,
    /// Details for help texts, in the format of the crate that detected the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Json>,
}

impl Fault {
    /// Creates a fault without further details.
    pub fn new(cause: Cause, detail: impl Into<String>) -> Self {
        Self {
            cause,
            detail: detail.into(),
            known: None,
        }
    }

    /// Returns the kind of failure.
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// Creates the fault for an illegal action, with the reason.
    pub fn illegal(why: String) -> Self {
        Self::new(Cause::Illegal, why)
    }

    /// Creates the fault of a player who has left.
    pub fn left() -> Self {
        Self::new(Cause::Crash, "has left the match")
    }

    /// Creates the fault for a timeout.
    pub fn late() -> Self {
        Self::new(Cause::Time, "no answer in time")
    }
}

/// A fault as written for people and other programs: its kind and its sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FaultText {
    /// The kind of failure.
    pub cause: Cause,
    /// A sentence describing the failure.
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
