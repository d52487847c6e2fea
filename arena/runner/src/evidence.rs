//! What is kept of a process in case that it fails: the last lines in both directions.

use super::observer::{Observer, Passed};

/// The number of lines that are kept in each direction.
const LINES: usize = 3;
/// The part of a line that is kept, in bytes.
const LINE: usize = 2_000;

/// The last lines in both directions.
#[derive(Debug, Default)]
pub struct Transcript {
    /// The lines to the bot.
    pub sent: LastLines,
    /// The lines from the bot.
    pub received: LastLines,
}

impl Observer for Transcript {
    fn observe(&mut self, passed: Passed, line: &[u8]) {
        match passed {
            Passed::Sent => self.sent.push(line),
            Passed::Received => self.received.push(line),
            Passed::Dropped | Passed::Violated | Passed::Answered(_) => {}
        }
    }
}

/// The last lines of one direction.
#[derive(Debug, Default)]
pub struct LastLines {
    kept: [Vec<u8>; LINES],
    /// How many lines there were.
    pub count: usize,
}

impl LastLines {
    fn push(&mut self, line: &[u8]) {
        let oldest = &mut self.kept[self.count % LINES];
        oldest.clear();
        oldest.extend_from_slice(&line[..LINE.min(line.len())]);
        self.count += 1;
    }

    /// The lines, oldest first.
    pub fn lines(&self) -> Vec<String> {
        let kept = self.count.saturating_sub(LINES)..self.count;
        kept.map(|line| text(&self.kept[line % LINES])).collect()
    }
}

/// The text up to where a letter was cut in two.
fn text(bytes: &[u8]) -> String {
    bytes
        .utf8_chunks()
        .next()
        .map_or_else(String::new, |chunk| chunk.valid().to_owned())
}
