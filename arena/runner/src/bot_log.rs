//! The standard error of a bot. Its first error and its end are kept as evidence; all of it goes to a file or a terminal, below a line
//! that names the match and the turn in which it was written.

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

/// The part that is kept in memory, in bytes.
const TAIL: usize = 4_000;
/// The part of the first error that is kept where it lies before that, in bytes.
const ERROR: usize = 600;
/// The part that is kept on disk for each process, in bytes.
const LOG: usize = 1 << 20;
/// The part that is kept on disk of all processes of a bot, in bytes.
const LOGS: u64 = 16 << 20;
/// How much is read at once.
const CHUNK: usize = 8_192;
/// How often that is done at the most before a turn is sent: as much as a pipe holds.
const CHUNKS: usize = 8;

/// The code of a terminal for what a bot writes.
const DIM: u8 = 2;

/// The log of one process.
#[derive(Clone, Debug)]
pub struct BotLog(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    tail: Vec<u8>,
    /// Number of bytes dropped before the tail, and whether the tail begins with a whole line.
    before: usize,
    begins_line: bool,
    /// The first error, if it is not in the tail, and the bytes before it.
    error: Option<(usize, Vec<u8>)>,
    sink: Sink,
    redactor: Redactor,
    /// What may be the beginning of a value that is not to be shown.
    held: Vec<u8>,
    /// The match and the turn that are going on.
    place: Place,
    /// The pipe, until it is closed.
    pipe: Option<Arc<Receiver>>,
}

/// Where in a tournament something is written.
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

/// The file of a bot, to which other processes of it write too.
#[derive(Debug)]
struct LogFile {
    file: File,
    /// How much of this process is kept, in bytes.
    left: usize,
    /// The length of the file after what this process wrote last.
    end: u64,
    /// The place that is named above that.
    named: Place,
    /// A line that is not complete: it waits for its end, lest lines of other processes come into it.
    begun: Vec<u8>,
}

impl BotLog {
    /// Reads what a process writes from now on, whatever that is, so that it is never kept waiting.
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
            let mut buffer = vec![0; CHUNK];
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

    /// What is kept so far, with what has been written and not yet been read: a bot that has ended says there why.
    pub fn text(&self) -> String {
        let mut state = lock(&self.0);
        state.read_now();
        state.text()
    }

    /// What is written from now on belongs to this seat of a match, and to this turn if one begins.
    pub fn enter(&self, seat: &str, turn: Option<u32>) {
        let mut state = lock(&self.0);
        // The runtime learns of it together with the answer, before which it was written.
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
    /// Takes in what has been written before this moment.
    fn read_now(&mut self) {
        let mut buffer = [0; CHUNK];
        for _ in 0..CHUNKS {
            let Some(pipe) = &self.pipe else { return };
            match nix::unistd::read(pipe, &mut buffer) {
                Ok(count @ 1..) => self.push(&buffer[..count]),
                // There is nothing yet, or nothing any more.
                _ => return,
            }
        }
    }

    /// What was begun is complete.
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

    /// Drops what is too much of the end, but the first error.
    fn cut(&mut self) {
        let over = self.tail.len().saturating_sub(TAIL);
        if over == 0 {
            return;
        }
        if self.error.is_none() && self.before < LOG {
            let mut start = 0;
            for line in self.tail.split_inclusive(|byte| *byte == b'\n') {
                let is_whole = start > 0 || self.begins_line;
                if start >= over || self.before + start >= LOG {
                    break;
                }
                if is_whole && names_error(&String::from_utf8_lossy(line)) {
                    let text = &self.tail[start..self.tail.len().min(start + ERROR)];
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
                    let left = LOG.min(usize::try_from(LOGS.saturating_sub(end)).unwrap_or(LOG));
                    Self::File(LogFile {
                        file,
                        left,
                        // Nothing of this process is in it yet.
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
    /// Writes the lines that are complete. Very long ones are cut.
    fn write(&mut self, bytes: &[u8], place: &Place) {
        self.begun.extend(bytes);
        let last = self.begun.iter().rposition(|byte| *byte == b'\n');
        let lines: Vec<u8> = self
            .begun
            .drain(..last.map_or(0, |last| last + 1))
            .collect();
        self.append(&lines, place);
        if self.begun.len() > CHUNK {
            self.finish(place);
        }
    }

    /// Writes what was begun as a line, since nothing more belongs to it.
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
        // A log that cannot be written must not disturb the match.
        let _ = self.file.write_all(&text);
    }
}

/// The line that stands above what a bot writes there.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.seat.as_str(), self.turn) {
            ("", _) => writeln!(f, "--- start"),
            (seat, None) => writeln!(f, "--- {seat}"),
            (seat, Some(turn)) => writeln!(f, "--- {seat} turn {turn}"),
        }
    }
}

/// Prints the lines that are complete.
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

    /// Feeds a log in pieces of this size and returns what is kept.
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
                all.contains(error) && all.len() <= TAIL + ERROR + 5,
                "{all}"
            );
            for piece in [7, 100, CHUNK] {
                assert_eq!(kept(&log, piece), all);
            }
        }
        assert_eq!(kept(&flood(1_000), 100).len(), TAIL);
    }
}
