//! Observers of the lines of a conversation.

/// What happens to a line between the arena and a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// It is about to be sent.
    Sent,
    /// It has been received; what comes of it follows.
    Received,
    /// The line received last answers no open turn, and is dropped.
    Dropped,
    /// The line received last breaks the protocol, or holds no action of the game.
    Violated,
    /// The line received last answers the turn of this id.
    Answered(u64),
}

/// Observes the lines between the arena and a process.
pub trait Observer {
    /// A line passes.
    fn observe(&mut self, passed: Passed, line: &[u8]);
}
