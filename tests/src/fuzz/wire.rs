//! Fuzzes a bot's output. Bytes must split into the same lines however they arrive, and every line must be parsed or refused with a short
//! message.

use std::iter;

use arena_engine::table::{self, Entry};
use arena_protocol::fault::Violation;
use arena_protocol::frame::{Lines, MAX_BOT_LINE_BYTES};
use arena_protocol::message::{self, MAX_NOTE_BYTES, Routed};

use super::Bytes;

/// The id of the turn whose answer is awaited.
const CURRENT: u64 = 7;
/// Id of another open turn.
const EARLIER: u64 = 3;

/// Maximum length of an error message about a line, in bytes.
pub const SENTENCE: usize = 4_000;

/// Fragments of lines, which make inputs more than noise.
const PIECES: [&str; 48] = [
    "\n",
    "{\"id\":7,\"action\":",
    "{\"id\":6,\"action\":",
    "{\"action\":",
    ",\"id\":8",
    ",\"id\":7",
    "}\n",
    "}",
    "{",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u00",
    "\\ud800",
    "{\"set_up\":{\"dark\":2}}",
    "{\"place_dashes\":{\"dark\":1,\"light\":null}}",
    "{\"draw\":{\"colour\":\"dark\"}}",
    "{\"attack\":{\"seat\":1,\"position\":0,\"face\":\"11\"}}",
    "{\"stop\":{}}",
    "{\"expose\":{\"position\":300}}",
    "{\"pass\":{}}",
    "{\"declare\":{\"numbers\":[1,2,3]}}",
    "{\"declare\":{\"cards\":[\"G1\",\"Y2\",\"B7\"]}}",
    "{\"hide\":{\"code\":[1,2,3,4,5]}}",
    "{\"guess\":{\"code\":[1,2,3,4,5,6,7,8,9]}}",
    "{\"hide\":{\"code\":\"204817\"}}",
    "{\"ask_line\":{\"line\":\"A\"}}",
    "{\"ask_place\":{\"column\":\"A\",\"row\":\"J\"}}",
    ",\"note\":\"",
    "{\"ready\":{",
    "\"name\":\"x\"",
    "\"games\":[\"coda\"]",
    "\"wants\":[\"view\",\"events\"]",
    "\"ready\"",
    "null",
    "true",
    "-1",
    "18446744073709551616",
    "1e400",
    " \t\r\n",
    "\u{a0}\n",
    "ü",
    "\u{1f3b2}",
    "\u{0}",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
];

/// Reads the bytes as a line limit, the chunk sizes in which the stream arrives, and the stream.
///
/// # Panics
/// Panics if an invariant is violated.
pub fn wire(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let limit = *bytes.pick(&[8, 100, 5_000, MAX_BOT_LINE_BYTES]);
    let sizes: Vec<usize> = bytes
        .take(4)
        .iter()
        .map(|size| usize::from(*size) + 1)
        .collect();
    let stream = if bytes.below(2) == 0 {
        bytes.rest().to_vec()
    } else {
        pieces(&mut bytes)
    };
    let read = read(&stream, sizes.into_iter().chain(iter::repeat(64)), limit);
    assert_eq!(
        read,
        self::read(&stream, iter::repeat(stream.len().max(1)), limit),
        "at once"
    );
    assert_eq!(read, expected(&stream, limit));
    for line in &read.0 {
        ready(line);
        table::games().iter().for_each(|game| parse(game, line));
    }
}

/// Builds a stream of fragments, some of them repeated.
fn pieces(bytes: &mut Bytes<'_>) -> Vec<u8> {
    let mut stream = Vec::new();
    while !bytes.is_empty() {
        match bytes.byte() {
            times @ 250.. => stream.extend(bytes.pick(&PIECES).repeat(1 << (times - 243)).bytes()),
            piece => stream.extend(PIECES[usize::from(piece) % PIECES.len()].bytes()),
        }
    }
    stream
}

/// The lines that were read, and either the unfinished rest or the reason why reading stopped.
type Read = (Vec<String>, Result<String, Violation>);

/// Reads a stream like the arena, which stops at the first bad line.
fn read(stream: &[u8], sizes: impl Iterator<Item = usize>, limit: usize) -> Read {
    let mut lines = Lines::new(limit);
    let mut found = Vec::new();
    let mut left = Bytes::new(stream);
    for size in sizes {
        if left.is_empty() {
            break;
        }
        let inlet = lines.inlet();
        assert!(inlet.len() < limit, "no more than a line is kept");
        inlet.extend(left.take(size));
        assert!(inlet.capacity() <= 4_096 + 2 * (limit + size));
        loop {
            match lines.line() {
                Ok(Some(line)) => found.push(line.to_owned()),
                Ok(None) => break,
                Err(Violation::NotUtf8 { line }) => {
                    assert!(line.len() <= SENTENCE, "{line}");
                    return (
                        found,
                        Err(Violation::NotUtf8 {
                            line: String::new(),
                        }),
                    );
                }
                Err(bad) => return (found, Err(bad)),
            }
        }
    }
    (found, Ok(lines.rest()))
}

/// Splits a stream into lines with an independent algorithm.
fn expected(stream: &[u8], limit: usize) -> Read {
    let mut found = Vec::new();
    let mut lines = stream.split(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        if line.len() >= limit {
            return (found, Err(Violation::TooLong { limit }));
        }
        if lines.peek().is_none() {
            return (found, Ok(String::from_utf8_lossy(line).into_owned()));
        }
        match str::from_utf8(line) {
            Ok(line) if line.trim_ascii().is_empty() => {}
            Ok(line) => found.push(line.trim_ascii().to_owned()),
            Err(_) => {
                return (
                    found,
                    Err(Violation::NotUtf8 {
                        line: String::new(),
                    }),
                );
            }
        }
    }
    (found, Ok(String::new()))
}

fn ready(line: &str) {
    match message::parse_first(line) {
        Ok(first) => {
            let again = serde_json::to_string(&first).expect("it can be written");
            assert_eq!(message::parse_first(&again), Ok(first));
        }
        Err(why) => assert!(why.to_string().len() <= SENTENCE, "{why}"),
    }
}

/// Parses the line as an answer in a game.
fn parse(game: &Entry, line: &str) {
    let open = [EARLIER, CURRENT];
    match message::route(line, &open, CURRENT) {
        Ok(Routed::Open(id)) => match message::read_action(game, line, id, CURRENT) {
            Ok(action) => {
                let answer = message::parse_answer(line, id, CURRENT);
                let answer = answer.expect("it was just read");
                assert!(open.contains(&id) && answer.id == id);
                assert!(
                    answer
                        .note
                        .as_ref()
                        .is_none_or(|note| note.len() <= MAX_NOTE_BYTES)
                );
                let again = serde_json::to_string(&answer).expect("it can be written");
                assert_eq!(message::route(&again, &open, CURRENT), Ok(Routed::Open(id)));
                let again = message::parse_answer(&again, id, CURRENT);
                assert_eq!(again.expect("it was read before").note, answer.note);
                assert_eq!(game.rulebook.read_action(action.as_str()), Ok(action));
            }
            Err(why) => assert!(why.to_string().len() <= SENTENCE, "{why}"),
        },
        Ok(Routed::Stale(_) | Routed::Pause(_)) => {}
        Err(why) => assert!(why.to_string().len() <= SENTENCE, "{why}"),
    }
}
