//! Captures a bot's standard error: the first error and the tail are kept as evidence; everything goes to a file or a terminal, under
//! headings that name the match and the turn.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use arena_sandbox::lock;
use tokio::net::unix::pipe::Receiver;
use tokio::process::ChildStderr;

use super::logs::{self, Destination, Logs};
use super::redactor::Redactor;
use super::status::coloured;
use arena_tournament::error_lines::{GAP, names_error};

/// Maximum size of the tail kept in memory.
const MAX_TAIL_BYTES: usize = 4_000;
/// Maximum size of the first error, if it lies before the tail.
const MAX_ERROR_BYTES: usize = 600;
/// Maximum size of the log of one process on disk.
const MAX_LOG_BYTES: usize = 1 << 20;
/// Maximum size of the logs of all processes of one bot on disk.
const MAX_BOT_LOG_BYTES: u64 = 16 << 20;
/// Size of the read buffer.
const CHUNK_BYTES: usize = 8_192;
/// Maximum number of reads before a turn is sent: together, the capacity of a pipe.
const MAX_CHUNKS: usize = 8;

/// ANSI code for bot output in a terminal.
const DIM: u8 = 2;

/// Log of one process's standard error.
#[derive(Clone, Debug)]
pub struct BotLog(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    tail: Vec<u8>,
    /// Number of bytes dropped before the tail, and whether the tail begins with a whole line.
    before: usize,
    begins_line: bool,
    /// First error that is no longer in the tail: its offset and its text.
    error: Option<(usize, Vec<u8>)>,
    sink: Sink,
    redactor: Redactor,
    /// Possible beginning of a secret value, held back from output.
    held: Vec<u8>,
    /// Current match and turn.
    place: Place,
    /// Read end of the pipe, until it is closed.
    pipe: Option<Arc<Receiver>>,
}

/// Match and turn in which something is written.
#[derive(Clone, Debug, Default, PartialEq)]
struct Place {
    seat: String,
    turn: Option<u32>,
}

#[derive(Debug, Default)]
enum Sink {
    #[default]
    Nothing,
    File(LogFile),
    Terminal {
        name: String,
        line: Vec<u8>,
    },
}

/// Log file of a bot, which other processes of the same bot append to.
#[derive(Debug)]
struct LogFile {
    file: File,
    /// Number of bytes this process may still write.
    left: usize,
    /// Length of the file after this process last wrote to it.
    end: u64,
    /// Match and turn of the last heading written.
    named: Place,
    /// Partial line, buffered so that lines of several processes do not interleave.
    begun: Vec<u8>,
}

impl BotLog {
    /// Starts to read the standard error of a process. All of it is read, so that the process never blocks on a full pipe.
    pub fn read(stderr: ChildStderr, bot: &str, logs: &Logs<'_>, redactor: Redactor) -> Self {
        let place = Place {
            seat: logs.seat.to_owned(),
            turn: None,
        };
        let pipe = stderr
            .into_owned_fd()
            .and_then(Receiver::from_owned_fd)
            .map(Arc::new)
            .ok();
        let sink = Sink::new(bot, logs.stderr);
        let state = State {
            sink,
            redactor,
            place,
            pipe: pipe.clone(),
            begins_line: true,
            ..State::default()
        };
        let log = Self(Arc::new(Mutex::new(state)));
        let reader = log.clone();
        tokio::spawn(async move {
            let mut buffer = vec![0; CHUNK_BYTES];
            while let Some(pipe) = &pipe
                && pipe.readable().await.is_ok()
            {
                match pipe.try_read(&mut buffer) {
                    Ok(count @ 1..) => lock(&reader.0).push(&buffer[..count]),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    _ => break,
                }
            }
            lock(&reader.0).finish();
        });
        log
    }

    /// Returns the kept part of the log, including unread output: a bot that has exited often says there why.
    pub fn text(&self) -> String {
        let mut state = lock(&self.0);
        state.read_now();
        state.text()
    }

    /// Assigns further output to this seat of a match, and to this turn, if any.
    pub fn enter(&self, seat: &str, turn: Option<u32>) {
        let mut state = lock(&self.0);
        // Read now: the runtime may report this output only together with the answer that came after it.
        let mut cx = Context::from_waker(Waker::noop());
        if state
            .pipe
            .as_ref()
            .is_some_and(|pipe| pipe.poll_read_ready(&mut cx).is_ready())
        {
            state.read_now();
        }
        state.finish();
        state.place.turn = turn;
        if state.place.seat != seat {
            seat.clone_into(&mut state.place.seat);
        }
    }
}

impl State {
    /// Reads all pending output.
    fn read_now(&mut self) {
        let mut buffer = [0; CHUNK_BYTES];
        for _ in 0..MAX_CHUNKS {
            let Some(pipe) = &self.pipe else { return };
            match nix::unistd::read(pipe, &mut buffer) {
                Ok(count @ 1..) => self.push(&buffer[..count]),
                // Nothing to read yet, or end of file.
                _ => return,
            }
        }
    }

    /// Flushes held-back text and the last partial line.
    fn finish(&mut self) {
        let held = self.redactor.end(&mut self.held);
        self.keep(&held);
        match &mut self.sink {
            Sink::Nothing => {}
            Sink::File(file) => file.finish(&self.place),
            Sink::Terminal { name, line } if !line.is_empty() => show(name, line, b"\n"),
            Sink::Terminal { .. } => {}
        }
    }

    /// Trims the tail to its maximum size, keeping the first error.
    fn cut(&mut self) {
        let over = self.tail.len().saturating_sub(MAX_TAIL_BYTES);
        if over == 0 {
            return;
        }
        if self.error.is_none() && self.before < MAX_LOG_BYTES {
            let mut start = 0;
            for line in self.tail.split_inclusive(|byte| *byte == b'\n') {
                let is_whole = start > 0 || self.begins_line;
                if start >= over || self.before + start >= MAX_LOG_BYTES {
                    break;
                }
                if is_whole && names_error(&String::from_utf8_lossy(line)) {
                    let text = &self.tail[start..self.tail.len().min(start + MAX_ERROR_BYTES)];
                    self.error = Some((self.before + start, text.to_vec()));
                    break;
                }
                start += line.len();
            }
        }
        self.begins_line = self.tail[over - 1] == b'\n';
        self.before += over;
        self.tail.drain(..over);
    }

    /// Returns the first error and the tail.
    fn text(&self) -> String {
        let tail = String::from_utf8_lossy(&self.tail);
        let Some((at, error)) = &self.error else {
            return tail.into_owned();
        };
        let apart = self.before - at;
        if apart <= error.len() {
            return String::from_utf8_lossy(&error[..apart]).into_owned() + &tail;
        }
        format!(
            "{}\n{GAP}\n{tail}",
            String::from_utf8_lossy(error).trim_end()
        )
    }

    fn push(&mut self, bytes: &[u8]) {
        let shown = self.redactor.stream(&mut self.held, bytes);
        self.keep(&shown);
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.tail.extend(bytes);
        self.cut();
        match &mut self.sink {
            Sink::Nothing => {}
            Sink::File(file) => file.write(bytes, &self.place),
            Sink::Terminal { name, line } => show(name, line, bytes),
        }
    }
}

impl Sink {
    fn new(bot: &str, to: Option<Destination<'_>>) -> Self {
        match to {
            None => Self::Nothing,
            Some(Destination::Terminal) => Self::Terminal {
                name: bot.to_owned(),
                line: Vec::new(),
            },
            Some(Destination::Folder(folder)) => {
                logs::open(logs::path(folder, bot, "log")).map_or(Self::Nothing, |file| {
                    let end = file.metadata().map_or(0, |about| about.len());
                    let left = MAX_LOG_BYTES.min(
                        usize::try_from(MAX_BOT_LOG_BYTES.saturating_sub(end))
                            .unwrap_or(MAX_LOG_BYTES),
                    );
                    Self::File(LogFile {
                        file,
                        left,
                        // This process has not written to it yet.
                        end: u64::MAX,
                        named: Place::default(),
                        begun: Vec::new(),
                    })
                })
            }
        }
    }
}

impl LogFile {
    /// Writes complete lines; very long ones are truncated.
    fn write(&mut self, bytes: &[u8], place: &Place) {
        self.begun.extend(bytes);
        let last = self.begun.iter().rposition(|byte| *byte == b'\n');
        let lines: Vec<u8> = self
            .begun
            .drain(..last.map_or(0, |last| last + 1))
            .collect();
        self.append(&lines, place);
        if self.begun.len() > CHUNK_BYTES {
            self.finish(place);
        }
    }

    /// Writes a partial line that will not be continued.
    fn finish(&mut self, place: &Place) {
        let mut begun = std::mem::take(&mut self.begun);
        if !begun.is_empty() {
            begun.push(b'\n');
        }
        self.append(&begun, place);
    }

    fn append(&mut self, bytes: &[u8], place: &Place) {
        if self.left == 0 || bytes.is_empty() {
            return;
        }
        let length = self.file.metadata().map_or(0, |about| about.len());
        let mut text = Vec::new();
        if self.named != *place || self.end != length {
            if length > 0 && self.end != length {
                // Another process may have stopped in the middle of a line.
                text.push(b'\n');
            }
            text.extend(place.to_string().into_bytes());
            self.named = place.clone();
        }
        text.extend(bytes);
        text.truncate(self.left);
        self.left -= text.len();
        self.end = length + text.len() as u64;
        // A failed write must not disturb the match.
        let _ = self.file.write_all(&text);
    }
}

/// Heading above the lines of a match or turn.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.seat.as_str(), self.turn) {
            ("", _) => writeln!(f, "--- start"),
            (seat, None) => writeln!(f, "--- {seat}"),
            (seat, Some(turn)) => writeln!(f, "--- {seat} turn {turn}"),
        }
    }
}

/// Prints complete lines.
fn show(name: &str, line: &mut Vec<u8>, bytes: &[u8]) {
    line.extend(bytes);
    let Some(last) = line.iter().rposition(|byte| *byte == b'\n') else {
        return;
    };
    let whole: Vec<u8> = line.drain(..=last).collect();
    for line in String::from_utf8_lossy(&whole).lines() {
        coloured(&format!("{name} | {line}"), DIM);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds a log in pieces of this size and returns the kept part.
    fn kept(log: &str, piece: usize) -> String {
        let mut state = State {
            begins_line: true,
            ..State::default()
        };
        log.as_bytes()
            .chunks(piece)
            .for_each(|bytes| state.keep(bytes));
        state.text()
    }

    #[test]
    fn the_first_error_is_kept_however_the_log_comes() {
        let flood = |count: usize| "goroutine 1 [running]\n".repeat(count);
        let error = "panic: no plan\n";
        for (before, after) in [
            (0, 0),
            (3, 30),
            (300, 170),
            (300, 200),
            (3, 3_000),
            (3_000, 500),
        ] {
            let log = flood(before) + error + &flood(after);
            let all = kept(&log, 1);
            assert!(
                all.contains(error) && all.len() <= MAX_TAIL_BYTES + MAX_ERROR_BYTES + 5,
                "{all}"
            );
            for piece in [7, 100, CHUNK_BYTES] {
                assert_eq!(kept(&log, piece), all);
            }
        }
        assert_eq!(kept(&flood(1_000), 100).len(), MAX_TAIL_BYTES);
    }
}
