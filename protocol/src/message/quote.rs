//! Quotations of lines in faults.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{MAX_NESTING, MAX_NOTE_BYTES, OUT_OF_RANGE, twice, without_place};
use crate::fault::{Flaw, Opening, Violation};

/// Truncates a note to the stored length.
pub fn cut(mut note: String) -> String {
    note.truncate(note.floor_char_boundary(MAX_NOTE_BYTES));
    note
}

/// A line that a fault may quote. The quotation leaves out ids, because ids differ from run to run, and the fault of a repeated match must
/// not.
pub(super) struct Quote<'a> {
    pub(super) line: &'a str,
    pub(super) open: &'a [u64],
    pub(super) last: u64,
}

impl<'a> Quote<'a> {
    /// Returns the line if it begins like a message and is not nested too deeply.
    pub(super) fn object(&self) -> Result<&'a str, Violation> {
        let Self { line, .. } = *self;
        if is_too_deep(line) {
            return Err(Violation::TooDeep {
                limit: MAX_NESTING,
                line: self.shown(),
            });
        }
        if line.starts_with('{') {
            return Ok(line);
        }
        Err(match serde_json::from_str::<IgnoredAny>(line) {
            Ok(_) => Violation::NotAnObject { line: self.shown() },
            Err(error) => self.violation(&error, || (Flaw::Everything, String::new())),
        })
    }

    /// Returns the beginning of the line, without control characters.
    pub(super) fn shown(&self) -> String {
        let line = without_ids(self.line, self.open, self.last);
        let shown: String = line.chars().take(120).flat_map(visible).collect();
        let more = if line.chars().nth(120).is_some() {
            "…"
        } else {
            ""
        };
        shown + more
    }

    /// Explains why the line is not an answer to its turn.
    pub(super) fn unfit(&self, error: &serde_json::Error) -> Violation {
        #[derive(Deserialize)]
        struct Acting {
            #[expect(dead_code, reason = "only whether it is there")]
            action: IgnoredAny,
        }
        let what = match serde_json::from_str::<Acting>(self.line) {
            Ok(_) => "its note is not a string",
            Err(_) => "it has no action",
        };
        self.violation(error, || (Flaw::Action, what.into()))
    }

    /// Explains why the line could not be parsed. `flaw` is the explanation if the line is valid JSON.
    pub(super) fn violation(
        &self,
        error: &serde_json::Error,
        flaw: impl FnOnce() -> (Flaw, String),
    ) -> Violation {
        let (text, line) = (error.to_string(), self.shown());
        let text = without_place(&text);
        let is_json = || serde_json::from_str::<IgnoredAny>(self.line).is_ok();
        // An enum that is not written as an object is reported by serde_json as a syntax error.
        if error.is_data() || (["expected value", OUT_OF_RANGE].contains(&text) && is_json()) {
            let (flaw, what) = flaw();
            let what = twice(text).unwrap_or(what);
            return Violation::Unfit {
                flaw,
                error: short(&without_ids(&what, self.open, self.last)),
                line,
            };
        }
        let before = without_ids(
            self.line.get(..error.column()).unwrap_or(self.line),
            self.open,
            self.last,
        );
        let error = format!(
            "{} at line 1 column {}",
            short(&without_ids(text, self.open, self.last)),
            before.chars().count()
        );
        let opening = match self.line.chars().next() {
            Some('{') => Opening::Brace,
            Some('\u{feff}') => Opening::ByteOrderMark,
            _ => Opening::Text,
        };
        Violation::NotJson {
            opening,
            error,
            line,
        }
    }
}

/// Replaces the ids of turns in a text by `…`.
pub fn without_ids(text: &str, open: &[u64], last: u64) -> String {
    let ids = open.iter().copied().chain((last > 0).then_some(last));
    ids.fold(text.to_owned(), |text, id| {
        text.replace(&id.to_string(), "…")
    })
}

/// Returns `true` if a line is nested too deeply. Most lines are too short to need counting.
fn is_too_deep(line: &str) -> bool {
    let opens = |byte: &u8| matches!(byte, b'[' | b'{');
    line.len() > MAX_NESTING
        && line.as_bytes().iter().filter(|byte| opens(byte)).count() > MAX_NESTING
        && depth(line) > MAX_NESTING
}

/// Returns the maximum nesting depth of a line.
fn depth(line: &str) -> usize {
    let mut deepest = 0;
    let mut depth = 0_usize;
    let mut quoted = false;
    let mut escaped = false;
    for byte in line.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => depth += 1,
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Makes a character printable: control and invisible characters are escaped by number, and quotes are kept.
pub fn visible(c: char) -> impl Iterator<Item = char> {
    let plain = matches!(c, '"' | '\'' | '\\').then_some(c);
    plain.into_iter().chain(
        plain
            .is_none()
            .then(|| c.escape_debug())
            .into_iter()
            .flatten(),
    )
}

/// Shortens an error that may quote the bot to one line of bounded length without control characters.
pub fn short(error: &str) -> String {
    const ENDS: usize = 200;
    let text: Vec<char> = error.chars().flat_map(visible).collect();
    if text.len() <= 2 * ENDS {
        return text.into_iter().collect();
    }
    let (start, end) = (&text[..ENDS], &text[text.len() - ENDS..]);
    start.iter().chain(['…'].iter()).chain(end).collect()
}
