//! Interface between a match and its human players.

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

/// Shows a table to people and asks them for their moves.
pub trait People: Sync {
    /// Shows the events since the last call for this seat. Called before the first question, and after every step of the match, including
    /// moves of other seats.
    fn show(&self, seat: Seat, news: News);

    /// Shows the events since the last call, as a spectator sees them.
    fn show_onlookers(&self, _news: News) {}

    /// Asks a seat for its action. The future may wait without limit: it is dropped when the seat's time is up.
    fn ask(&self, seat: Seat, question: Question) -> AnswerFuture<'_>;

    /// Returns the clock of the seat; `None` for unlimited time.
    fn clock(&self, _seat: Seat) -> Option<TimeControl> {
        None
    }

    /// Returns true if the seat's questions should include a hint.
    fn wants_hints(&self, _seat: Seat) -> bool {
        false
    }

    /// Saves the unfinished match; called after each step.
    fn save(&self, _begun: Begun) {}
}

/// Future of a person's answer; `None` if the person has left.
pub type AnswerFuture<'a> = Pin<Box<dyn Future<Output = Option<Answer>> + 'a>>;

/// New events, as a seat or a spectator sees them.
#[derive(Clone, Debug, Serialize)]
pub struct News {
    /// Events, oldest first.
    pub events: Vec<Happening>,
    /// Complete view of the table after the events.
    pub view: Json,
    /// The end of the match, once it is over.
    pub verdict: Option<Ending>,
}

/// The end of a match.
#[derive(Clone, Debug, Serialize)]
pub struct Ending {
    /// Places and points.
    pub outcome: Outcome,
    /// Reason for the end.
    pub ended: Ended,
}

/// A question to a person.
#[derive(Clone, Debug, Serialize)]
pub struct Question {
    /// Index of the reply in the match, over all seats, counted from 0.
    pub turn: u32,
    /// Legal actions: a list of options.
    pub prompt: Json,
    /// Options of the prompt, prepared for people.
    pub offers: Vec<Offer>,
    /// Reason why the previous answer was rejected, if it was.
    pub problem: Option<String>,
    /// Move of the strongest built-in bot, if hints are on.
    pub hint: Option<Hint>,
    /// Remaining time for the answer; `None` without a limit.
    pub limit: Option<Duration>,
}

/// A bot's move for a person, and the person's knowledge by counting.
#[derive(Clone, Debug, Serialize)]
pub struct Hint {
    pub action: Json,
    pub words: String,
    /// Number of hidden worlds that are consistent with the person's knowledge; `None` if not counted.
    pub worlds: Option<f64>,
    /// Most likely guesses in words, with their probabilities.
    pub likeliest: Vec<(String, f64)>,
    /// Possible values, with their probabilities.
    #[serde(skip)]
    pub possible: Vec<(Value, f64)>,
}

/// A person's answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Action, as JSON.
    pub action: String,
    /// Note to store with the match.
    pub note: Option<String>,
}
