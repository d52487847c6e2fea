//! Observers of the lines of a conversation.

/// An event in the passage of a line between the arena and a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// The line is about to be sent.
    Sent,
    /// The line has been received; its classification follows.
    Received,
    /// The last line received answers no open turn, and is dropped.
    Dropped,
    /// The last line received breaks the protocol, or is not an action of the game.
    Violated,
    /// The last line received answers the turn with this id.
    Answered(u64),
}

/// Observer of the lines between the arena and a process.
pub trait Observer {
    /// Called for each event of a line.
    fn observe(&mut self, passed: Passed, line: &[u8]);
}
