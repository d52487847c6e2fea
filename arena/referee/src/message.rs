//! The lines between the arena and a referee: each is one JSON object with a single key, the name of the message.

use std::collections::BTreeMap;

use arena_engine::chance::Seed;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::table::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of these messages.
pub const VERSION: u32 = 1;

/// A line from the arena. Each request has a number that the answer repeats; lines without an answer have none.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToReferee<'a> {
    /// The first line; answered by `game`.
    Hello {
        /// The number of this request.
        id: u64,
        /// The version of the messages.
        version: u32,
    },
    /// Begins a match; answered by `state`, `over`, or `illegal` if the rules are refused.
    Deal {
        /// The number of this request.
        id: u64,
        /// The number of the match.
        r#match: u64,
        /// The seed of all randomness in the match.
        seed: Seed,
        /// Number of seats.
        seats: usize,
        /// All rules with their values.
        rules: &'a Value,
    },
    /// A seat's action; answered by `state`, `over` or `illegal`.
    Act {
        /// The number of this request.
        id: u64,
        /// The number of the match.
        r#match: u64,
        seat: Seat,
        action: &'a Value,
    },
    /// A seat has not answered in time; answered by `state` or `over` with the game's own penalty, or by `illegal` if the seat forfeits.
    Late {
        /// The number of this request.
        id: u64,
        /// The number of the match.
        r#match: u64,
        seat: Seat,
    },
    /// Seats forfeit and leave the match; answered by `state` or `over`.
    Withdraw {
        /// The number of this request.
        id: u64,
        /// The number of the match.
        r#match: u64,
        seats: Vec<Seat>,
    },
    /// The match is over or abandoned; not answered.
    Drop {
        /// The number of the match.
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
    /// The number of the request.
    pub id: u64,
    /// Events since the last answer in this match.
    #[serde(default)]
    pub events: Vec<Happened>,
    /// The table as each seat now sees it. A seat that is left out keeps its previous view.
    #[serde(default)]
    pub views: BTreeMap<u8, Json>,
    /// The prompt of each seat that must act now.
    pub act: BTreeMap<u8, Json>,
}

/// The end of a match.
#[derive(Deserialize)]
pub struct Over {
    /// The number of the request.
    pub id: u64,
    /// Events since the last answer in this match.
    #[serde(default)]
    pub events: Vec<Happened>,
    /// The table as each seat sees it at the end.
    #[serde(default)]
    pub views: BTreeMap<u8, Json>,
    /// The points by seat; `None` if they follow from the counts.
    pub points: Option<Vec<i32>>,
    /// The counts of each source of points, by seat.
    pub counts: Option<Vec<BTreeMap<String, i32>>>,
    /// The places by seat, 1 for the best; `None` to rank by points.
    pub places: Option<Vec<u8>>,
}

/// A request that breaks the rules.
#[derive(Deserialize)]
pub struct Illegal {
    /// The number of the request.
    pub id: u64,
    /// The reason, for the author of the bot.
    pub why: String,
}

/// An event, with the version that each seat sees.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Happened {
    /// The event with nothing hidden, as an object with one key.
    pub event: Json,
    /// A sentence describing the event.
    #[serde(default)]
    pub sentence: Option<String>,
    /// The versions of the event for seats from which a part is hidden; null if a seat sees nothing.
    #[serde(default)]
    pub seen: BTreeMap<u8, Option<Seen>>,
}

/// An event as a seat sees it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Seen {
    /// The event as the seat sees it.
    pub event: Json,
    /// A sentence describing the event as the seat sees it.
    #[serde(default)]
    pub sentence: Option<String>,
}

/// The facts of a game. Only the name and the range of points are required.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Announced {
    /// The name of the game in files and on the wire.
    pub name: String,
    /// The display name of the game.
    pub title: Option<String>,
    /// Minimum and maximum number of seats.
    #[serde(default = "two_seats")]
    pub seats: [usize; 2],
    /// The version of the rules.
    #[serde(default = "first_version")]
    pub version: u32,
    /// Minimum and maximum points of a seat, forfeits included.
    pub points: [i32; 2],
    #[serde(default)]
    pub rules: BTreeMap<String, Rule>,
    /// The sources of points, in the order of tables.
    #[serde(default)]
    pub sources: Vec<Worth>,
    /// Descriptions of the game's options for people.
    #[serde(default)]
    pub forms: Vec<Form>,
    /// The fields that hold a seat, and the fields that hold a value for each seat.
    #[serde(default)]
    pub players: Players,
}

/// A rule of a game.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Rule {
    /// The default: an integer, a boolean or a string.
    pub default: Value,
    /// One-line explanation.
    #[serde(default)]
    pub about: String,
}

/// A source of points.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Worth {
    pub name: String,
    /// Points per occurrence.
    pub worth: i32,
}

/// The description of an option of a prompt for people.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Form {
    pub action: String,
    /// One-sentence explanation.
    pub help: String,
    /// The fields, in the order in which people choose them.
    #[serde(default)]
    pub fields: Vec<Field>,
}

/// The description of a field of an action for people.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Field {
    /// The name of the field in the action.
    pub name: String,
    /// The display name of the field.
    #[serde(default)]
    pub title: String,
    /// The kind of input that people use for the field.
    #[serde(default)]
    pub kind: Kind,
}

/// The kind of input for the value of a field.
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

/// The fields of events and actions that refer to seats.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Players {
    /// Fields that hold one seat or several.
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
    /// Returns the number of the request that this line answers; `None` for the facts of the game.
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
    /// Converts a list with one value per seat; `None` if its length differs from the number of seats.
    pub fn by_seat<T: Clone>(list: &[T], seats: usize) -> Option<BySeat<T>> {
        (list.len() == seats).then(|| BySeat::new(seats, |seat| list[seat.index()].clone()))
    }
}
