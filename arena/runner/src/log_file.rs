//! Log file of a bot. Its processes append the beginning and the end of their output in each match, under headings that name the match and
//! the turn.

use std::fs::File;
use std::io::Write;
use std::mem;
use std::path::PathBuf;
use std::sync::Mutex;

use arena_sandbox::lock;
use arena_tournament::error_lines::left_out;

use super::logs::{self, HEADING, MAX_BYTES};

/// Maximum part of a bot's log for one match.
const MAX_SHARE_BYTES: u64 = 1 << 20;
const MIN_SHARE_BYTES: u64 = 1 << 10;
/// Maximum size of the end of a match's output, which is held in memory until the match is over.
const MAX_END_BYTES: usize = 64 << 10;
/// Maximum length of a line; longer ones are split.
const MAX_LINE_BYTES: usize = 8 << 10;

/// Lock that is held while a process compares the length of its file and appends to it, so that it notices lines of other processes.
static APPENDING: Mutex<()> = Mutex::new(());

/// The match and the turn to which output belongs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// Match and seat; empty before a match.
    pub seat: String,
    /// The turn, if one has begun.
    pub turn: Option<u32>,
}

/// The log file of a bot. Other processes of the same bot append to the same file.
#[derive(Debug)]
pub struct LogFile {
    file: File,
    /// Number of matches that share the file.
    matches: u64,
    /// Length of the file after this process last wrote to it.
    end: u64,
    /// The match and the turn of the last heading written.
    named: Place,
    /// Partial line, buffered so that lines of several processes do not interleave.
    begun: Vec<u8>,
    /// The shares of the matches in which the process has written output.
    shares: Vec<Share>,
}

/// The kept part of the output of a process in one match.
#[derive(Debug, Default)]
struct Share {
    seat: String,
    is_over: bool,
    /// True if no output is kept because the file is full.
    is_refused: bool,
    /// Number of bytes that may still be written immediately. 0 once a line did not fit.
    start: usize,
    /// Maximum size of the held end.
    max_end: usize,
    /// Last lines, not yet written.
    end: Vec<u8>,
    /// The turn of each held line, with the line's offset in `end`.
    turns: Vec<(usize, Option<u32>)>,
    /// Number of bytes omitted before the end, and the turn of the first omitted line.
    left_out: u64,
    cut_in: Option<u32>,
}

impl LogFile {
    /// Opens the log of a bot, which this many matches share.
    pub fn open(path: PathBuf, matches: u64) -> Option<Self> {
        Some(Self {
            file: logs::open(path)?,
            matches: matches.max(1),
            // The real length always differs from this one, because this process has not written to the file yet.
            end: u64::MAX,
            named: Place::default(),
            begun: Vec::new(),
            shares: Vec::new(),
        })
    }

    /// Writes complete lines; very long ones are split.
    pub fn write(&mut self, bytes: &[u8], place: &Place) {
        self.begun.extend(bytes);
        let at = self.share(place);
        let longest = MAX_LINE_BYTES.min(self.shares[at].max_end / 2);
        let begun = mem::take(&mut self.begun);
        let (mut lines, mut rest) = (Vec::new(), &*begun);
        while let Some(length) = line_length(rest, longest) {
            let (line, after) = rest.split_at(length);
            lines.push(line);
            rest = after;
        }
        self.take(at, &lines, place);
        self.begun = rest.to_vec();
    }

    /// Writes a partial line whose rest will not come.
    pub fn finish(&mut self, place: &Place) {
        let begun = mem::take(&mut self.begun);
        if !begun.is_empty() {
            let at = self.share(place);
            self.take(at, &[&begun], place);
        }
    }

    /// Writes the end of a match that is over. More output of the match may follow until `forget` is called.
    pub fn end_match(&mut self, seat: &str) {
        if let Some(at) = self.shares.iter().position(|share| share.seat == seat) {
            self.shares[at].is_over = true;
            self.flush(at);
        }
    }

    /// Forgets matches that are over.
    pub fn forget(&mut self) {
        for at in 0..self.shares.len() {
            if self.shares[at].is_over {
                self.flush(at);
            }
        }
        self.shares.retain(|share| !share.is_over);
    }

    /// Writes the ends of all matches.
    pub fn close(&mut self) {
        (0..self.shares.len()).for_each(|at| self.flush(at));
    }

    /// Returns the index of the share of a match, adding it if it is new.
    fn share(&mut self, place: &Place) -> usize {
        let known = self
            .shares
            .iter()
            .position(|share| share.seat == place.seat);
        known.unwrap_or_else(|| {
            let left = MAX_BYTES.saturating_sub(self.length());
            let size = (left / self.matches).clamp(MIN_SHARE_BYTES, MAX_SHARE_BYTES) as usize;
            let max_end = MAX_END_BYTES.min(size / 2);
            self.shares.push(Share {
                seat: place.seat.clone(),
                start: size - max_end,
                max_end,
                is_refused: left == 0,
                ..Share::default()
            });
            self.shares.len() - 1
        })
    }

    /// Writes the lines that fit into the beginning of a match, and holds back the others.
    fn take(&mut self, at: usize, lines: &[&[u8]], place: &Place) {
        let share = &mut self.shares[at];
        if share.is_refused {
            return;
        }
        let mut now = Vec::new();
        for line in lines {
            let mut line = [marked(line), line].concat();
            if line.last() != Some(&b'\n') {
                line.push(b'\n');
            }
            if now.len() + line.len() <= share.start {
                now.extend(line);
            } else {
                share.start = now.len();
                share.hold(&line, place.turn);
            }
        }
        if !now.is_empty() {
            let written = self.append(&place.seat, &[(place.turn, &now)]);
            let share = &mut self.shares[at];
            share.start = share.start.saturating_sub(written);
        }
    }

    /// Writes the end of a match, below a line that states how much was omitted.
    fn flush(&mut self, at: usize) {
        let share = &mut self.shares[at];
        share.trim();
        let (seat, end) = (share.seat.clone(), mem::take(&mut share.end));
        let turns = mem::take(&mut share.turns);
        let mark = match mem::take(&mut share.left_out) {
            0 => String::new(),
            bytes => left_out(bytes) + "\n",
        };
        let cut_in = share.cut_in;
        let mut pieces = vec![(cut_in, mark.as_bytes())];
        let mut until = end.len();
        for (from, turn) in turns.into_iter().rev() {
            pieces.insert(1, (turn, &end[from..until]));
            until = from;
        }
        self.append(&seat, &pieces);
    }

    /// Appends lines of a match by turn, with headings, and returns the number of bytes written.
    fn append(&mut self, seat: &str, pieces: &[(Option<u32>, &[u8])]) -> usize {
        if pieces.iter().all(|(_, lines)| lines.is_empty()) {
            return 0;
        }
        let _appending = lock(&APPENDING);
        let length = self.length();
        let mut text = Vec::new();
        if self.end == u64::MAX && length > 0 {
            // An earlier run may have been killed in the middle of a line.
            text.push(b'\n');
        }
        for (turn, lines) in pieces.iter().filter(|(_, lines)| !lines.is_empty()) {
            let place = Place {
                seat: seat.to_owned(),
                turn: *turn,
            };
            if self.end != length || self.named != place {
                text.extend(place.to_string().into_bytes());
                self.named = place;
                self.end = length;
            }
            text.extend(*lines);
        }
        let end = length + text.len() as u64;
        if length < MAX_BYTES && end >= MAX_BYTES {
            text.extend(format!("{HEADING}full: later matches are not kept\n").into_bytes());
            self.named = Place::default();
        }
        self.end = length + text.len() as u64;
        // A failed write must not disturb the match.
        let _ = self.file.write_all(&text);
        text.len()
    }

    fn length(&self) -> u64 {
        self.file.metadata().map_or(0, |about| about.len())
    }
}

impl Drop for LogFile {
    fn drop(&mut self) {
        self.close();
    }
}

impl Share {
    /// Holds a line back as part of the end.
    fn hold(&mut self, line: &[u8], turn: Option<u32>) {
        if self.turns.last().is_none_or(|(_, last)| *last != turn) {
            self.turns.push((self.end.len(), turn));
        }
        self.end.extend(line);
        if self.size(0, 0) > 2 * self.max_end {
            self.trim();
        }
    }

    /// Leaves out the first lines of the end until it fits, but never the last line.
    fn trim(&mut self) {
        let (mut from, mut turn) = (0, 0);
        while self.size(from, turn) > self.max_end {
            let line = line_length(&self.end[from..], usize::MAX).unwrap_or(0);
            if from + line >= self.end.len() {
                break;
            }
            from += line;
            while self
                .turns
                .get(turn + 1)
                .is_some_and(|(next, _)| *next <= from)
            {
                turn += 1;
            }
        }
        if from == 0 {
            return;
        }
        if self.left_out == 0 {
            self.cut_in = self.turns[0].1;
        }
        self.left_out += from as u64;
        self.end.drain(..from);
        self.turns.drain(..turn);
        for (at, _) in &mut self.turns {
            *at = at.saturating_sub(from);
        }
    }

    /// Returns the size of the end from this offset and turn on, with headings.
    fn size(&self, from: usize, turn: usize) -> usize {
        let heading = HEADING.len() + self.seat.len() + " turn 1000\n".len();
        self.end.len() - from + (self.turns.len() - turn) * heading
    }
}

/// Heading above the lines of a match or turn.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.seat.as_str(), self.turn) {
            ("", _) => writeln!(f, "{HEADING}start"),
            (seat, None) => writeln!(f, "{HEADING}{seat}"),
            (seat, Some(turn)) => writeln!(f, "{HEADING}{seat} turn {turn}"),
        }
    }
}

/// Returns a prefix for a line of a bot that would look like a heading.
fn marked(line: &[u8]) -> &'static [u8] {
    if line.starts_with(HEADING.as_bytes()) {
        b" "
    } else {
        b""
    }
}

/// Returns the length of the first line with its newline, or of the first piece of a longer line; `None` if the line is incomplete.
fn line_length(text: &[u8], longest: usize) -> Option<usize> {
    let piece = &text[..longest.min(text.len())];
    match piece.iter().position(|byte| *byte == b'\n') {
        Some(at) => Some(at + 1),
        None if piece.len() < text.len() => {
            // Do not split a character.
            let is_first = |at: &usize| text[*at] & 0xC0 != 0x80;
            Some((1..=longest).rev().find(is_first).unwrap_or(longest))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a log that this many matches share.
    fn new(name: &str, matches: u64) -> (PathBuf, LogFile) {
        let name = format!("arena-log-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let file = LogFile::open(path.clone(), matches).unwrap();
        (path, file)
    }

    fn read(path: PathBuf) -> String {
        let text = std::fs::read(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        String::from_utf8(text).unwrap()
    }

    const LINES_PER_TURN: usize = 10;

    fn line_of(number: u64, line: usize) -> String {
        format!(
            "line {line} {} of {number}\n",
            "x".repeat((line % 300).min(230))
        )
    }

    /// Plays matches in each of which a bot writes numbered lines, and returns the log.
    fn log(path: PathBuf, mut file: LogFile, played: u64, turns: usize) -> String {
        for number in 0..played {
            file.forget();
            let seat = format!("match d{number}/a/b seat 0");
            for turn in 0..turns {
                let text: String = (0..LINES_PER_TURN)
                    .map(|line| line_of(number, turn * LINES_PER_TURN + line))
                    .collect();
                let turn = Some(turn as u32);
                file.write(
                    text.as_bytes(),
                    &Place {
                        seat: seat.clone(),
                        turn,
                    },
                );
            }
            file.end_match(&seat);
        }
        drop(file);
        read(path)
    }

    #[test]
    fn each_match_keeps_its_start_and_its_end() {
        for (matches, played, turns) in [(20, 40, 600), (20_000, 30, 30), (1, 1, 900), (9, 9, 3)] {
            let (path, file) = new("kept", matches);
            let text = log(path, file, played, turns);
            assert!(text.len() as u64 <= MAX_BYTES);
            let lines = turns * LINES_PER_TURN;
            for number in 0..played {
                let of_match = logs::below(&text, &format!("match d{number}/a/b seat 0"));
                let (mut written, mut marks) = (Vec::new(), Vec::new());
                let mut turn = None;
                for line in &of_match {
                    if let Some(rest) = line.strip_prefix("line ") {
                        let line: usize = rest.split(' ').next().unwrap().parse().unwrap();
                        assert_eq!(
                            rest.to_owned() + "\n",
                            line_of(number, line)["line ".len()..]
                        );
                        assert_eq!(Some((line / LINES_PER_TURN) as u32), turn);
                        written.push(line);
                    } else if line.starts_with('…') {
                        marks.push(line);
                    } else {
                        turn = logs::turn(line);
                    }
                }
                assert_eq!((written[0], *written.last().unwrap()), (0, lines - 1));
                let size = |lines: &mut dyn Iterator<Item = usize>| -> usize {
                    lines.map(|line| line_of(number, line).len()).sum()
                };
                let missing = size(&mut (0..lines)) - size(&mut written.iter().copied());
                let expected = (missing > 0).then(|| left_out(missing as u64));
                assert_eq!(marks, expected.iter().collect::<Vec<_>>());
                assert_eq!(missing > 0, matches != 9);
            }
        }
    }

    #[test]
    fn a_full_log_says_so_once_and_keeps_what_it_has() {
        let (path, file) = new("full", 20_000);
        file.file.set_len(MAX_BYTES - 2 * MIN_SHARE_BYTES).unwrap();
        let text = log(path, file, 9, 10);
        assert_eq!(text.matches("--- full").count(), 1);
        assert!((text.len() as u64) < MAX_BYTES + 2 * MIN_SHARE_BYTES);
        let of_match = |number| logs::below(&text, &format!("match d{number}/a/b seat 0"));
        assert!(of_match(1).iter().any(|line| line.starts_with("line 99 ")));
        assert!(of_match(8).is_empty());
    }

    #[test]
    fn matches_of_one_process_and_of_two_are_kept_apart() {
        let place = |number: u32| Place {
            seat: format!("match d{number}/a/b seat 0"),
            turn: Some(7),
        };
        let (path, first) = new("two", 4);
        let mut files = [first, new("two", 4).1];
        for round in 0..300 {
            for number in 0..4 {
                // The log must hold even if a line arrives in two parts, or looks like a heading.
                let text = format!(
                    "{round} of {number}\n--- match d{}/a/b seat 0\npart",
                    (number + 1) % 4
                );
                let file = &mut files[number as usize / 2];
                file.write(text.as_bytes(), &place(number));
                file.finish(&place(number));
            }
        }
        drop(files);
        let text = read(path);
        for number in 0..4 {
            let lines = logs::below(&text, &place(number).seat);
            let written = lines.iter().filter(|line| line.contains(" of "));
            assert!(
                written
                    .clone()
                    .all(|line| line.ends_with(&format!(" of {number}")))
            );
            assert_eq!(written.count(), 300);
        }
    }

    #[test]
    fn a_long_line_is_split_between_characters() {
        let (path, mut file) = new("long", u64::MAX);
        file.write("é".repeat(50_000).as_bytes(), &Place::default());
        file.write(b"\nthe end\n", &Place::default());
        drop(file);
        let text = read(path);
        assert!(text.len() < 2 * MIN_SHARE_BYTES as usize && text.ends_with("é\nthe end\n"));
    }
}
