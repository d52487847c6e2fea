//! Reads text files of other programs in bounded pieces, and tracks the position of each piece for error messages.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::pool::Day;

/// Maximum length of a line that is read as a whole.
pub const MAX_LINE_BYTES: usize = 65_536;

/// The lines of a file, which may be compressed.
pub struct Lines {
    from: Box<dyn BufRead>,
    path: String,
    line: u64,
    sum: Sha256,
    piece: Vec<u8>,
    begins: bool,
}

impl Lines {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, String> {
        let shown = path.display().to_string();
        let failed = |error| format!("cannot read {shown}: {error}");
        let file = File::open(path).map_err(failed)?;
        let is_packed = path.extension().is_some_and(|ending| ending == "zst");
        let from: Box<dyn Read> = if is_packed {
            Box::new(zstd::Decoder::new(file).map_err(failed)?)
        } else {
            Box::new(file)
        };
        Ok(Self::new(from, shown))
    }

    pub(super) fn new(from: impl Read + 'static, path: String) -> Self {
        Self {
            from: Box::new(BufReader::with_capacity(1 << 16, from)),
            path,
            line: 0,
            sum: Sha256::new(),
            piece: Vec::new(),
            begins: true,
        }
    }

    /// Reads the rest of the line, or the next part of it with at most `MAX_LINE_BYTES`. Returns two flags: `true` if the piece begins a
    /// line, and `true` if it ends one. Returns `None` at the end of the file. The piece does not include the line feed.
    pub fn next(&mut self) -> Result<Option<(bool, bool)>, String> {
        self.piece.clear();
        let begins = self.begins;
        self.line += u64::from(begins);
        let mut ends = false;
        while !ends && self.piece.len() < MAX_LINE_BYTES {
            let failed = |error| format!("cannot read {}: {error}", self.path);
            let there = self.from.fill_buf().map_err(failed)?;
            if there.is_empty() {
                break;
            }
            let room = there.len().min(MAX_LINE_BYTES - self.piece.len());
            let feed = there[..room].iter().position(|byte| *byte == b'\n');
            let taken = feed.map_or(room, |feed| feed + 1);
            self.sum.update(&there[..taken]);
            self.piece.extend(&there[..feed.unwrap_or(room)]);
            self.from.consume(taken);
            ends = feed.is_some();
        }
        if self.piece.is_empty() && !ends {
            self.line -= u64::from(begins);
            return Ok(None);
        }
        let is_last = !ends && self.from.fill_buf().is_ok_and(<[u8]>::is_empty);
        self.begins = ends || is_last;
        if self.begins && self.piece.last() == Some(&b'\r') {
            self.piece.pop();
        }
        if self.line == 1 && begins {
            if self.piece.starts_with(&[0xff, 0xfe]) || self.piece.starts_with(&[0xfe, 0xff]) {
                return Err(self.wrong(0, "the file is UTF-16: save it as UTF-8"));
            }
            if self.piece.starts_with("\u{feff}".as_bytes()) {
                self.piece.drain(..3);
            }
        }
        if let Some(at) = self.piece.iter().position(|byte| *byte == 0) {
            return Err(self.wrong(at, "a NUL byte: this is not a text file"));
        }
        Ok(Some((begins, self.begins)))
    }

    /// Reads a whole line, as UTF-8; `None` at the end of the file.
    pub fn whole(&mut self) -> Result<Option<String>, String> {
        let Some((_, ends)) = self.next()? else {
            return Ok(None);
        };
        if !ends {
            let why = format!("the line has more than {MAX_LINE_BYTES} bytes");
            return Err(self.wrong(MAX_LINE_BYTES, &why));
        }
        match std::str::from_utf8(&self.piece) {
            Ok(line) => Ok(Some(line.to_owned())),
            Err(error) => Err(self.wrong(
                error.valid_up_to(),
                "this is not UTF-8: save the file as UTF-8",
            )),
        }
    }

    /// Returns the current piece.
    pub fn piece(&self) -> &[u8] {
        &self.piece
    }

    /// Returns the number of the current line, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns an error about the current line, at this byte of the piece.
    pub fn wrong(&self, at: usize, what: &str) -> String {
        let before = &self.piece[..at.min(self.piece.len())];
        let column = String::from_utf8_lossy(before).chars().count() + 1;
        format!("{}:{}:{column}: {what}", self.path, self.line)
    }

    /// Returns an error about an earlier line.
    pub fn wrong_at(&self, line: u64, what: &str) -> String {
        format!("{}:{line}:1: {what}", self.path)
    }

    /// Returns the hash of everything that was read.
    pub fn sum(self) -> [u8; 32] {
        self.sum.finalize().into()
    }
}

/// Parses a date, `2026-11-22` or `2026.11.22`.
pub fn day(text: &str) -> Option<Day> {
    let parts: Vec<&str> = text.split(['-', '.']).collect();
    let [year, month, day] = parts[..] else {
        return None;
    };
    let number = |text: &str, digits: usize| -> Option<u32> {
        let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().ok())?
    };
    let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day) && year > 0;
    is_date.then_some(year * 10_000 + month * 100 + day)
}

/// Formats a date.
pub fn date(day: Day) -> String {
    format!(
        "{:04}-{:02}-{:02}",
        day / 10_000,
        day / 100 % 100,
        day % 100
    )
}
