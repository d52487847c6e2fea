//! The protocol's messages, shared by both ends of the wire.

mod quote;

use std::collections::BTreeMap;

use crate::fault::{BotFault, Flaw, Violation};
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

use self::quote::Quote;
pub use self::quote::{cut, short, visible, without_ids};

/// Protocol version implemented here.
pub const VERSION: u32 = 1;

/// Maximum length of a stored note, in bytes. Longer notes are truncated.
pub const MAX_NOTE_BYTES: usize = 4096;

/// Maximum number of simultaneous matches per process, even if the bot offers more.
pub const MAX_MATCHES: u32 = 256;

/// Maximum nesting depth of a line from a bot.
pub const MAX_NESTING: usize = 127;

/// The error text of the JSON parser for a number that it cannot represent.
const OUT_OF_RANGE: &str = "number out of range";

/// A message from the arena.
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
    /// The reason why the bot forfeited, for its log.
    Error(Refusal),
    /// Nothing more to play: exit.
    Quit {},
}

/// A message from the arena in a given game, as a bot reads it.
pub type ToBotOf<G> =
    ToBot<<G as Game>::Rules, Vec<<G as Game>::Event>, <G as Game>::Prompt, <G as Game>::View>;

/// The arena's introduction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    /// The version of the protocol.
    pub protocol: u32,
    /// The version of the arena.
    pub arena: String,
}

/// Everything a seat knows before the first turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Start<Rules> {
    /// The number of the match, unique within this process.
    pub r#match: u64,
    /// The game's name.
    pub game: String,
    /// The variant, complete except for rules that the game's rules page calls optional.
    pub rules: Rules,
    /// Your seat, counted from 0.
    pub seat: Seat,
    /// Number of seats at the table.
    pub seats: usize,
    /// A random seed for the bot: with no other source of randomness, it plays a repeated match identically.
    pub seed: Seed,
    /// Time limits.
    pub clock: Clock,
}

/// Time limits of a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Clock {
    /// Milliseconds for each answer; null if there is no limit.
    pub move_ms: Option<u64>,
    /// Milliseconds left in your seat's time bank for this match; left out if there is no bank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u64>,
    /// Milliseconds added to the bank after each answer; left out if there is no bank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
    /// Milliseconds charged for your last answer in this match, time spent waiting for a core excluded; left out before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charged_ms: Option<u64>,
}

/// Number of answers for which a time bank is planned to last.
const BANK_ANSWERS: u64 = 100;

impl Clock {
    /// Returns the milliseconds available for each answer: the limit per answer or, if that is less, a share of the bank plus the
    /// increment.
    pub fn per_answer(&self) -> Option<u64> {
        let share = self
            .bank_ms
            .map(|bank| bank / BANK_ANSWERS + self.increment_ms.unwrap_or(0));
        self.move_ms.into_iter().chain(share).min()
    }
}

/// A request for a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turn<Events, Prompt, View> {
    /// The id to repeat in the answer; greater than all earlier ones.
    pub id: u64,
    /// The number of the match.
    pub r#match: u64,
    /// Events since your last turn in this match, as your seat sees them.
    pub events: Events,
    /// Your options: a list, each an action with the list of legal values in place of each value.
    pub prompt: Prompt,
    /// The table as your seat sees it. Left out if the bot does not want it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// Time limits.
    pub clock: Clock,
}

/// A match is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct End<Events> {
    /// The number of the match.
    pub r#match: u64,
    /// Events since your last turn, as your seat sees them.
    pub events: Events,
    /// Places and points.
    pub outcome: Outcome,
    /// The reason why it is over.
    pub ended: Ended,
}

/// The reason for a forfeit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Error")]
pub struct Refusal {
    /// The match; left out for a failure before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#match: Option<u64>,
    /// The reason, in one sentence.
    pub message: String,
}

/// A bot's first message, or a message sent in place of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BotReady")]
pub enum FromBot {
    /// The bot is ready to play.
    Ready(Ready),
    /// The bot cannot continue now; for bots with `may_pause`, in place of `ready` or of an answer.
    Pause(Pause),
}

/// A request to stop the run because something outside the bot fails: the match is void and is replayed on the same deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// The failure, in one sentence.
    pub why: String,
}

/// The bot's introduction; every field is optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Ready {
    /// The protocol version that the bot speaks; the arena refuses any version but its own. Optional.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<u32>,
    /// The bot's name for itself.
    pub name: Option<String>,
    /// The version of the bot.
    pub version: Option<String>,
    /// The games it plays; all by default.
    pub games: Option<Vec<String>>,
    /// Optional parts that turns should contain; all by default.
    pub wants: Option<Vec<Want>>,
    /// Maximum number of matches it plays at the same time; one by default.
    #[schemars(range(min = 1, max = MAX_MATCHES))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<u32>,
}

impl Ready {
    /// Returns `true` if turns for this bot include the given part.
    pub fn wants(&self, want: Want) -> bool {
        self.wants
            .as_ref()
            .is_none_or(|wants| wants.contains(&want))
    }

    /// Returns `true` if the bot plays the game.
    pub fn plays(&self, game: &str) -> bool {
        self.games
            .as_ref()
            .is_none_or(|games| games.iter().any(|name| name == game))
    }
}

/// An optional part of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Want {
    /// The events since the last turn.
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
    /// The chosen action.
    pub action: Action,
    /// Free text stored with the match; it has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The turn to which a line from a bot responds, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Routed {
    /// The line answers the open turn with this id. The answer has not been validated yet.
    Open(u64),
    /// The line answers an earlier turn with this id, and should be dropped.
    Stale(u64),
    /// The line asks for a pause and belongs to no turn.
    Pause(Pause),
}

/// Finds the turn that a line answers. `open` are the ids of the unanswered turns, and `last` is the last id sent to the bot.
///
/// An id that is not open, but not greater than `last`, marks a late answer. Lines with a greater id, or without an id, are refused. An
/// answer to an open turn is routed even if its action is unknown: an unknown action is illegal, like one that the rules forbid.
pub fn route(line: &str, open: &[u64], last: u64) -> Result<Routed, Violation> {
    #[derive(Deserialize)]
    struct Numbered {
        id: u64,
    }
    let quote = Quote { line, open, last };
    let object = quote.object()?;
    // Fast path: most lines begin with the id. Parse the rest of the line together with the answer.
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

/// Returns the id of a line that begins with an id.
fn leading_id(line: &str) -> Option<u64> {
    let (id, _) = line.strip_prefix("{\"id\":")?.split_once(',')?;
    let is_plain = id.bytes().all(|byte| byte.is_ascii_digit()) && !id.starts_with('0');
    id.parse().ok().filter(|_| is_plain)
}

/// Returns the violation for a pause requested by a bot that may not pause.
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

/// Parses the answer to the turn with this id, leaving the action unparsed.
///
/// # Errors
/// If the action is missing, or the note is not a string.
pub fn parse_answer(line: &str, id: u64, last: u64) -> Result<Answer<&RawValue>, Violation> {
    let read = serde_json::from_str::<Answer<&RawValue>>(line);
    // Only parsing a string finds invalid Unicode escapes.
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

/// Parses the action in an answer to the turn with this id.
///
/// # Errors
/// If the game has no such action, or the note is not a string.
pub fn read_action(game: &Entry, line: &str, id: u64, last: u64) -> Result<Json, BotFault> {
    let action = parse_answer(line, id, last)?.action;
    let action = game.rulebook.read_action(action.get());
    action.map_err(|why| no_action(&why, id, last))
}

/// Returns the fault for an answer that is not an action of the game. `why` is the reason.
pub fn no_action(why: &str, id: u64, last: u64) -> BotFault {
    BotFault::Illegal(short(&without_ids(why, &[id], last)))
}

/// Explains what is wrong with an answer whose id cannot be read.
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

/// Turns serde's duplicate-field error into a sentence; `None` for other errors.
fn twice(error: &str) -> Option<String> {
    let key = error.strip_prefix("duplicate field `")?.strip_suffix('`')?;
    Some(format!("the key {key} appears twice"))
}

/// Strips the line and column from a JSON error.
fn without_place(error: &str) -> &str {
    error
        .rsplit_once(" at line ")
        .map_or(error, |(text, _)| text)
}

/// Parses the line that answers `hello`: `ready` or `pause`.
pub fn parse_first(line: &str) -> Result<FromBot, Violation> {
    /// A message whose fields are read by name only. A derived deserialiser would also accept a list in field order.
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
        })) if !(1..=MAX_MATCHES).contains(&matches) => {
            let error = format!("matches must be from 1 to {MAX_MATCHES}, not {matches}");
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

#[cfg(test)]
mod tests;
