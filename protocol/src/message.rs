//! The messages, as both ends write and read them.

use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::outcome::{Ended, Outcome};
use arena_engine::seat::Seat;
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

/// The version of the protocol spoken here.
pub const VERSION: u32 = 1;

/// The longest note that is kept, in bytes; the rest is cut off.
pub const NOTE: usize = 4096;

/// The most matches that one process is given at the same time, whatever it offers.
pub const MATCHES: u32 = 256;

/// What the arena sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
pub type ToBotOf<G> = ToBot<<G as Game>::Rules, Vec<<G as Game>::Event>, <G as Game>::Prompt, <G as Game>::View>;

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
    /// The variant, all values filled in.
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
}

/// A decision is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turn<Events, Prompt, View> {
    /// To be repeated in the answer; greater than all before.
    pub id: u64,
    /// The match.
    pub r#match: u64,
    /// What happened since your last turn in this match, as your seat sees it.
    pub events: Events,
    /// What you are asked: a list of options, each an action with the list of legal values in place of each value.
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
pub struct Refusal {
    /// The match; left out if it was before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#match: Option<u64>,
    /// In one sentence.
    pub message: String,
}

/// What a bot sends first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FromBot {
    /// The bot is ready to play.
    Ready(Ready),
}

/// The bot introduces itself; every field may be left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Ready {
    /// The version of the protocol that the bot speaks, if it says so; another than ours is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<u32>,
    /// What the bot calls itself.
    pub name: Option<String>,
    /// The version of the bot.
    pub version: Option<String>,
    /// The games it plays; all if left out.
    pub games: Option<Vec<String>>,
    /// What turns are to hold; both if left out.
    pub wants: Option<Vec<Want>>,
    /// How many matches it plays at the same time; one if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<u32>,
}

impl Ready {
    /// Whether turns for this bot hold this.
    pub fn wants(&self, want: Want) -> bool {
        self.wants.as_ref().is_none_or(|wants| wants.contains(&want))
    }

    /// Whether the bot says that it plays the game.
    pub fn plays(&self, game: &str) -> bool {
        self.games.as_ref().is_none_or(|games| games.iter().any(|name| name == game))
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
pub struct Answer<Action> {
    /// The id of the turn.
    pub id: u64,
    /// What to do.
    pub action: Action,
    /// Free text, kept with the match; of no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What a line from a bot means while answers are awaited.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard<Action> {
    /// The answer to an open turn.
    Answer(Answer<Action>),
    /// It is meant to answer the open turn of this id, but does not.
    Unfit(u64, NotAnAnswer),
    /// An answer to an earlier turn, to be dropped.
    Stale,
}

/// A line that is not an answer, with the reason for its author.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAnAnswer(String);

/// Reads a line that came while the turns of the ids `open` were to be answered, `last` being the last id of all that
/// the bot was ever sent.
///
/// An id that is not open is that of a late answer if it is not above the last one; otherwise it has never been asked,
/// and the line is refused, as is one without any id.
pub fn hear<Action: DeserializeOwned>(line: &str, open: &[u64], last: u64) -> Result<Heard<Action>, NotAnAnswer> {
    #[derive(Deserialize)]
    struct Numbered {
        id: u64,
    }
    if !line.starts_with('{') {
        return Err(no_object(line));
    }
    let id = match serde_json::from_str::<Answer<Action>>(line) {
        Ok(mut answer) if open.contains(&answer.id) => {
            cut(&mut answer.note);
            return Ok(Heard::Answer(answer));
        }
        Ok(answer) => answer.id,
        Err(error) => match serde_json::from_str::<Numbered>(line) {
            Ok(Numbered { id }) if open.contains(&id) => return Ok(Heard::Unfit(id, explain(line, &error))),
            Ok(Numbered { id }) => id,
            Err(_) => return Err(explain(line, &error)),
        },
    };
    if id <= last {
        return Ok(Heard::Stale);
    }
    let asked = match open {
        [] => "no turn is to be answered now".into(),
        [only] => format!("the turn to answer has the id {only}"),
        several => format!("the turns to answer have the ids {}", listed(several)),
    };
    Err(NotAnAnswer(format!("the answer has the id {id}, but {asked}")))
}

fn listed(ids: &[u64]) -> String {
    ids.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// Reads the line that answers `hello`.
pub fn hear_ready(line: &str) -> Result<Ready, NotAnAnswer> {
    match serde_json::from_str(line) {
        Ok(FromBot::Ready(Ready { protocol: Some(other), .. })) if other != VERSION => {
            Err(NotAnAnswer(format!("the bot speaks version {other} of the protocol, and the arena version {VERSION}")))
        }
        Ok(FromBot::Ready(ready)) => Ok(ready),
        Err(error) => Err(explain(line, &error)),
    }
}

fn cut(note: &mut Option<String>) {
    if let Some(note) = note.as_mut().filter(|note| note.len() > NOTE) {
        let end = (0..=NOTE).rev().find(|at| note.is_char_boundary(*at)).unwrap_or(0);
        note.truncate(end);
    }
}

/// A line that begins as no message does.
fn no_object(line: &str) -> NotAnAnswer {
    match serde_json::from_str::<IgnoredAny>(line) {
        Ok(_) => NotAnAnswer(format!("the line does not fit the protocol: a message is an object: {}", shown(line))),
        Err(error) => explain(line, &error),
    }
}

/// The beginning of a line, without control characters.
fn shown(line: &str) -> String {
    let shown: String = line.chars().take(120).flat_map(char::escape_debug).collect();
    let more = if line.chars().nth(120).is_some() { "…" } else { "" };
    shown + more
}

fn explain(line: &str, error: &serde_json::Error) -> NotAnAnswer {
    let shown = shown(line);
    // Of an enum that is not written as an object serde_json says that it is no JSON.
    if error.is_syntax() && serde_json::from_str::<IgnoredAny>(line).is_ok() {
        let what = "an action is an object with a single key";
        return NotAnAnswer(format!(
            "the line does not fit the protocol: {what}, at column {}: {shown}",
            error.column()
        ));
    }
    let hint = match line.chars().next() {
        Some('{') => "",
        Some('\u{feff}') => "; it begins with a byte order mark, write UTF-8 without one",
        _ => "; only messages go to stdout, print everything else to stderr",
    };
    let what = if error.is_data() { "does not fit the protocol" } else { "is not JSON" };
    let error = short(&error.to_string());
    NotAnAnswer(format!("the line {what}: {error}{hint}: {shown}"))
}

/// The text of an error, which may quote whatever the bot wrote: on one line, without control characters, and not endless.
fn short(error: &str) -> String {
    const ENDS: usize = 200;
    let plain = |c: char| matches!(c, '"' | '\'' | '\\');
    let escaped = |c: char| if plain(c) { vec![c] } else { c.escape_debug().collect() };
    let text: Vec<char> = error.chars().flat_map(escaped).collect();
    if text.len() <= 2 * ENDS {
        return text.into_iter().collect();
    }
    let (start, end) = (&text[..ENDS], &text[text.len() - ENDS..]);
    start.iter().chain(['…'].iter()).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_engine::games::coda::types::Action;

    fn heard(line: &str) -> Result<Heard<Action>, String> {
        match hear(line, &[8], 8).map_err(|why| why.to_string())? {
            Heard::Unfit(8, why) => Err(why.to_string()),
            heard => Ok(heard),
        }
    }

    #[test]
    fn answers_are_known_by_their_id() {
        let Ok(Heard::Answer(answer)) = heard(r#"{"id":8,"action":{"stop":{}},"mood":"good"}"#) else { panic!() };
        assert_eq!(answer, Answer { id: 8, action: Action::Stop {}, note: None });
        assert_eq!(heard(r#"{"id":7,"action":{"stop":{}}}"#), Ok(Heard::Stale));
        assert_eq!(heard(r#"{"id":7,"action":"something of another game"}"#), Ok(Heard::Stale));
        assert!(heard(r#"{"id":9,"action":{"stop":{}}}"#).unwrap_err().contains("has the id 9"));
    }

    #[test]
    fn of_several_turns_the_one_that_is_meant_is_found() {
        let heard = |line: &str| hear::<Action>(line, &[3, 8], 8);
        assert!(matches!(heard(r#"{"id":3,"action":{"stop":{}}}"#), Ok(Heard::Answer(Answer { id: 3, .. }))));
        assert!(matches!(heard(r#"{"id":3,"action":{"stop":1}}"#), Ok(Heard::Unfit(3, _))));
        assert_eq!(heard(r#"{"id":7,"action":{"stop":{}}}"#), Ok(Heard::Stale));
        assert!(heard(r#"{"id":9,"action":{"stop":{}}}"#).unwrap_err().0.contains("the ids 3, 8"));
        assert!(hear::<Action>(r#"{"id":9,"action":{"stop":{}}}"#, &[], 8).unwrap_err().0.contains("no turn"));
    }

    #[test]
    fn what_is_no_answer_is_explained() {
        let why = heard(r#"{"id":8,"action":{"attack":{"seat":1,"position":0}}}"#).unwrap_err();
        assert!(why.contains("missing field `face`") && why.contains("column"), "{why}");
        assert!(heard("thinking...").unwrap_err().contains("print everything else to stderr"));
        assert!(heard(&format!("{}8", "[".repeat(60_000))).is_err());
        for line in ["[]", "8", "null", r#"[8,{"stop":{}}]"#] {
            assert!(heard(line).unwrap_err().contains("a message is an object"), "{line}");
        }
        for action in ["null", "7", "[]", r#"{"stop":{},"draw":{}}"#] {
            let why = heard(&format!(r#"{{"id":8,"action":{action}}}"#)).unwrap_err();
            assert!(why.contains("does not fit") && why.contains("a single key"), "{why}");
        }
    }

    #[test]
    fn what_a_bot_wrote_is_quoted_without_harm() {
        let why = heard(&format!(r#"{{"id":8,"action":{{"\u001b[2J{}":{{}}}}}}"#, "x".repeat(60_000))).unwrap_err();
        assert!(why.len() < 700 && why.contains("expected one of `set_up`") && !why.contains('\u{1b}'), "{why}");
        assert!(why.contains(r"unknown variant `\u{1b}[2Jxx"), "{why}");
    }

    #[test]
    fn long_notes_are_cut_at_a_letter() {
        let line = format!(r#"{{"id":8,"action":{{"stop":{{}}}},"note":"x{}"}}"#, "ü".repeat(NOTE));
        let Ok(Heard::Answer(answer)) = heard(&line) else { panic!() };
        assert_eq!(answer.note.unwrap().len(), NOTE - 1);
    }

    #[test]
    fn ready_may_be_empty() {
        assert_eq!(hear_ready(r#"{"ready":{}}"#), Ok(Ready::default()));
        assert!(hear_ready(r#"{"redy":{}}"#).is_err());
        assert!(hear_ready("Loading model...").is_err());
        assert!(hear_ready(r#"{"ready":{"protocol":1}}"#).is_ok());
        assert!(hear_ready(r#"{"ready":{"protocol":2}}"#).unwrap_err().0.contains("version 2"));
    }
}
