//! Those who watch the lines of a conversation.

/// Watches the lines between the arena and a process.
pub trait Observer {
    /// A line is about to be sent.
    fn sent(&mut self, _line: &[u8]) {}

    /// A line has been received.
    fn received(&mut self, _line: &[u8]) {}

    /// The line that was received last answers no open turn, and is dropped.
    fn dropped(&mut self, _line: &str) {}

    /// The line that was received last breaks the protocol.
    fn violated(&mut self, line: &str) {
        let _ = line;
    }

    /// The line that was received last answers the turn of this id.
    fn answered(&mut self, _id: u64, _line: &str) {}
}
