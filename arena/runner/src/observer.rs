//! Observers of the lines of a conversation, and of the turns of a match.

use arena_engine::table::Table;

use super::conversation::asking::Elapsed;
use super::turns::Response;

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
}

/// Observer of the lines between the arena and a process.
pub trait Observer {
    /// Called for each event of a line.
    fn observe(&mut self, passed: Passed, line: &[u8]);
}

/// A turn of a program, as shown to the observer of a match: before it is sent, and once it is answered.
pub struct ObservedTurn<'a> {
    /// The table, before it takes the answer.
    pub table: &'a dyn Table,
    /// Index of the reply in the match.
    pub turn: u32,
    /// Id of the turn on the wire.
    pub id: u64,
    /// The answer; `None` before the turn is sent.
    pub answer: Option<(&'a Response, Elapsed)>,
}
