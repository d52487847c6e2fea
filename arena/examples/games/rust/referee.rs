//! Talks to the arena for a game: reads its lines, and answers each with the new events and the seats that must act.
#![allow(dead_code)]

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::os::unix::io::FromRawFd;

use crate::json::{object, parse, quote, tagged, Fields, Json, Value};

/// One match. Seats are numbered from 0.
pub trait Game: Sized {
    /// The facts of the game, as JSON.
    const FACTS: &'static str;

    /// Deals a match. The error refuses rules that contradict themselves.
    fn deal(start: &mut Start, news: &mut News) -> Result<Self, Illegal>;

    /// Offers options to each seat that has to act. The match is over if no seat has any.
    fn act(&self, prompts: &mut Prompts);

    /// Shows each seat the table as it sees it now. A seat that is shown nothing only sees events.
    fn views(&self, _views: &mut Views) {}

    /// Carries out an action that the seat's prompt offers.
    fn play(&mut self, seat: usize, action: &Json, news: &mut News);

    /// Penalises a seat that has not answered in time. If it returns an error, the seat forfeits.
    fn late(&mut self, _seat: usize, _news: &mut News) -> Result<(), Illegal> {
        Err(Illegal("no answer in time".to_string()))
    }

    /// Continues without seats that have forfeited.
    fn withdraw(&mut self, seats: &[usize], news: &mut News);

    /// Returns the `points` of all seats, or the `counts` of each source of points, and `places` if needed.
    fn end(&self) -> Fields<'_>;
}

/// The start of a match.
pub struct Start<'a> {
    pub seats: usize,
    pub rules: &'a Json<'a>,
    pub chance: Chance,
}

/// A request that breaks the rules, such as rules that contradict themselves, with the reason.
pub struct Illegal(pub String);

/// The events since the last answer.
#[derive(Default)]
pub struct News {
    text: String,
    close: &'static str, // what the last event still needs
}

impl News {
    /// Adds an event. All seats see it, except those for which `show` or `hide` is called next.
    pub fn say(&mut self, kind: &str, fields: &[(&str, &dyn Value)], sentence: impl Display) {
        if !self.text.is_empty() {
            self.text += self.close;
            self.text.push(',');
        }
        self.text += "{\"event\":";
        tagged(&mut self.text, kind, fields);
        self.text += ",\"sentence\":";
        quote(&mut self.text, sentence);
        self.close = "}";
    }

    /// Shows a seat another event in place of the last one.
    pub fn show(&mut self, seat: usize, kind: &str, fields: &[(&str, &dyn Value)]) {
        self.seen_by(seat);
        self.text += "{\"event\":";
        tagged(&mut self.text, kind, fields);
        self.text.push('}');
    }

    /// Hides the last event from a seat.
    pub fn hide(&mut self, seat: usize) {
        self.seen_by(seat);
        self.text += "null";
    }

    fn seen_by(&mut self, seat: usize) {
        let is_first = self.close == "}";
        self.text += if is_first { ",\"seen\":{" } else { "," };
        self.close = "}}";
        quote(&mut self.text, seat);
        self.text.push(':');
    }
}

impl Value for News {
    fn write(&self, out: &mut String) {
        for part in ["[", &self.text, self.close, "]"] {
            *out += part;
        }
    }
}

/// The options of the seats that have to act.
#[derive(Default)]
pub struct Prompts {
    text: String,
    last: Option<usize>, // the last seat
    only: Option<usize>, // the only seat of interest
}

impl Prompts {
    /// Offers a seat an action, with the legal values of each field. All options of a seat must be added one after the other.
    pub fn offer(&mut self, seat: usize, kind: &str, fields: &[(&str, &dyn Value)]) {
        if self.only.unwrap_or(seat) != seat {
            return;
        }
        if self.last == Some(seat) {
            self.text.push(',');
        } else {
            self.text += if self.last.is_some() { "]," } else { "" };
            quote(&mut self.text, seat);
            self.text += ":[";
            self.last = Some(seat);
        }
        tagged(&mut self.text, kind, fields);
    }
}

impl Value for Prompts {
    fn write(&self, out: &mut String) {
        let close = if self.last.is_some() { "]}" } else { "}" };
        for part in ["{", &self.text, close] {
            *out += part;
        }
    }
}

/// The table as each seat sees it.
#[derive(Default)]
pub struct Views(String);

impl Views {
    /// Shows a seat these fields.
    pub fn show(&mut self, seat: usize, fields: &[(&str, &dyn Value)]) {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        quote(&mut self.0, seat);
        self.0.push(':');
        object(&mut self.0, fields.iter().copied());
    }
}

impl Value for Views {
    fn write(&self, out: &mut String) {
        for part in ["{", &self.0, "}"] {
            *out += part;
        }
    }
}

/// Plays all matches that the arena asks for.
pub fn play<G: Game>() {
    let mut output = only_messages();
    let mut input = io::stdin().lock();
    let mut matches: HashMap<i64, G> = HashMap::new();
    let (mut line, mut answer) = (String::new(), String::new());
    while matches!(input.read_line(&mut line), Ok(1..)) {
        let message = parse(&line).unwrap_or_else(|why| panic!("a message is unreadable: {why}"));
        let (kind, ask) = message.only();
        match kind {
            "hello" => answer = format!("{{\"game\":{}}}", G::FACTS.replace('\n', " ")),
            "drop" => drop(matches.remove(&ask["match"].number())),
            "deal" | "act" | "late" | "withdraw" => {
                answer_to(kind, ask, &mut matches, &mut answer);
            }
            _ => {} // from a later version: no answer
        }
        if !answer.is_empty() {
            answer.push('\n');
            if output.write_all(answer.as_bytes()).is_err() {
                return; // the arena is gone
            }
        }
        line.clear();
        answer.clear();
    }
}

fn answer_to<G: Game>(kind: &str, ask: &Json, matches: &mut HashMap<i64, G>, answer: &mut String) {
    let (id, mut news, mut act) = (&ask["id"], News::default(), Prompts::default());
    let game = match take(kind, ask, matches, &mut news) {
        Ok(game) => game,
        Err(Illegal(why)) => return tagged(answer, "illegal", &[("id", id), ("why", &why)]),
    };
    game.act(&mut act);
    let mut views = Views::default();
    game.views(&mut views);
    let mut fields: Fields = vec![("id", id), ("events", &news), ("views", &views)];
    if act.last.is_some() {
        fields.push(("act", &act));
        tagged(answer, "state", &fields);
    } else {
        fields.extend(game.end());
        tagged(answer, "over", &fields);
    }
}

fn take<'m, G: Game>(
    kind: &str,
    ask: &Json,
    matches: &'m mut HashMap<i64, G>,
    news: &mut News,
) -> Result<&'m G, Illegal> {
    let number = ask["match"].number();
    if kind == "deal" {
        let mut start = Start {
            seats: ask["seats"].index(),
            rules: &ask["rules"],
            chance: Chance::new(ask["seed"].number() as u64),
        };
        matches.insert(number, G::deal(&mut start, news)?);
    }
    let game = matches.get_mut(&number).expect("a match is dealt first");
    let (seat, action) = (ask["seat"].index(), &ask["action"]);
    match kind {
        "act" => {
            check(game, seat, action)?;
            game.play(seat, action, news);
        }
        "late" => game.late(seat, news)?,
        "withdraw" => {
            let seats = ask["seats"].list().iter().map(Json::index);
            game.withdraw(&seats.collect::<Vec<_>>(), news);
        }
        _ => {}
    }
    Ok(game)
}

/// Refuses an action that the seat's prompt does not offer, because bots may send anything.
fn check<G: Game>(game: &G, seat: usize, action: &Json) -> Result<(), Illegal> {
    let mut prompts = Prompts {
        only: Some(seat),
        ..Prompts::default()
    };
    game.act(&mut prompts);
    let mut text = String::new();
    prompts.write(&mut text);
    let prompts = parse(&text).expect("prompts are written as JSON");
    let (_, prompt) = prompts.only();
    let (kind, values) = action.only();
    let is_offered = |option: &Json| {
        let (offered, fields) = option.only();
        let is_kind = kind == offered && action.fields().len() == 1;
        let is_legal = |(name, legal): &(Cow<str>, Json)| legal.offers(&values[&**name]);
        is_kind && matches!(values, Json::Object(_)) && fields.fields().iter().all(is_legal)
    };
    if prompt.list().iter().any(is_offered) {
        return Ok(());
    }
    Err(Illegal(format!(
        "{action} is not legal here; choose from {prompt}"
    )))
}

/// Reserves standard output for messages. From now on, other output goes to standard error, which is the game's log.
fn only_messages() -> File {
    extern "C" {
        fn dup(file: i32) -> i32;
        fn dup2(file: i32, as_file: i32) -> i32;
    }
    // Safety: these calls touch no memory, and nothing else owns the new file.
    unsafe {
        let output = dup(1);
        dup2(2, 1);
        File::from_raw_fd(output)
    }
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

    /// Returns this many of the items, each at most once, in random order.
    pub fn sample<T>(&mut self, all: impl IntoIterator<Item = T>, count: usize) -> Vec<T> {
        let mut all: Vec<T> = all.into_iter().collect();
        self.shuffle(&mut all);
        all.truncate(count);
        all
    }
}
