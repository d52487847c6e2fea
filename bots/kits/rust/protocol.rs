//! The protocol of the arena. Do not edit: your bot is in bot.rs.
//!
//! `play` talks to the arena. It creates a `Bot` for each match, and calls `learn` for each event and `act` for each
//! decision. It uses only the standard library, so it builds offline.
#![allow(dead_code)]

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter, Write as _};
use std::fs::File;
use std::io::{self, BufRead, BufWriter, Write};
use std::ops::Index;
use std::os::unix::io::FromRawFd;

use crate::Bot;

/// The start of a match.
pub struct Start {
    pub game: String,
    pub rules: Json,
    pub seat: usize,
    pub seats: usize,
    pub seed: u64,
}

/// A request for a decision: the events since your last turn, your options, and your view.
pub struct Turn {
    pub id: u64,
    pub events: Vec<Event>,
    pub prompt: Vec<Legal>,
    pub view: Json,
}

/// An event, such as `stopped`, with its fields: `event["seat"]`.
pub struct Event {
    pub kind: String,
    pub fields: Json,
}

/// One option of a prompt: an action, with the legal values of each field: `legal["position"]`.
pub struct Legal {
    pub kind: String,
    pub fields: Json,
}

/// Your choice: one of the options, with one value for each field.
pub struct Action {
    pub kind: String,
    pub fields: Json,
}

impl Action {
    /// Creates an action, such as `Action::new("draw", [("colour", "dark")])`.
    pub fn new<T: Into<Json>, const N: usize>(kind: &str, fields: [(&str, T); N]) -> Self {
        Self {
            kind: kind.to_string(),
            fields: object(fields.map(|(name, value)| (name, value.into()))),
        }
    }

    /// Creates an action without fields, such as `stop`.
    pub fn plain(kind: &str) -> Self {
        Self {
            kind: kind.to_string(),
            fields: object([]),
        }
    }
}

impl Turn {
    /// Returns true if there is an option of this kind, such as `stop`.
    pub fn may(&self, kind: &str) -> bool {
        self.prompt.iter().any(|option| option.kind == kind)
    }
}

impl Index<&str> for Event {
    type Output = Json;
    fn index(&self, field: &str) -> &Json {
        &self.fields[field]
    }
}

impl Index<&str> for Legal {
    type Output = Json;
    fn index(&self, field: &str) -> &Json {
        &self.fields[field]
    }
}

/// An event of Coda: `CodaEvent::new(event)`.
pub enum CodaEvent {
    RoundStarted {
        round: usize,
        first: usize,
    },
    SetUp {
        seat: usize,
        code: Vec<String>,
    },
    Drew {
        seat: usize,
        panel: String,
    },
    Attacked {
        seat: usize,
        target: usize,
        position: usize,
        panel: String,
        hit: bool,
    },
    Stopped {
        seat: usize,
    },
    Inserted {
        seat: usize,
        position: usize,
        panel: String,
        standing: bool,
    },
    Exposed {
        seat: usize,
        position: usize,
        panel: String,
    },
    Eliminated {
        seat: usize,
    },
    RoundEnded {
        bonus: u64,
    },
    Other,
}

impl CodaEvent {
    pub fn new(event: &Event) -> Self {
        let (seat, position) = (event["seat"].index(), event["position"].index());
        let panel = event["panel"].text().to_string();
        match event.kind.as_str() {
            "round_started" => Self::RoundStarted {
                round: event["round"].index(),
                first: event["first"].index(),
            },
            "set_up" => Self::SetUp {
                seat,
                code: event["code"].texts(),
            },
            "drew" => Self::Drew { seat, panel },
            "attacked" => Self::Attacked {
                seat,
                target: event["target"].index(),
                position,
                panel,
                hit: event["hit"].bool(),
            },
            "stopped" => Self::Stopped { seat },
            "inserted" => Self::Inserted {
                seat,
                position,
                panel,
                standing: event["standing"].bool(),
            },
            "exposed" => Self::Exposed {
                seat,
                position,
                panel,
            },
            "eliminated" => Self::Eliminated { seat },
            "round_ended" => Self::RoundEnded {
                bonus: event["bonus"].number(),
            },
            _ => Self::Other,
        }
    }
}

/// The table of Coda as your seat sees it: `View::new(turn)`.
pub struct View {
    pub seat: usize,
    pub codes: Vec<Code>,      // by seat
    pub aside: Option<String>, // the drawn panel, such as "D7"
    pub pool: [usize; 2],      // number of dark and light panels left
    pub points: Vec<u64>,      // by seat
}

/// A code of Coda: its panels, lowest first, such as "D7" and "L?", and the positions of those still standing.
pub struct Code {
    pub panels: Vec<String>,
    pub standing: Vec<usize>,
}

/// A panel of Coda that you may attack, with the faces that you may name.
pub struct Place {
    pub seat: usize,
    pub position: usize,
    pub faces: Vec<String>,
}

impl Place {
    /// Returns the attack that names this face.
    pub fn naming(&self, face: impl AsRef<str>) -> Action {
        let (seat, position, face) = (self.seat.into(), self.position.into(), face.as_ref().into());
        Action::new(
            "attack",
            [("seat", seat), ("position", position), ("face", face)] as [(_, Json); 3],
        )
    }
}

impl View {
    pub fn new(turn: &Turn) -> Self {
        let view = &turn.view;
        let code = |code: &Json| Code {
            panels: code["panels"].texts(),
            standing: code["standing"].indices(),
        };
        Self {
            seat: view["seat"].index(),
            codes: view["codes"].list().iter().map(code).collect(),
            aside: Some(view["aside"]["panel"].text().to_string())
                .filter(|panel| !panel.is_empty()),
            pool: [view["pool"]["dark"].index(), view["pool"]["light"].index()],
            points: view["points"].list().iter().map(Json::number).collect(),
        }
    }

    /// Returns true if you can see this panel: in a code, or laid aside.
    pub fn sees(&self, panel: &str) -> bool {
        let mut rows = self.codes.iter().flat_map(|code| &code.panels);
        rows.any(|seen| seen == panel) || self.aside.as_deref() == Some(panel)
    }

    /// Returns all places you may attack, with the faces for which `fits(view, seat, position, face)` is true.
    pub fn places(turn: &Turn, fits: impl Fn(&View, usize, usize, &str) -> bool) -> Vec<Place> {
        let (view, mut places) = (View::new(turn), Vec::new());
        // There is one option for each opponent.
        for attack in turn.prompt.iter().filter(|option| option.kind == "attack") {
            let (seat, faces) = (attack["seat"][0].index(), attack["face"].texts());
            for position in attack["position"].indices() {
                let faces = faces
                    .iter()
                    .filter(|face| fits(&view, seat, position, face))
                    .cloned()
                    .collect();
                places.push(Place {
                    seat,
                    position,
                    faces,
                });
            }
        }
        places
    }
}

/// Sort key: by number, then dark (D) before light (L); None for hidden panels and dashes.
pub fn order(panel: &str) -> Option<(u8, char)> {
    Some((panel[1..].parse().ok()?, panel.chars().next()?))
}

/// A random number generator: equal seeds give equal numbers (SplitMix64).
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number from 0 to `end` - 1.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * end as u128) >> 64) as usize
    }

    /// Returns a random item; the list must not be empty.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Shuffles the list.
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for end in (1..all.len()).rev() {
            all.swap(end, self.below(end + 1));
        }
    }
}

/// Returns a random legal action of this option.
pub fn random_action(legal: &Legal, chance: &mut Chance) -> Action {
    let fields: &[_] = if let Json::Object(fields) = &legal.fields {
        fields
    } else {
        &[]
    };
    let listed = fields
        .iter()
        .filter(|(_, values)| matches!(values, Json::List(_)));
    let fields = listed
        .map(|(name, values)| (name.clone(), random_value(values, chance)))
        .collect();
    Action {
        kind: legal.kind.clone(),
        fields: Json::Object(fields),
    }
}

/// Returns a random value; from a list of lists, such as the places of a code, one of each.
fn random_value(values: &Json, chance: &mut Chance) -> Json {
    match values.list() {
        all @ [Json::List(_), ..] => {
            Json::List(all.iter().map(|each| random_value(each, chance)).collect())
        }
        all => chance.pick(all).clone(),
    }
}

/// Plays until the arena says `quit` or closes the input.
pub fn play(name: &str, games: &[&str]) {
    let mut output = only_messages();
    let mut send = |message: Json| {
        let sent = writeln!(output, "{message}").and_then(|()| output.flush()); // without a flush, it would not arrive
        sent.unwrap_or_else(|_| std::process::exit(0)); // the arena is gone
    };
    let mut bots: HashMap<u64, Bot> = HashMap::new(); // by match
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        if line.trim().is_empty() {
            continue;
        }
        let message = parse(&line).unwrap_or_else(|why| panic!("a message cannot be read: {why}"));
        let (kind, body) = message.only();
        let number = body["match"].number();
        match kind {
            "hello" => {
                let games: Vec<Json> = games.iter().map(|game| Json::from(*game)).collect();
                send(object([(
                    "ready",
                    object([("name", name.into()), ("games", games.into())]),
                )]));
            }
            "start" => {
                let start = start(body);
                bots.insert(number, Bot::new(&start, Chance::new(start.seed)));
            }
            "turn" => {
                let bot = bots
                    .get_mut(&number)
                    .expect("a match starts before its turns");
                let turn = turn(body);
                turn.events.iter().for_each(|event| bot.learn(event));
                let Action { kind, fields } = bot.act(&turn);
                send(object([
                    ("id", turn.id.into()),
                    ("action", object([(&kind, fields)])),
                ]));
            }
            "end" => {
                if let Some(mut bot) = bots.remove(&number) {
                    events(body).iter().for_each(|event| bot.learn(event));
                }
            }
            "error" => eprintln!("{}", body["message"].text()),
            "quit" => break,
            _ => {} // from a later protocol version: no answer
        }
    }
}

/// Reserves standard output for messages; other output goes to standard error, the bot's log, from now on.
fn only_messages() -> BufWriter<File> {
    extern "C" {
        fn dup(file: i32) -> i32;
        fn dup2(file: i32, as_file: i32) -> i32;
    }
    // Safety: these calls touch no memory, and nothing else owns the new file.
    let output = unsafe {
        let output = dup(1);
        dup2(2, 1);
        File::from_raw_fd(output)
    };
    BufWriter::new(output)
}

fn start(body: &Json) -> Start {
    Start {
        game: body["game"].text().to_string(),
        rules: body["rules"].clone(),
        seat: body["seat"].index(),
        seats: body["seats"].index(),
        seed: body["seed"].number(),
    }
}

fn turn(body: &Json) -> Turn {
    let option = |(kind, fields): (&str, &Json)| Legal {
        kind: kind.to_string(),
        fields: fields.clone(),
    };
    Turn {
        id: body["id"].number(),
        events: events(body),
        prompt: body["prompt"]
            .list()
            .iter()
            .map(Json::only)
            .map(option)
            .collect(),
        view: body["view"].clone(),
    }
}

fn events(body: &Json) -> Vec<Event> {
    let event = |(kind, fields): (&str, &Json)| Event {
        kind: kind.to_string(),
        fields: fields.clone(),
    };
    body["events"]
        .list()
        .iter()
        .map(Json::only)
        .map(event)
        .collect()
}

/// A JSON value. Numbers are exact up to 2^53, the maximum that the arena sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Object(
        fields
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect(),
    )
}

/// Missing values are `Null`, which reads as 0, "" and empty, so that missing fields never panic.
impl Json {
    /// Returns a non-negative number.
    pub fn number(&self) -> u64 {
        if let Json::Number(number) = self {
            *number as u64
        } else {
            0
        }
    }

    /// Returns the number as an index.
    pub fn index(&self) -> usize {
        self.number() as usize
    }

    pub fn bool(&self) -> bool {
        *self == Json::Bool(true)
    }

    pub fn text(&self) -> &str {
        if let Json::Text(text) = self {
            text
        } else {
            ""
        }
    }

    pub fn list(&self) -> &[Json] {
        if let Json::List(list) = self {
            list
        } else {
            &[]
        }
    }

    pub fn texts(&self) -> Vec<String> {
        self.list()
            .iter()
            .map(|text| text.text().to_string())
            .collect()
    }

    pub fn indices(&self) -> Vec<usize> {
        self.list().iter().map(Json::index).collect()
    }

    /// Returns the first key of an object with its value; events, options and messages have only one.
    fn only(&self) -> (&str, &Json) {
        match self {
            Json::Object(fields) if !fields.is_empty() => (&fields[0].0, &fields[0].1),
            _ => ("", &Json::Null),
        }
    }
}

impl Index<&str> for Json {
    type Output = Json;
    fn index(&self, field: &str) -> &Json {
        let fields: &[_] = if let Json::Object(fields) = self {
            fields
        } else {
            &[]
        };
        fields
            .iter()
            .find(|(name, _)| name == field)
            .map_or(&Json::Null, |(_, value)| value)
    }
}

impl Index<usize> for Json {
    type Output = Json;
    fn index(&self, at: usize) -> &Json {
        self.list().get(at).unwrap_or(&Json::Null)
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        Json::Number(number as f64)
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Self {
        Json::Number(number as f64)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::Text(text.to_string())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Json::Text(text)
    }
}

impl From<&Json> for Json {
    fn from(value: &Json) -> Self {
        value.clone()
    }
}

impl From<Vec<Json>> for Json {
    fn from(list: Vec<Json>) -> Self {
        Json::List(list)
    }
}

impl Display for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(number) => write!(f, "{number}"),
            Json::Text(text) => quote(f, text),
            Json::List(list) => {
                f.write_char('[')?;
                for (at, value) in list.iter().enumerate() {
                    write!(f, "{}{value}", if at > 0 { "," } else { "" })?;
                }
                f.write_char(']')
            }
            Json::Object(fields) => {
                f.write_char('{')?;
                for (at, (name, value)) in fields.iter().enumerate() {
                    f.write_str(if at > 0 { "," } else { "" })?;
                    quote(f, name)?;
                    write!(f, ":{value}")?;
                }
                f.write_char('}')
            }
        }
    }
}

fn quote(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c if c < ' ' => write!(f, "\\u{:04x}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

/// Parses a JSON value.
pub fn parse(text: &str) -> Result<Json, String> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value()?;
    reader.space();
    if reader.at == text.len() {
        Ok(value)
    } else {
        reader.wrong("the end of the line")
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn wrong<T>(&self, wanted: &str) -> Result<T, String> {
        Err(format!("{wanted} should be at byte {}", self.at))
    }

    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    /// Skips this text if it comes next, and returns true if so.
    fn next(&mut self, wanted: &str) -> bool {
        self.space();
        let is_next = self.text[self.at..].starts_with(wanted);
        self.at += if is_next { wanted.len() } else { 0 };
        is_next
    }

    fn value(&mut self) -> Result<Json, String> {
        self.space();
        match self.peek() {
            b'{' => self.object(),
            b'[' => self.list(),
            b'"' => Ok(Json::Text(self.string()?)),
            _ if self.next("null") => Ok(Json::Null),
            _ if self.next("true") => Ok(Json::Bool(true)),
            _ if self.next("false") => Ok(Json::Bool(false)),
            _ => self.number(),
        }
    }

    fn object(&mut self) -> Result<Json, String> {
        let mut fields = Vec::new();
        self.at += 1;
        while !self.next("}") {
            if !fields.is_empty() && !self.next(",") {
                return self.wrong("a comma or }");
            }
            self.space();
            let name = self.string()?;
            if !self.next(":") {
                return self.wrong("a colon");
            }
            fields.push((name, self.value()?));
        }
        Ok(Json::Object(fields))
    }

    fn list(&mut self) -> Result<Json, String> {
        let mut list = Vec::new();
        self.at += 1;
        while !self.next("]") {
            if !list.is_empty() && !self.next(",") {
                return self.wrong("a comma or ]");
            }
            list.push(self.value()?);
        }
        Ok(Json::List(list))
    }

    fn number(&mut self) -> Result<Json, String> {
        let rest = &self.text[self.at..];
        let end = rest
            .find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)))
            .unwrap_or(rest.len());
        let number = rest[..end].parse().or_else(|_| self.wrong("a value"))?;
        self.at += end;
        Ok(Json::Number(number))
    }

    fn string(&mut self) -> Result<String, String> {
        if self.peek() != b'"' {
            return self.wrong("a string");
        }
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let end = rest
                .find(['"', '\\'])
                .map_or_else(|| self.wrong("the end of a string"), Ok)?;
            string.push_str(&rest[..end]);
            self.at += end + 1;
            if rest.as_bytes()[end] == b'"' {
                return Ok(string);
            }
            let escape = self.peek();
            self.at += 1;
            match escape {
                b'n' => string.push('\n'),
                b't' => string.push('\t'),
                b'r' => string.push('\r'),
                b'b' => string.push('\u{8}'),
                b'f' => string.push('\u{c}'),
                b'"' | b'\\' | b'/' => string.push(char::from(escape)),
                b'u' => string.push(self.escaped()?),
                _ => return self.wrong("an escape"),
            }
        }
    }

    /// Decodes the character of `\uD83D\uDE00` or `\u00e9`, after the first `\u`.
    fn escaped(&mut self) -> Result<char, String> {
        let mut code = self.hexadecimal()?;
        if (0xd800..0xdc00).contains(&code) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let low = self.hexadecimal()?;
            code = 0x1_0000 + ((code - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
        }
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hexadecimal(&mut self) -> Result<u32, String> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = digits.map_or_else(|| self.wrong("four hexadecimal digits"), Ok)?;
        self.at += 4;
        Ok(code)
    }
}
