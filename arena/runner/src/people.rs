//! The interface between a match and its human players.

use std::pin::Pin;
use std::time::Duration;

use arena_engine::outcome::{Ended, Outcome};
use arena_engine::seat::Seat;
use arena_engine::table::{Happening, Json};
use arena_tournament::clock::TimeControl;
use serde::Serialize;
use serde_json::Value;

use super::begun::Begun;
use super::offer::Offer;

/// Shows a table to people and asks them.
pub trait People: Sync {
    /// What happened since this was last called for the seat. Called before its first question, and after every step of the match, also
    /// when others moved.
    fn show(&self, seat: Seat, news: News);

    /// What happened since this was last called, as somebody sees it who only watches.
    fn show_onlookers(&self, _news: News) {}

    /// Asks a seat. May wait without limit: the future is dropped when the seat's time is over.
    fn ask(&self, seat: Seat, question: Question) -> AnswerFuture<'_>;

    /// The clock that binds the seat; none if its time is unlimited.
    fn clock(&self, _seat: Seat) -> Option<TimeControl> {
        None
    }

    /// True if the seat's questions come with a hint.
    fn wants_hints(&self, _seat: Seat) -> bool {
        false
    }

    /// The match as far as it has come, after each step, for those who save it.
    fn save(&self, _begun: Begun) {}
}

/// The answer of a person, when it comes; none if the person has left.
pub type AnswerFuture<'a> = Pin<Box<dyn Future<Output = Option<Answer>> + 'a>>;

/// What happened, as a seat or an onlooker sees it.
#[derive(Clone, Debug, Serialize)]
pub struct News {
    /// The events, first to last.
    pub events: Vec<Happening>,
    /// The whole view of the table after them.
    pub view: Json,
    /// The end of the match, if this is it.
    pub verdict: Option<Ending>,
}

/// How a match ended.
#[derive(Clone, Debug, Serialize)]
pub struct Ending {
    /// Places and points.
    pub outcome: Outcome,
    /// Why it is over.
    pub ended: Ended,
}

/// A question to a person.
#[derive(Clone, Debug, Serialize)]
pub struct Question {
    /// The index of the reply in the match, over all seats, counted from 0.
    pub turn: u32,
    /// The legal actions: a list of options.
    pub prompt: Json,
    /// The same as questions for people.
    pub offers: Vec<Offer>,
    /// Why the last answer was not taken, if there was one.
    pub problem: Option<String>,
    /// What the strongest built-in bot would do, if that is wanted.
    pub hint: Option<Hint>,
    /// The time that is left for the answer; none if there is no limit.
    pub limit: Option<Duration>,
}

/// What a bot would do in a person's place, and what the person can know by counting.
#[derive(Clone, Debug, Serialize)]
pub struct Hint {
    pub action: Json,
    pub words: String,
    /// The number of hidden worlds that fit; none where that is not counted.
    pub worlds: Option<f64>,
    /// The likeliest guesses in words, with their chances.
    pub likeliest: Vec<(String, f64)>,
    /// What may be right, value by value.
    #[serde(skip)]
    pub possible: Vec<(Value, f64)>,
}

/// The answer of a person.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The action, as JSON.
    pub action: String,
    /// A note that is kept with the match.
    pub note: Option<String>,
}
