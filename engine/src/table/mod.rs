//! Games behind one trait object: the only place where a game's types become JSON and back.
//!
//! An [`Entry`] holds a game's constant facts and opens its tables. A [`Table`] is one match, in progress or finished. Code built on these
//! two is compiled once for all games, and works with games defined in other crates.

mod action;
mod by_name;
mod entry;
mod flaw;
mod registry;
mod typed;

use serde::Serialize;

use crate::fault::Fault;
use crate::frames::Frame;
use crate::insight::Insight;
use crate::machine::NotTaken;
use crate::outcome::Verdict;
use crate::record::{Record, Reply};
use crate::replay::BadRecord;
use crate::seat::{BySeat, Seat};
use crate::set::Set;

pub use self::entry::{
    Builtin, Dealer, Entry, Make, Rulebook, Schemas, SeatedBot, Variant, of_match,
};
pub use self::flaw::flaw;
pub use self::registry::{
    Loader, all, find, games, get, is_loaded, load, make_known, names, plain_name, search_in,
    set_loader, versioned,
};
pub use crate::json::Json;

/// A record of any game, with rules and actions as JSON.
pub type RawRecord = Record<Json, Json>;

/// One match, in progress or finished.
///
/// # Panics
/// Methods with a seat panic if the table has no such seat.
pub trait Table: Send {
    /// Returns the seats that still have to reply; empty once the match is over.
    fn to_act(&self) -> Set<Seat>;
    /// Returns the number of replies so far.
    fn replies(&self) -> usize;
    /// Returns the verdict, once the match is over.
    fn verdict(&self) -> Option<&Verdict>;
    /// Returns the reason why the game itself has failed, if it has. Then no seat has to act, and there is no verdict.
    fn broken(&self) -> Option<&str>;
    /// Returns the fault for which the seat forfeited, if it did.
    fn fault(&self, seat: Seat) -> Option<&Fault>;
    /// Returns the seed, the rules and the replies so far.
    fn record(&self) -> RawRecord;
    /// Returns the record as JSON text.
    fn record_text(&self) -> Json;

    /// Takes a seat's reply, with the action as JSON text. A seat whose action is illegal forfeits.
    ///
    /// # Errors
    /// If the seat does not have to act now, or the text is not an action of this game; then nothing changes. Also if the game itself
    /// fails.
    fn reply(&mut self, seat: Seat, reply: Reply<&str>) -> Result<(), Refused>;
    /// Appends `"events":[…],"prompt":[…],"view":{…},` for a seat that has to act. The list holds the events since the seat's last turn.
    fn write_turn(&mut self, seat: Seat, wants: Wants, line: &mut Vec<u8>);
    /// Appends the list of events since the seat's last turn.
    fn write_events(&mut self, seat: Seat, line: &mut Vec<u8>);

    /// Seats a built-in bot and starts its match. `move_ms` is the announced time limit per answer. Returns `false` if the bot does not
    /// play this game.
    fn seat(&mut self, seat: Seat, bot: &Builtin, move_ms: Option<u64>) -> bool;
    /// Lets the built-in bot in this seat, which must have to act, choose its reply. A bot that panics forfeits.
    fn choose(&mut self, seat: Seat);
    /// Takes the reply that the built-in bot in this seat has chosen.
    ///
    /// # Errors
    /// If the seat does not have to act now.
    fn reply_as_chosen(&mut self, seat: Seat) -> Result<(), Refused>;
    /// Lets built-in bots play until the match is over or a seat without a built-in bot has to act.
    fn bots_play(&mut self);
    /// Tells all built-in bots that did not forfeit how the match ended.
    fn end_bots(&mut self);

    /// Returns the legal actions of a seat that has to act.
    fn prompt(&self, seat: Seat) -> Json;
    /// Returns the table as the seat sees it after all events that it has been handed.
    fn view(&mut self, seat: Seat) -> Json;
    /// Returns the events since the seat's last turn, one by one, for a person in this seat.
    fn news(&mut self, seat: Seat, names: &BySeat<String>) -> Vec<Happening>;
    /// Returns the events since the last call as a spectator sees them: anything that is hidden from any seat is hidden.
    fn public_news(&mut self, names: &BySeat<String>) -> Vec<Happening>;
    /// Parses and checks an action of a seat that has to act, without carrying it out.
    ///
    /// # Errors
    /// If the action is malformed or illegal; the error is a sentence that explains the problem.
    fn check(&self, seat: Seat, action: &str) -> Result<Json, String>;
    /// Returns the action that this bot would choose for a seat that has to act. `None` if the bot panics or does not play this game.
    fn advise(&mut self, seat: Seat, bot: &Builtin) -> Option<Json>;
    /// Returns the seat's exact knowledge; `None` if the game does not support it.
    fn knowledge(&self, seat: Seat) -> Option<Box<dyn Knowledge>>;

    /// Returns all events, with nothing hidden.
    fn events(&self) -> Vec<Json>;
    /// Returns a sentence for each event as the seat sees it. Without a seat, nothing is hidden, and the table is drawn occasionally.
    fn sentences(&self, seat: Option<Seat>, names: &BySeat<String>) -> Vec<String>;
    /// Returns the match step by step. Each step has up to `guesses` of the likeliest guesses for each seat.
    ///
    /// # Errors
    /// If the match is not over.
    fn frames(
        &self,
        names: &BySeat<String>,
        guesses: Option<usize>,
    ) -> Result<Vec<Frame>, BadRecord>;
    /// Returns each decision with its seat's knowledge and up to `most` guesses; `None` if the game does not support it.
    ///
    /// # Errors
    /// If the match is not over.
    fn insights(&self, most: usize) -> Result<Vec<Insight<Json>>, BadRecord>;
}

/// The reason why a reply was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The match rejects the reply.
    #[error(transparent)]
    NotTaken(#[from] NotTaken),
    /// The text is not an action of the game, for this reason.
    #[error("{0}")]
    Unreadable(String),
}

/// The optional parts of a turn that a seat wants to receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// True to include the events since the seat's last turn; if false, the list is empty.
    pub events: bool,
    /// True to include the view; if false, the field is left out.
    pub view: bool,
}

/// An event as shown to a person in a seat.
#[derive(Clone, Debug, Serialize)]
pub struct Happening {
    /// The event as the seat sees it.
    pub event: Json,
    /// A sentence describing the event.
    pub sentence: String,
    /// The view of the table after the event.
    pub view: Json,
}

/// The exact knowledge of one seat, computed by counting the hidden worlds that are consistent with its events.
pub trait Knowledge {
    /// Returns the number of hidden worlds that are consistent with everything the seat has seen. `None` if nothing is hidden, or there are
    /// too many to count.
    fn worlds(&mut self) -> Option<f64>;
    /// Returns up to `most` guesses that may be right, with their probabilities, likeliest first.
    fn guesses(&mut self, most: usize) -> Vec<(Json, f64)>;
    /// Returns the probability that a guess is right. `None` if the action is not a guess, or there are too many worlds to count.
    fn chance(&mut self, action: &str) -> Option<f64>;
}
