//! The messages, as both ends write and read them.

use std::collections::BTreeMap;

use crate::fault::{BotFault, Flaw, Opening, Violation};
use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::outcome::{Ended, Outcome};
use arena_engine::seat::Seat;
use arena_engine::table::{self, Entry, Json};
use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The version of the protocol spoken here.
pub const VERSION: u32 = 1;

/// The longest note that is kept, in bytes; the rest is cut off.
pub const NOTE: usize = 4096;

/// The most matches that one process is given at the same time, whatever it offers.
pub const MATCHES: u32 = 256;

/// The most levels of nesting in a line from a bot.
pub const NESTING: usize = 127;

/// The error of a reader of JSON at a number that it cannot hold.
const OUT_OF_RANGE: &str = "number out of range";

/// What the arena sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ArenaToBot")]
pub enum ToBot<Rules, Events, Prompt, View> {
    /// The first line; answered by [`FromBot::Ready`].
    Hello(Hello),
    /// A match begins. Not answered.
    Start(Start<Rules>),
    /// Your turn; answered by an [`Answer`] with the same id.
    Turn(Turn<Events, Prompt, View>),
    /// The match is over. Not answered.
    End(End<Events>),
    /// Why the bot forfeited, for its log.
    Error(Refusal),
    /// There is nothing more to play: exit.
    Quit {},
}

/// What the arena sends in a game, as a bot reads it.
pub type ToBotOf<G> =
    ToBot<<G as Game>::Rules, Vec<<G as Game>::Event>, <G as Game>::Prompt, <G as Game>::View>;

/// The arena introduces itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    /// The version of the protocol.
    pub protocol: u32,
    /// The version of the arena.
    pub arena: String,
}

/// What a seat knows before the first turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Start<Rules> {
    /// The number of the match, different from all others of this process.
    pub r#match: u64,
    /// The game's name.
    pub game: String,
    /// The variant, all values filled in but those that are optional by the game's rules page.
    pub rules: Rules,
    /// Your seat, counted from 0.
    pub seat: Seat,
    /// How many seats there are.
    pub seats: usize,
    /// A seed for your own chance: a bot that uses no other gives the same match again.
    pub seed: Seed,
    /// How much time there is.
    pub clock: Clock,
}

/// How much time there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Clock {
    /// Milliseconds for each answer; null if there is no limit.
    pub move_ms: Option<u64>,
    /// Milliseconds that your seat has left for all its answers of this match; left out if there is no such limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u64>,
    /// Milliseconds that are added to the bank after each answer; left out if there is no bank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
    /// Milliseconds that your last answer in this match cost, waits for a core not counted; left out before there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charged_ms: Option<u64>,
}

/// Answers that a bank is planned for.
const ANSWERS: u64 = 100;

impl Clock {
    /// Milliseconds that each answer may take: the limit, and no more than a share of the bank with what is added to it.
    pub fn per_answer(&self) -> Option<u64> {
        let share = self
            .bank_ms
            .map(|bank| bank / ANSWERS + self.increment_ms.unwrap_or(0));
        self.move_ms.into_iter().chain(share).min()
    }
}

/// A decision is needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turn<Events, Prompt, View> {
    /// To be repeated in the answer; greater than all before.
    pub id: u64,
    /// The match.
    pub r#match: u64,
    /// What happened since your last turn in this match, as your seat sees it.
    pub events: Events,
    /// Your options: a list, each an action with the list of legal values in place of each value.
    pub prompt: Prompt,
    /// What your seat sees of the table now. Left out if the bot did not want it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// How much time there is.
    pub clock: Clock,
}

/// A match is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct End<Events> {
    /// The match.
    pub r#match: u64,
    /// What happened since your last turn, as your seat sees it.
    pub events: Events,
    /// Places and points.
    pub outcome: Outcome,
    /// Why it is over.
    pub ended: Ended,
}

/// Why a bot forfeited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Error")]
pub struct Refusal {
    /// The match; left out if it was before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#match: Option<u64>,
    /// In one sentence.
    pub message: String,
}

/// What a bot sends first, and in place of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BotReady")]
pub enum FromBot {
    /// The bot is ready to play.
    Ready(Ready),
    /// The bot cannot go on now; for bots with `may_pause`, in place of `ready` or of an answer.
    Pause(Pause),
}

/// A request to stop the run, since something outside the bot fails: the match is void, and is played again on the same deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// What fails, in one sentence.
    pub why: String,
}

/// The bot introduces itself; every field may be left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Ready {
    /// The version of the protocol that the bot speaks; another than ours is refused. Optional.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<u32>,
    /// What the bot calls itself.
    pub name: Option<String>,
    /// The version of the bot.
    pub version: Option<String>,
    /// The games it plays; all by default.
    pub games: Option<Vec<String>>,
    /// What turns should contain; both by default.
    pub wants: Option<Vec<Want>>,
    /// The number of matches it plays at the same time; one by default.
    #[schemars(range(min = 1, max = MATCHES))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<u32>,
}

impl Ready {
    /// True if turns for this bot hold this.
    pub fn wants(&self, want: Want) -> bool {
        self.wants
            .as_ref()
            .is_none_or(|wants| wants.contains(&want))
    }

    /// True if the bot plays the game.
    pub fn plays(&self, game: &str) -> bool {
        self.games
            .as_ref()
            .is_none_or(|games| games.iter().any(|name| name == game))
    }
}

/// Something that turns may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Want {
    /// What happened since the last turn.
    Events,
    /// The table as the seat sees it.
    View,
}

/// The answer to a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BotAnswer")]
pub struct Answer<Action> {
    /// The id of the turn.
    pub id: u64,
    /// What to do.
    pub action: Action,
    /// Free text, kept with the match; of no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The turn that a line from a bot answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Routed {
    /// The open turn of this id; whether the answer fits is not known yet.
    Open(u64),
    /// An earlier turn, of this id: the line is to be dropped.
    Stale(u64),
    /// None: the bot asks for a pause.
    Pause(Pause),
}

/// Finds the turn that a line answers, where `open` are the ids of the turns without an answer and `last` is the last id of all
/// that the bot was ever sent.
///
/// An id that is not open is that of a late answer if it is not above the last one; otherwise it has never been sent,
/// and the line is refused, as is one without any id. An answer to an open turn is an answer whatever its action is: one that
/// the game does not have is illegal, as is one that it does not allow.
pub fn route(line: &str, open: &[u64], last: u64) -> Result<Routed, Violation> {
    #[derive(Deserialize)]
    struct Numbered {
        id: u64,
    }
    let quote = Quote { line, open, last };
    let object = quote.object()?;
    // Most lines begin with the id. The rest is read when the answer is.
    if let Some(id) = leading_id(object).filter(|id| open.contains(id)) {
        return Ok(Routed::Open(id));
    }
    match serde_json::from_str(object) {
        Ok(Numbered { id }) if open.contains(&id) => Ok(Routed::Open(id)),
        Ok(Numbered { id }) if id <= last => Ok(Routed::Stale(id)),
        Ok(_) => Err(Violation::WrongId {
            awaited: !open.is_empty(),
        }),
        Err(error) => match parse_first(line) {
            Ok(FromBot::Pause(pause)) => Ok(Routed::Pause(pause)),
            _ => Err(quote.violation(&error, || flaw(line))),
        },
    }
}

/// Returns the id of a line that begins with it.
fn leading_id(line: &str) -> Option<u64> {
    let (id, _) = line.strip_prefix("{\"id\":")?.split_once(',')?;
    let is_plain = id.bytes().all(|byte| byte.is_ascii_digit()) && !id.starts_with('0');
    id.parse().ok().filter(|_| is_plain)
}

/// The violation of a line that asks for a pause, from a bot that may not.
pub fn refused_pause(line: &str) -> Violation {
    let error = "it asks for a pause, which it may not".into();
    Violation::Unfit {
        flaw: Flaw::Pause,
        error,
        line: Quote {
            line,
            open: &[],
            last: 0,
        }
        .shown(),
    }
}

/// Reads a line that answers the turn of this id. The action is not looked into.
///
/// # Errors
/// If it has no action, or its note is no text.
pub fn parse_answer(line: &str, id: u64, last: u64) -> Result<Answer<&RawValue>, Violation> {
    let read = serde_json::from_str::<Answer<&RawValue>>(line);
    // Escapes of characters that do not exist are found only by a reader that looks into them.
    let read = read.and_then(|answer| match answer.action.get().contains("\\u") {
        true => serde_json::from_str::<Value>(line).map(|_| answer),
        false => Ok(answer),
    });
    match read {
        Ok(answer) => Ok(Answer {
            note: answer.note.map(cut),
            ..answer
        }),
        Err(error) => Err(Quote {
            line,
            open: &[id],
            last,
        }
        .unfit(&error)),
    }
}

/// Reads the action of a line that answers the turn of this id.
///
/// # Errors
/// The fault of an answer without an action of the game, or whose note is no text.
pub fn read_action(game: &Entry, line: &str, id: u64, last: u64) -> Result<Json, BotFault> {
    let action = parse_answer(line, id, last)?.action;
    let action = game.read_action(action.get());
    action.map_err(|why| no_action(&why, id, last))
}

/// The fault of an answer to the turn of this id whose action the game does not have, which is why.
pub fn no_action(why: &str, id: u64, last: u64) -> BotFault {
    BotFault::Illegal(short(&without_ids(why, &[id], last)))
}

/// What is wrong with an answer whose id cannot be read.
fn flaw(line: &str) -> (Flaw, String) {
    #[derive(Deserialize)]
    struct Fields {
        id: Option<IgnoredAny>,
        action: Option<IgnoredAny>,
    }
    let (flaw, what) = match serde_json::from_str(line) {
        Ok(Fields {
            id: None,
            action: None,
        }) => (Flaw::Everything, "it has neither an id nor an action"),
        Ok(Fields { id: None, .. }) => (Flaw::NoId, "it has no id"),
        _ => (Flaw::Id, "its id is not the whole number that was sent"),
    };
    (flaw, what.into())
}

/// The key that stands twice in an object, in a sentence, if that is the error.
fn twice(error: &str) -> Option<String> {
    let key = error.strip_prefix("duplicate field `")?.strip_suffix('`')?;
    Some(format!("the key {key} appears twice"))
}

/// An error of a reader of JSON without the place where it was met.
fn without_place(error: &str) -> &str {
    error
        .rsplit_once(" at line ")
        .map_or(error, |(text, _)| text)
}

/// Reads the line that answers `hello`: `ready`, or `pause`.
pub fn parse_first(line: &str) -> Result<FromBot, Violation> {
    /// A message whose fields have names: a struct could also be read from a list.
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Named {
        Ready(
            #[expect(dead_code, reason = "it is read a second time")] BTreeMap<String, IgnoredAny>,
        ),
        Pause(
            #[expect(dead_code, reason = "it is read a second time")] BTreeMap<String, IgnoredAny>,
        ),
    }
    let quote = Quote {
        line,
        open: &[],
        last: 0,
    };
    let named = serde_json::from_str::<Named>(quote.object()?);
    match named.and_then(|_| serde_json::from_str(line)) {
        Ok(FromBot::Ready(Ready {
            protocol: Some(bot),
            ..
        })) if bot != VERSION => Err(Violation::WrongVersion {
            bot,
            arena: VERSION,
        }),
        Ok(FromBot::Ready(Ready {
            matches: Some(matches),
            ..
        })) if !(1..=MATCHES).contains(&matches) => {
            let error = format!("matches must be from 1 to {MATCHES}, not {matches}");
            Err(Violation::Unfit {
                flaw: Flaw::Ready,
                error,
                line: quote.shown(),
            })
        }
        Ok(first) => Ok(first),
        Err(error) => Err(quote.violation(&error, || {
            let value = serde_json::from_str(line).unwrap_or_default();
            let what = table::flaw::<FromBot>("the first message", &value);
            (
                Flaw::Ready,
                what.unwrap_or_else(|| "the first message is not ready as it should be".into()),
            )
        })),
    }
}

/// A note without what is too long of it to be kept.
pub fn cut(mut note: String) -> String {
    note.truncate(note.floor_char_boundary(NOTE));
    note
}

/// A line that may be quoted in a fault. Ids are left out of what is quoted, since they differ from run to run, and a
/// match that is played again is to end with the same words.
struct Quote<'a> {
    line: &'a str,
    open: &'a [u64],
    last: u64,
}

impl<'a> Quote<'a> {
    /// The line, if it begins as a message does and is not nested too deeply.
    fn object(&self) -> Result<&'a str, Violation> {
        let Self { line, .. } = *self;
        if is_too_deep(line) {
            return Err(Violation::TooDeep {
                limit: NESTING,
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

    /// The beginning of the line, without control characters.
    fn shown(&self) -> String {
        let line = without_ids(self.line, self.open, self.last);
        let shown: String = line.chars().take(120).flat_map(visible).collect();
        let more = if line.chars().nth(120).is_some() {
            "…"
        } else {
            ""
        };
        shown + more
    }

    /// Explains why the line does not answer the turn that it is meant to answer.
    fn unfit(&self, error: &serde_json::Error) -> Violation {
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

    /// Explains why the line could not be read; `flaw` is what is wrong with it if it is JSON.
    fn violation(
        &self,
        error: &serde_json::Error,
        flaw: impl FnOnce() -> (Flaw, String),
    ) -> Violation {
        let (text, line) = (error.to_string(), self.shown());
        let text = without_place(&text);
        let is_json = || serde_json::from_str::<IgnoredAny>(self.line).is_ok();
        // For an enum that is not written as an object, serde_json reports that it is no JSON.
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

/// A text in which `…` stands for the ids of turns.
pub fn without_ids(text: &str, open: &[u64], last: u64) -> String {
    let ids = open.iter().copied().chain((last > 0).then_some(last));
    ids.fold(text.to_owned(), |text, id| {
        text.replace(&id.to_string(), "…")
    })
}

/// True if the values of a line are nested more deeply than they may be. Most lines are too short for that.
fn is_too_deep(line: &str) -> bool {
    let opens = |byte: &u8| matches!(byte, b'[' | b'{');
    line.len() > NESTING
        && line.as_bytes().iter().filter(|byte| opens(byte)).count() > NESTING
        && depth(line) > NESTING
}

/// The deepest nesting in a line.
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

/// A character as it can be shown: control characters and those that cannot be seen by their numbers, quotes as they are.
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

/// The text of an error, which may quote whatever the bot wrote: on one line, without control characters, and not endless.
pub fn short(error: &str) -> String {
    const ENDS: usize = 200;
    let text: Vec<char> = error.chars().flat_map(visible).collect();
    if text.len() <= 2 * ENDS {
        return text.into_iter().collect();
    }
    let (start, end) = (&text[..ENDS], &text[text.len() - ENDS..]);
    start.iter().chain(['…'].iter()).chain(end).collect()
}

#[cfg(test)]
mod tests;
