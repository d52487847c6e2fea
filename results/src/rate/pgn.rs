//! Reads the tags of games in PGN (Edwards 1994, "Portable Game Notation Specification"): the players, the result, the round, the date and
//! the opening. Moves are skipped.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::lines::{self, Lines};
use super::names::Identity;
use super::pool::{Game, Pool, Seat};

/// Maximum length of a line with tags, in bytes.
const MAX_TAG_BYTES: usize = 4_096;

/// The tags of a game.
#[derive(Debug, Default)]
struct Tags {
    /// The line of the first tag.
    line: u64,
    white: Option<String>,
    black: Option<String>,
    result: Option<String>,
    round: Option<String>,
    date: Option<String>,
    fen: Option<String>,
    opening: Option<String>,
}

impl Tags {
    fn slot(&mut self, name: &str) -> Option<&mut Option<String>> {
        Some(match name {
            "White" => &mut self.white,
            "Black" => &mut self.black,
            "Result" => &mut self.result,
            "Round" => &mut self.round,
            "Date" => &mut self.date,
            "FEN" => &mut self.fen,
            "Opening" => &mut self.opening,
            _ => return None,
        })
    }
}

/// A game that waits for its twin with reversed colours.
struct Waiting {
    white: u32,
    deal: u32,
    round: Option<Round>,
    opening: Option<u64>,
}

/// The round of a game: the hash of its name up to the first point, and its number.
#[derive(Clone, Copy)]
struct Round {
    name: u64,
    number: Option<u32>,
}

impl Round {
    fn new(text: &str) -> Self {
        Self {
            name: hash(text.split('.').next().unwrap_or_default()),
            number: text.parse().ok(),
        }
    }

    /// Returns `true` if two games can be a pair: their rounds are equal (3 and 3), belong together (3.1 and 3.2), or are consecutive (3
    /// and 4).
    fn precedes(self, other: Self) -> bool {
        let next = self.number.and_then(|number| number.checked_add(1));
        self.name == other.name || (next.is_some() && next == other.number)
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Reads all games of a file into the pool, as deals of a series.
pub fn read(lines: &mut Lines, series: u32, pool: &mut Pool) -> Result<(), String> {
    let mut reader = Reader {
        series,
        deals: 0,
        waiting: HashMap::new(),
    };
    let mut tags = Tags::default();
    let [mut has_moves, mut is_comment] = [false; 2];
    let mut opened = 0;
    while let Some((begins, ends)) = lines.next()? {
        let piece = lines.piece();
        if begins && !is_comment && piece.starts_with(b"[") {
            if !ends || piece.len() > MAX_TAG_BYTES {
                let why = format!("a line of tags has at most {MAX_TAG_BYTES} bytes");
                return Err(lines.wrong(MAX_TAG_BYTES, &why));
            }
            if has_moves {
                reader.end(&std::mem::take(&mut tags), lines, pool)?;
                has_moves = false;
            }
            for (at, name, value) in pairs(lines)? {
                if tags.slot(&name).is_some_and(|slot| slot.is_some()) {
                    if has_all(&tags) {
                        reader.end(&std::mem::take(&mut tags), lines, pool)?;
                    } else {
                        return Err(lines.wrong(at, &format!("a second {name} in one game")));
                    }
                }
                if tags.line == 0 {
                    tags.line = lines.line();
                }
                if let Some(slot) = tags.slot(&name) {
                    *slot = Some(value);
                }
            }
            continue;
        }
        // A line that begins with this escape character is for other programs.
        if begins && !is_comment && piece.starts_with(b"%") {
            continue;
        }
        for byte in piece {
            match byte {
                b'}' if is_comment => is_comment = false,
                _ if is_comment => {}
                b'{' => (is_comment, opened) = (true, lines.line()),
                b';' => break,
                _ => {}
            }
        }
        let has_text = !piece.trim_ascii().is_empty();
        if has_text && tags.line == 0 {
            return Err(lines.wrong(0, "moves without tags: a game begins with [White \"…\"], [Black \"…\"] and [Result \"…\"]"));
        }
        has_moves |= has_text;
    }
    if is_comment {
        return Err(lines.wrong_at(opened, "the comment that begins here has no end"));
    }
    reader.end(&tags, lines, pool)
}

fn has_all(tags: &Tags) -> bool {
    tags.white.is_some() && tags.black.is_some() && tags.result.is_some()
}

/// Parses the tags of the current line, each with its position, name and value.
fn pairs(lines: &Lines) -> Result<Vec<(usize, String, String)>, String> {
    let piece = lines.piece();
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        at += piece[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        if at == piece.len() {
            return Ok(found);
        }
        let begin = at;
        let wrong = |at: usize| lines.wrong(at, "this is not a tag: write [Name \"value\"]");
        let expect = |at: usize, byte: u8| {
            if piece.get(at) == Some(&byte) {
                Ok(at + 1)
            } else {
                Err(wrong(at))
            }
        };
        let blanks = |at: usize| {
            at + piece[at..]
                .iter()
                .take_while(|byte| **byte == b' ' || **byte == b'\t')
                .count()
        };
        at = blanks(expect(at, b'[')?);
        let length = piece[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        let name = String::from_utf8_lossy(&piece[at..at + length]).into_owned();
        if length == 0 {
            return Err(wrong(at));
        }
        at = expect(blanks(at + length), b'"')?;
        let mut value = Vec::new();
        loop {
            match piece.get(at) {
                None => return Err(lines.wrong(at, "the value of this tag has no closing quote")),
                Some(b'"') => break,
                Some(b'\\') if matches!(piece.get(at + 1), Some(b'"' | b'\\')) => {
                    value.push(piece[at + 1]);
                    at += 2;
                }
                Some(byte) => {
                    value.push(*byte);
                    at += 1;
                }
            }
        }
        at = expect(blanks(at + 1), b']')?;
        // By its specification, PGN is ISO 8859-1, but most programs write UTF-8.
        let latin = |error: std::string::FromUtf8Error| {
            error
                .as_bytes()
                .iter()
                .map(|byte| char::from(*byte))
                .collect()
        };
        found.push((begin, name, String::from_utf8(value).unwrap_or_else(latin)));
    }
}

struct Reader {
    series: u32,
    deals: u32,
    waiting: HashMap<(u32, u32, u64), Waiting>,
}

impl Reader {
    /// Adds a finished game.
    fn end(&mut self, tags: &Tags, lines: &Lines, pool: &mut Pool) -> Result<(), String> {
        if tags.line == 0 {
            return Ok(());
        }
        let wrong = |what: &str| lines.wrong_at(tags.line, what);
        let missing = |name: &str| wrong(&format!("the game that begins here has no tag {name}"));
        let white = tags.white.as_deref().ok_or_else(|| missing("White"))?;
        let black = tags.black.as_deref().ok_or_else(|| missing("Black"))?;
        let places = match tags.result.as_deref().ok_or_else(|| missing("Result"))? {
            "1-0" => [1, 2],
            "0-1" => [2, 1],
            "1/2-1/2" => [1, 1],
            "*" => {
                pool.leave_out("without a result", 1);
                return Ok(());
            }
            _ => {
                return Err(wrong(
                    "the Result of this game must be 1-0, 0-1, 1/2-1/2 or *",
                ));
            }
        };
        if [white, black].iter().any(|name| matches!(*name, "" | "?")) {
            pool.leave_out("without a name", 1);
            return Ok(());
        }
        let mut bot = |name: &str| pool.bot(Identity::of_name(name)).map_err(|why| wrong(&why));
        let bots = [bot(white)?, bot(black)?];
        let deal = self.deal(bots, tags);
        let seats = places.map(|place| Seat {
            place,
            ..Seat::default()
        });
        let game = Game {
            series: self.series,
            deal,
            round: None,
            which: 0,
            day: tags.date.as_deref().and_then(lines::day),
            bots: &bots,
            seats: &seats,
        };
        pool.add(&game).map_err(|why| wrong(&why))
    }

    /// Returns the deal of a game. If its twin is waiting, both get the same deal; if not, the game gets a new one. Two games with reversed
    /// colours are twins if they begin from the same position. Without positions, they are twins if their rounds are equal or consecutive.
    /// Without rounds, they are twins if they name the same opening.
    fn deal(&mut self, bots: [u32; 2], tags: &Tags) -> u32 {
        let [low, high] = [bots[0].min(bots[1]), bots[0].max(bots[1])];
        let position = tags.fen.as_deref().map_or(0, |fen| hash(fen) | 1);
        let known = |text: &Option<String>| {
            let text = text.clone().filter(|_| position == 0);
            text.filter(|text| !matches!(text.as_str(), "" | "?" | "-"))
        };
        let round = known(&tags.round).map(|round| Round::new(&round));
        let opening = known(&tags.opening).map(|opening| hash(&opening));
        let key = (low, high, position);
        if let Some(twin) = self.waiting.remove(&key)
            && twin.white != bots[0]
            && low != high
        {
            let is_twin = match (&twin.round, &round) {
                _ if position != 0 => true,
                (Some(one), Some(other)) => one.precedes(*other),
                _ => opening.is_some() && opening == twin.opening,
            };
            if is_twin {
                return twin.deal;
            }
        }
        self.deals += 1;
        let waiting = Waiting {
            white: bots[0],
            deal: self.deals,
            round,
            opening,
        };
        self.waiting.insert(key, waiting);
        self.deals
    }
}
