//! The lines between the arena and a referee, one JSON object each, named after its only key.

use std::collections::BTreeMap;

use arena_engine::chance::Seed;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::table::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of these messages.
pub const VERSION: u32 = 1;

/// A line from the arena. Each has a number that the answer repeats, except for those that need no answer.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToReferee<'a> {
    /// The first line; answered by `game`.
    Hello {
        /// Number of this request.
        id: u64,
        /// Version of the messages.
        version: u32,
    },
    /// Begins a match; answered by `state`, `over`, or `illegal` if the rules are refused.
    Deal {
        /// Number of this request.
        id: u64,
        /// Number of the match.
        r#match: u64,
        /// Source of all randomness in the match.
        seed: Seed,
        /// Number of seats.
        seats: usize,
        /// All rules with their values.
        rules: &'a Value,
    },
    /// A seat's action; answered by `state`, `over` or `illegal`.
    Act {
        /// Number of this request.
        id: u64,
        /// Number of the match.
        r#match: u64,
        /// The seat.
        seat: Seat,
        /// The action.
        action: &'a Value,
    },
    /// A seat has not answered in time; answered by `state` or `over` with the game's own penalty, or by `illegal` if the seat forfeits.
    Late {
        /// Number of this request.
        id: u64,
        /// Number of the match.
        r#match: u64,
        /// The seat.
        seat: Seat,
    },
    /// Seats that have forfeited leave the match; answered by `state` or `over`.
    Withdraw {
        /// Number of this request.
        id: u64,
        /// Number of the match.
        r#match: u64,
        /// The seats.
        seats: Vec<Seat>,
    },
    /// The match is over, or abandoned. No answer.
    Drop {
        /// Number of the match.
        r#match: u64,
    },
}

/// A line from the referee.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromReferee {
    /// The facts of the game.
    Game(Box<Announced>),
    /// The match goes on.
    State(State),
    /// The match is over.
    Over(Over),
    /// The request breaks the rules, and nothing has changed.
    Illegal(Illegal),
}

/// A step of a match: events, and the seats that must act now.
#[derive(Deserialize)]
pub struct State {
    /// Number of the request.
    pub id: u64,
    /// Events since the last answer in this match.
    #[serde(default)]
    pub events: Vec<Happened>,
    /// The table as each seat sees it from now on; seats that are left out see it as before.
    #[serde(default)]
    pub views: BTreeMap<u8, Json>,
    /// Prompt of each seat that must act now.
    pub act: BTreeMap<u8, Json>,
}

/// The end of a match.
#[derive(Deserialize)]
pub struct Over {
    /// Number of the request.
    pub id: u64,
    /// Events since the last answer in this match.
    #[serde(default)]
    pub events: Vec<Happened>,
    /// The table as each seat sees it at the end.
    #[serde(default)]
    pub views: BTreeMap<u8, Json>,
    /// Points by seat; `None` if they follow from the counts.
    pub points: Option<Vec<i32>>,
    /// Counts of each source of points, by seat.
    pub counts: Option<Vec<BTreeMap<String, i32>>>,
    /// Places by seat, 1 for the best; `None` to rank by points.
    pub places: Option<Vec<u8>>,
}

/// A request that breaks the rules.
#[derive(Deserialize)]
pub struct Illegal {
    /// Number of the request.
    pub id: u64,
    /// Reason, for the author of the bot.
    pub why: String,
}

/// An event, with what each seat sees of it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Happened {
    /// The event with nothing hidden, as an object with one key.
    pub event: Json,
    /// A sentence about it.
    #[serde(default)]
    pub sentence: Option<String>,
    /// Events shown instead to seats from which a part is hidden; null for nothing.
    #[serde(default)]
    pub seen: BTreeMap<u8, Option<Seen>>,
}

/// An event as a seat sees it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Seen {
    /// The event as it sees it.
    pub event: Json,
    /// A sentence about that.
    #[serde(default)]
    pub sentence: Option<String>,
}

/// The facts of a game. Only the name and the range of points are needed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Announced {
    /// Its name in files and on the wire.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// Minimum and maximum number of seats.
    #[serde(default = "two_seats")]
    pub seats: [usize; 2],
    /// Version of its rules.
    #[serde(default = "first_version")]
    pub version: u32,
    /// Minimum and maximum points of a seat, forfeits included.
    pub points: [i32; 2],
    /// Its rules by name.
    #[serde(default)]
    pub rules: BTreeMap<String, Rule>,
    /// Sources of points, in the order of tables.
    #[serde(default)]
    pub sources: Vec<Worth>,
    /// Its options for people.
    #[serde(default)]
    pub forms: Vec<Form>,
    /// Fields that hold a seat, and fields that hold a value for each seat.
    #[serde(default)]
    pub players: Players,
}

/// A rule of a game.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Rule {
    /// Its default: a whole number, a truth value or a text.
    pub default: Value,
    /// One-line explanation.
    #[serde(default)]
    pub about: String,
}

/// Something that a game awards points for.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Worth {
    /// Its name.
    pub name: String,
    /// Points for each time.
    pub worth: i32,
}

/// An option of a prompt, for people.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Form {
    /// Name of the action.
    pub action: String,
    /// One-sentence explanation.
    pub help: String,
    /// Its fields, in the order in which people choose them.
    #[serde(default)]
    pub fields: Vec<Field>,
}

/// A field of an action, for people.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Field {
    /// Its name in the action.
    pub name: String,
    /// Its name for people.
    #[serde(default)]
    pub title: String,
    /// The way people choose it.
    #[serde(default)]
    pub kind: Kind,
}

/// The way people choose a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One of the values that the prompt lists.
    #[default]
    List,
    /// A player: one of the seats that the prompt lists.
    Player,
    /// A list of values, one from each list in the prompt.
    Each,
}

/// Fields of events and actions that refer to players.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Players {
    /// Fields that hold a seat or several.
    pub seat: Vec<String>,
    /// Fields that hold a value for each seat.
    pub by_seat: Vec<String>,
}

impl Default for Players {
    fn default() -> Self {
        Self {
            seat: vec!["seat".to_owned()],
            by_seat: Vec::new(),
        }
    }
}

fn two_seats() -> [usize; 2] {
    [2, 2]
}

fn first_version() -> u32 {
    1
}

impl FromReferee {
    /// Returns the number of the request that it answers; `None` for the facts.
    pub fn id(&self) -> Option<u64> {
        match self {
            Self::Game(_) => None,
            Self::State(State { id, .. })
            | Self::Over(Over { id, .. })
            | Self::Illegal(Illegal { id, .. }) => Some(*id),
        }
    }
}

impl Over {
    /// Returns one value per seat of a list, if it has one.
    pub fn by_seat<T: Clone>(list: &[T], seats: usize) -> Option<BySeat<T>> {
        (list.len() == seats).then(|| BySeat::new(seats, |seat| list[seat.index()].clone()))
    }
}
