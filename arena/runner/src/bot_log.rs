//! Captures a bot's standard error. The first error and the tail of a match are kept as evidence; all of it also goes to a file or a
//! terminal.

use std::io;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use arena_sandbox::lock;
use tokio::net::unix::pipe::Receiver;
use tokio::process::ChildStderr;

use super::log_file::{LogFile, Place};
use super::logs::{self, Destination, Logs};
use super::redactor::Redactor;
use super::status::coloured;
use arena_tournament::error_lines::{left_out, names_error};

/// Maximum size of the tail kept in memory.
const MAX_TAIL_BYTES: usize = 4_000;
/// Maximum size of the first error, if it comes before the tail.
const MAX_ERROR_BYTES: usize = 600;
/// Number of bytes of a match that are searched for its first error.
const MAX_SEARCHED_BYTES: usize = 1 << 20;
/// Size of the read buffer.
const CHUNK_BYTES: usize = 8_192;
/// Maximum number of reads before a turn is sent. Together they cover the capacity of a pipe.
const MAX_CHUNKS: usize = 8;

/// ANSI code for bot output in a terminal.
const DIM: u8 = 2;

/// Log of one process's standard error.
#[derive(Clone, Debug)]
pub struct BotLog(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    tail: Vec<u8>,
    /// Number of bytes dropped before the tail, and `true` if the tail begins with a whole line.
    before: usize,
    begins_line: bool,
    /// Offset at which the current match begins; with several matches, the oldest of them.
    since: usize,
    /// Number of matches that have begun and are not over, and `true` if a match has begun at all.
    open: usize,
    has_begun: bool,
    /// First error of the match that is no longer in the tail: its offset and its text.
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
        let sink = Sink::new(bot, logs);
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
            lock(&reader.0).close();
        });
        log
    }

    /// Returns the kept part of the output since the current match began. Includes unread output, because a bot that has exited often says
    /// why there. If there is no output and the process `ended_before` the match, returns the earlier output.
    pub fn text(&self, ended_before: bool) -> String {
        let mut state = lock(&self.0);
        state.read_now();
        match state.text(state.since) {
            text if ended_before && text.trim().is_empty() => state.text(0),
            text => text,
        }
    }

    /// Assigns further output to this seat of a match that begins.
    pub fn begin(&self, seat: &str) {
        let mut state = lock(&self.0);
        state.pass(seat, None);
        if state.open == 0 && std::mem::replace(&mut state.has_begun, true) {
            (state.since, state.error) = (state.before + state.tail.len(), None);
        }
        state.open += 1;
    }

    /// Assigns further output to this seat of a match and this turn.
    pub fn enter(&self, seat: &str, turn: u32) {
        lock(&self.0).pass(seat, Some(turn));
    }

    /// Notes that a match is over. Further output belongs to it until the next one begins.
    pub fn end(&self, seat: &str) {
        let mut state = lock(&self.0);
        state.read_ready();
        state.finish();
        state.open = state.open.saturating_sub(1);
        if let Sink::File(file) = &mut state.sink {
            file.end_match(seat);
        }
    }

    /// Notes that the process has ended.
    pub fn close(&self) {
        let mut state = lock(&self.0);
        state.read_now();
        state.close();
    }
}

impl State {
    /// Assigns further output to another place.
    fn pass(&mut self, seat: &str, turn: Option<u32>) {
        // Read now: the runtime may report this output only together with the answer that follows.
        self.read_ready();
        self.finish();
        self.place.turn = turn;
        if self.place.seat != seat {
            seat.clone_into(&mut self.place.seat);
            if let Sink::File(file) = &mut self.sink {
                file.forget();
            }
        }
    }

    /// Reads pending output if the runtime knows of any.
    fn read_ready(&mut self) {
        let mut cx = Context::from_waker(Waker::noop());
        let pipe = self.pipe.as_ref();
        if pipe.is_some_and(|pipe| pipe.poll_read_ready(&mut cx).is_ready()) {
            self.read_now();
        }
    }

    /// Reads all pending output.
    fn read_now(&mut self) {
        let mut buffer = [0; CHUNK_BYTES];
        for _ in 0..MAX_CHUNKS {
            let Some(pipe) = &self.pipe else { return };
            match nix::unistd::read(pipe, &mut buffer) {
                Ok(count @ 1..) => self.push(&buffer[..count]),
                // Either no output is available yet, or the stream has ended.
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

    /// Writes everything that is held back.
    fn close(&mut self) {
        self.finish();
        if let Sink::File(file) = &mut self.sink {
            file.close();
        }
    }

    /// Trims the tail to its maximum size, keeping the first error.
    fn cut(&mut self) {
        let over = self.tail.len().saturating_sub(MAX_TAIL_BYTES);
        if over == 0 {
            return;
        }
        if self.error.is_none() && self.before < self.since + MAX_SEARCHED_BYTES {
            let mut start = 0;
            for line in self.tail.split_inclusive(|byte| *byte == b'\n') {
                let is_whole = start > 0 || self.begins_line;
                if start >= over || self.before + start >= self.since + MAX_SEARCHED_BYTES {
                    break;
                }
                let is_now = self.before + start >= self.since;
                if is_whole && is_now && names_error(&String::from_utf8_lossy(line)) {
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

    /// Returns the first error and the tail of the output since an offset, with marks where bytes are omitted.
    fn text(&self, since: usize) -> String {
        let mut from = since.saturating_sub(self.before);
        if since < self.before && !self.begins_line {
            let line = self.tail.iter().position(|byte| *byte == b'\n');
            // Begin with a complete line, unless the rest is a single long line.
            from = line.map_or(0, |end| (end + 1) % self.tail.len());
        }
        let start = self.before + from;
        let error = self
            .error
            .iter()
            .filter(|(at, _)| (since..start).contains(at));
        let error = error.map(|(at, text)| {
            let end = text.iter().rposition(|byte| *byte == b'\n');
            let whole = end.map_or(text.len(), |end| end + 1);
            let all = start - at <= text.len();
            (*at, &text[..if all { start - at } else { whole }])
        });
        let (mut text, mut shown) = (String::new(), since);
        for (at, part) in error.chain([(start, &self.tail[from..])]) {
            if at > shown {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                text += &(left_out((at - shown) as u64) + "\n");
            }
            text += &String::from_utf8_lossy(part);
            shown = at + part.len();
        }
        text
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
    fn new(bot: &str, logs: &Logs<'_>) -> Self {
        match logs.stderr {
            None => Self::Nothing,
            Some(Destination::Terminal) => Self::Terminal {
                name: bot.to_owned(),
                line: Vec::new(),
            },
            Some(Destination::Folder(folder)) => {
                LogFile::open(logs::path(folder, bot, "log"), logs.matches)
                    .map_or(Self::Nothing, Self::File)
            }
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

    fn empty() -> State {
        State {
            begins_line: true,
            ..State::default()
        }
    }

    /// Feeds a log in pieces of this size and returns the kept part.
    fn kept(log: &str, piece: usize) -> String {
        let mut state = empty();
        log.as_bytes()
            .chunks(piece)
            .for_each(|bytes| state.keep(bytes));
        state.text(0)
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
                all.contains(error) && all.len() <= MAX_TAIL_BYTES + MAX_ERROR_BYTES + 80,
                "{all}"
            );
            for piece in [7, 100, CHUNK_BYTES] {
                assert_eq!(kept(&log, piece), all);
            }
            // The log keeps only complete lines, and the marks state exactly what is missing.
            let (marks, lines): (Vec<_>, Vec<_>) =
                all.lines().partition(|line| line.starts_with('…'));
            let shown: usize = lines.iter().map(|line| line.len() + 1).sum();
            let missing = marks.iter().map(|mark| {
                let figure = mark.split(' ').nth(1).unwrap();
                figure.replace(',', "").parse::<usize>().unwrap()
            });
            assert_eq!(shown + missing.sum::<usize>(), log.len(), "{all}");
            assert!(
                lines.iter().all(|line| log.contains(&format!("{line}\n"))),
                "{all}"
            );
        }
        assert!(kept(&"x".repeat(9_000), 100).ends_with(&"x".repeat(MAX_TAIL_BYTES)));
        let long = "x".repeat(9_000) + "\n";
        assert!(kept(&long, 100).ends_with(&long[long.len() - MAX_TAIL_BYTES..]));
    }

    #[test]
    fn a_match_has_the_evidence_of_no_other() {
        let log = BotLog(Arc::new(Mutex::new(empty())));
        let write = |text: &str| lock(&log.0).push(text.as_bytes());
        write("loading\n");
        log.begin("match d1/a/b seat 0");
        write("Error: first\n");
        write(&"first\n".repeat(1_000));
        assert!(
            log.text(false)
                .starts_with("… 8 bytes left out …\nError: first\n")
        );
        log.end("match d1/a/b seat 0");
        write("after it\n");
        log.begin("match d2/a/b seat 0");
        assert_eq!(log.text(false), "");
        assert!(log.text(true).ends_with("first\nafter it\n"));
        write("second\n");
        assert_eq!([log.text(false), log.text(true)], ["second\n"; 2]);
        // A second match at the same time.
        log.begin("match d3/a/b seat 1");
        write("third\n");
        log.end("match d2/a/b seat 0");
        assert_eq!(log.text(false), "second\nthird\n");
    }
}
