//! Splits a stream of bytes into lines of bounded length.

use std::ops::Range;

use crate::fault::Violation;

/// Maximum length of a line from a bot, in bytes, newline included.
pub const MAX_BOT_LINE_BYTES: usize = 64 * 1024;

/// Maximum length of a line from the arena, in bytes. A bot must be able to read lines of this length.
pub const MAX_ARENA_LINE_BYTES: usize = 1024 * 1024;

/// Maximum number of bytes quoted from an unreadable line.
const MAX_QUOTED_BYTES: usize = 400;

/// A buffer that splits incoming bytes into lines.
#[derive(Debug)]
pub struct Lines {
    bytes: Vec<u8>,
    start: usize,
    scanned: usize,
    limit: usize,
}

impl Lines {
    /// Creates an empty buffer for lines of up to `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(4096),
            start: 0,
            scanned: 0,
            limit,
        }
    }

    /// Returns the buffer to which incoming bytes are appended.
    pub fn inlet(&mut self) -> &mut Vec<u8> {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.scanned -= self.start;
            self.start = 0;
        }
        &mut self.bytes
    }

    /// Returns the next complete line that is not blank, without its newline.
    pub fn line(&mut self) -> Result<Option<&str>, Violation> {
        match self.find()? {
            Some(range) => {
                let bytes = &self.bytes[range];
                let text = str::from_utf8(bytes).map_err(|_| Violation::NotUtf8 {
                    line: quoted(bytes),
                })?;
                Ok(Some(text.trim_ascii()))
            }
            None => Ok(None),
        }
    }

    /// Returns the last line if it has no newline. Call it once the stream has ended. Empty if there is no such line.
    pub fn rest(&self) -> String {
        String::from_utf8_lossy(&self.bytes[self.start..]).into_owned()
    }

    fn find(&mut self) -> Result<Option<Range<usize>>, Violation> {
        while let Some(at) = self.bytes[self.scanned..]
            .iter()
            .position(|byte| *byte == b'\n')
        {
            let range = self.start..self.scanned + at;
            self.start = range.end + 1;
            self.scanned = self.start;
            if range.len() >= self.limit {
                return Err(Violation::TooLong { limit: self.limit });
            }
            if !self.bytes[range.clone()]
                .iter()
                .all(u8::is_ascii_whitespace)
            {
                return Ok(Some(range));
            }
        }
        self.scanned = self.bytes.len();
        if self.bytes.len() - self.start >= self.limit {
            Err(Violation::TooLong { limit: self.limit })
        } else {
            Ok(None)
        }
    }
}

/// Returns the beginning of a line that is not valid text.
fn quoted(bytes: &[u8]) -> String {
    let more = if bytes.len() > MAX_QUOTED_BYTES {
        "…"
    } else {
        ""
    };
    let kept = &bytes[..bytes.len().min(MAX_QUOTED_BYTES)];
    let shown = |byte: &u8| match byte {
        b' '..=b'~' => char::from(*byte).to_string(),
        _ => byte.escape_ascii().to_string(),
    };
    kept.iter().map(shown).collect::<String>() + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_however_the_bytes_arrive() {
        let text = "{\"a\":1}\n\n  \r\n{\"b\":\"ü\"}\r\nrest";
        for step in 1..text.len() {
            let mut lines = Lines::new(100);
            let mut found = Vec::new();
            for part in text.as_bytes().chunks(step) {
                lines.inlet().extend(part);
                while let Some(line) = lines.line().unwrap() {
                    found.push(line.to_owned());
                }
            }
            assert_eq!(found, ["{\"a\":1}", "{\"b\":\"ü\"}"], "in steps of {step}");
            assert_eq!(lines.rest(), "rest");
        }
    }

    #[test]
    fn what_is_blank_is_what_is_trimmed() {
        let mut lines = Lines::new(100);
        lines.inlet().extend(" \x0c\t\n\u{a0}\n \x0b \n".as_bytes());
        assert_eq!(lines.line(), Ok(Some("\u{a0}")));
        assert_eq!(lines.line(), Ok(Some("\x0b")));
        assert_eq!(lines.line(), Ok(None));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut lines = Lines::new(8);
        lines.inlet().extend(b"12345678");
        assert_eq!(lines.line(), Err(Violation::TooLong { limit: 8 }));
    }

    #[test]
    fn other_encodings_are_quoted() {
        let mut lines = Lines::new(8);
        lines.inlet().extend(b"\xffx\n");
        assert_eq!(
            lines.line(),
            Err(Violation::NotUtf8 {
                line: "\\xffx".into()
            })
        );
        let mut lines = Lines::new(MAX_BOT_LINE_BYTES);
        lines.inlet().extend([b'\xff'; 60_000]);
        lines.inlet().push(b'\n');
        let Err(Violation::NotUtf8 { line: quoted }) = lines.line() else {
            panic!()
        };
        assert_eq!(quoted, format!("{}…", "\\xff".repeat(MAX_QUOTED_BYTES)));
    }
}
