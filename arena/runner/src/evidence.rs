//! Keeps the last lines in both directions, as evidence if the process fails.

use super::observer::{Observer, Passed};

/// Number of lines kept in each direction.
const MAX_LINES: usize = 3;
/// Maximum length of a kept line.
const MAX_LINE_BYTES: usize = 2_000;

/// Last lines in both directions.
#[derive(Debug, Default)]
pub struct Transcript {
    /// Lines sent to the bot.
    pub sent: LastLines,
    /// Lines received from the bot.
    pub received: LastLines,
}

impl Observer for Transcript {
    fn observe(&mut self, passed: Passed, line: &[u8]) {
        match passed {
            Passed::Sent => self.sent.push(line),
            Passed::Received => self.received.push(line),
            Passed::Dropped | Passed::Violated => {}
        }
    }
}

/// Last lines in one direction.
#[derive(Debug, Default)]
pub struct LastLines {
    kept: [Vec<u8>; MAX_LINES],
    /// Number of lines received so far, including those no longer kept.
    pub count: usize,
}

impl LastLines {
    fn push(&mut self, line: &[u8]) {
        let oldest = &mut self.kept[self.count % MAX_LINES];
        oldest.clear();
        oldest.extend_from_slice(&line[..MAX_LINE_BYTES.min(line.len())]);
        self.count += 1;
    }

    /// Returns the kept lines, oldest first.
    pub fn lines(&self) -> Vec<String> {
        let kept = self.count.saturating_sub(MAX_LINES)..self.count;
        kept.map(|line| text(&self.kept[line % MAX_LINES]))
            .collect()
    }
}

/// Returns the text without the rest of a character that was cut off.
fn text(bytes: &[u8]) -> String {
    bytes
        .utf8_chunks()
        .next()
        .map_or_else(String::new, |chunk| chunk.valid().to_owned())
}
