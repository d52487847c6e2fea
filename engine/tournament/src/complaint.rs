//! Errors in a tournament's description, each with a remedy.

/// One error in a description.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Complaint {
    /// The path of the key at fault, such as `deals`, `clock.move_ms`, `bots.2.name`, `challengers.0` or `rules.rounds`; empty if the error
    /// has no key.
    pub at: String,
    /// The error in one sentence, in lower case and without a full stop.
    pub what: String,
    /// The remedy; empty if it is obvious.
    pub help: String,
    /// A related key, and its relation to the error.
    pub also: Option<(String, String)>,
}

impl Complaint {
    /// Creates a complaint about a key, with its remedy.
    pub fn new(at: impl Into<String>, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            at: at.into(),
            what: what.into(),
            help: help.into(),
            also: None,
        }
    }

    /// Adds a related key.
    pub fn also(mut self, at: impl Into<String>, why: impl Into<String>) -> Self {
        self.also = Some((at.into(), why.into()));
        self
    }
}
