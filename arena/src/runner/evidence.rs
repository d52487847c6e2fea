//! What is kept of a process in case that it fails: the last lines in both directions, and the end of its log.

use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;

use super::observer::Observer;

/// The number of lines that are kept in each direction.
const LINES: usize = 3;
/// The part of a line that is kept, in bytes.
const LINE: usize = 2_000;
/// The part of the log that is kept in memory, in bytes.
const TAIL: usize = 4_000;
/// The part of the log that is kept on disk for each process, in bytes.
const LOG: usize = 1 << 20;
/// The part of the logs of all processes of a bot that is kept on disk, in bytes.
const LOGS: u64 = 16 << 20;

/// The last lines in both directions.
#[derive(Debug, Default)]
pub struct Transcript {
    /// The lines to the bot.
    pub sent: LastLines,
    /// The lines from the bot.
    pub received: LastLines,
}

impl Observer for Transcript {
    fn sent(&mut self, line: &[u8]) {
        self.sent.push(line);
    }

    fn received(&mut self, line: &[u8]) {
        self.received.push(line);
    }
}

/// The last lines of one direction.
#[derive(Debug, Default)]
pub struct LastLines {
    kept: [Vec<u8>; LINES],
    count: usize,
}

impl LastLines {
    fn push(&mut self, line: &[u8]) {
        let oldest = &mut self.kept[self.count % LINES];
        oldest.clear();
        oldest.extend_from_slice(&line[..LINE.min(line.len())]);
        self.count += 1;
    }

    /// How many lines there were.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The lines, oldest first.
    pub fn lines(&self) -> Vec<String> {
        let kept = self.count.saturating_sub(LINES)..self.count;
        kept.map(|line| text(&self.kept[line % LINES]).to_owned()).collect()
    }
}

/// The text up to where a letter was cut in two.
fn text(bytes: &[u8]) -> &str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(cut) => str::from_utf8(&bytes[..cut.valid_up_to()]).unwrap_or_default(),
    }
}

/// The end of what a process wrote to its standard error.
#[derive(Clone, Debug, Default)]
pub struct Tail(Arc<Mutex<Vec<u8>>>);

impl Tail {
    /// What is kept so far.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let over = kept.len().saturating_sub(TAIL);
        kept.drain(..over);
    }
}

/// Reads a process's standard error to its end, whatever it writes, and keeps a bounded part.
pub async fn drain(mut stderr: ChildStderr, tail: Tail, log: Option<File>) {
    let mut buffer = vec![0; 8_192];
    let mut log = log.map(|file| {
        let room = LOGS.saturating_sub(file.metadata().map_or(0, |about| about.len()));
        (file, LOG.min(usize::try_from(room).unwrap_or(LOG)))
    });
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        tail.push(&buffer[..count]);
        if let Some((file, left)) = &mut log {
            let kept = count.min(*left);
            *left -= kept;
            // A log that cannot be written must not disturb the match.
            let _ = file.write_all(&buffer[..kept]);
        }
    }
}
