//! What is wrong with a tournament's description, and what to do about it.

/// One thing that is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Complaint {
    /// The key that it is about, by its path: `deals`, `clock.move_ms`, `bots.2.name`, `challengers.0`, `rules.rounds`;
    /// empty if it is about no key.
    pub at: String,
    /// The sentence of what is wrong, in lower case and without a full stop.
    pub what: String,
    /// The remedy; empty if that is plain.
    pub help: String,
    /// Another key that has to do with it, and how.
    pub also: Option<(String, String)>,
}

impl Complaint {
    /// Something wrong with a key, and what to do.
    pub fn new(at: impl Into<String>, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            at: at.into(),
            what: what.into(),
            help: help.into(),
            also: None,
        }
    }

    /// Points at another key as well.
    pub fn also(mut self, at: impl Into<String>, why: impl Into<String>) -> Self {
        self.also = Some((at.into(), why.into()));
        self
    }
}
