//! The trait of a game and its parts: rules, prompts, actions, events, and the view of each seat.

use std::borrow::Cow;
use std::fmt::{Debug, Display};
use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::chance::Chance;
use crate::deduction::Deduction;
use crate::draws::Draws;
use crate::draws::Imagined;
use crate::form::{Form, Players};
use crate::outcome::{Outcome, Source};
use crate::seat::{BySeat, Seat};
use crate::set::{Member, Set};

/// A type whose values leave the engine: they can be serialised, parsed, compared, and described by a schema.
pub trait Vocabulary:
    Clone + Debug + PartialEq + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
}

impl<T> Vocabulary for T where
    T: Clone
        + Debug
        + PartialEq
        + Serialize
        + DeserializeOwned
        + JsonSchema
        + Send
        + Sync
        + 'static
{
}

/// The rules of a variant of a game: sizes, limits and optional rules.
pub trait Rules: Vocabulary + Default {
    /// Checks that the rules allow a table of `seats`. The error explains the problem.
    fn check(&self, _seats: usize) -> Result<(), String> {
        Ok(())
    }

    /// Returns the minimum and maximum points of a seat at the end of a match, forfeits included. The bounds need not be tight, but no seat
    /// may ever get points outside them, because statistics of bounded values rely on that.
    fn points(&self, seats: usize) -> RangeInclusive<i32>;

    /// Returns the maximum lead in points of one seat over another at the end of a match.
    fn lead(&self, seats: usize) -> i32 {
        let points = self.points(seats);
        points.end() - points.start()
    }

    /// Returns variants that differ in the events they can produce. The laws of all games are tested on each.
    fn variants() -> Vec<Self> {
        vec![Self::default()]
    }
}

/// The legal actions of one seat: a list of options, each an action with every value replaced by the list of its legal
/// values. Choosing an option, then one value of each list, gives a legal action.
pub trait Prompt<Action>: Vocabulary {
    /// Returns a random legal action.
    fn pick(&self, chance: &mut Chance) -> Action;
    /// Checks that the action is legal. The error explains why it is not.
    fn permits(&self, action: &Action) -> Result<(), Illegal>;
}

/// The table as one seat sees it: a fold over the events that the seat has seen.
pub trait View<Rules, Event>: Vocabulary {
    /// Creates the view before the first event.
    fn new(rules: &Rules, seats: usize, seat: Seat) -> Self;
    /// Processes one event.
    fn see(&mut self, event: &Event);
}

/// The next step of a game: either some seats act, or the game is over.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// These seats must act. Simultaneous choices are hidden from the other seats.
    Act(Set<Seat>),
    /// The game is over.
    Over(Outcome),
    /// The game itself has failed, for this reason. No seat is to blame, and the match has no result. Games of this crate never fail.
    Broken(String),
}

/// The error for an illegal action: a reason for the bot's author.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Illegal(pub String);

/// Checks that a value is legal.
///
/// # Errors
/// If the value is illegal; the error lists the legal values.
#[inline]
pub fn one_of<T: Member + Display>(name: &str, value: T, legal: Set<T>) -> Result<(), Illegal> {
    if legal.contains(value) {
        Ok(())
    } else {
        Err(not_legal(name, &value, &legal))
    }
}

#[cold]
pub(crate) fn not_legal(name: &str, value: &dyn Display, legal: &dyn Display) -> Illegal {
    Illegal(format!(
        "{name} = {value} is not legal here; choose one of {legal}"
    ))
}

/// Returns the error for a kind of action that is not offered now.
#[cold]
pub fn not_now(action: &impl Debug, offered: &[impl Debug]) -> Illegal {
    let mut offered: Vec<String> = offered.iter().map(kind).collect();
    offered.dedup();
    Illegal(format!(
        "{} is not legal now: choose {}",
        kind(action),
        offered.join(" or ")
    ))
}

/// Returns the wire name of a variant, in snake case: `set_up` for `SetUp { … }`.
fn kind(variant: &impl Debug) -> String {
    let shown = format!("{variant:?}");
    let letters = shown.chars().take_while(|letter| letter.is_alphanumeric());
    letters.fold(String::new(), |name, letter| {
        let gap = if letter.is_uppercase() && !name.is_empty() {
            "_"
        } else {
            ""
        };
        name + gap + &letter.to_lowercase().to_string()
    })
}

/// Checks that a value of the rules is within its bounds.
///
/// # Errors
/// If the value is out of bounds; the error names the bounds.
pub fn within<T: Copy + PartialOrd + Display>(
    rule: &str,
    value: T,
    bounds: RangeInclusive<T>,
) -> Result<(), String> {
    if bounds.contains(&value) {
        return Ok(());
    }
    Err(format!(
        "{rule} must be {} to {}, not {value}",
        bounds.start(),
        bounds.end()
    ))
}

/// The consequence of a late move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// The game has applied its own penalty and continues.
    Penalty,
    /// The seat forfeits.
    Forfeit,
}

/// A game of hidden information for several seats.
///
/// A game receives replies in a fixed order: simultaneous replies are revealed together and sorted by seat. It appends true events to a
/// list, and never touches the outside world.
pub trait Game: Sized + Send + 'static {
    /// The name of the game in commands, files and on the wire.
    const NAME: &'static str;
    /// The display name of the game.
    const TITLE: &'static str;
    /// The possible numbers of seats.
    const SEATS: RangeInclusive<usize>;
    /// Version of the rules, raised whenever the same seed and replies would produce a different match.
    const RULES_VERSION: u32;
    /// The sources of points in this game.
    const SCORING: &'static [Source];
    /// Descriptions, for people, of all options of the game's prompts.
    const FORMS: &'static [Form];
    /// The fields of the game's views and actions that refer to seats.
    const PLAYERS: Players = Players {
        seat: &["seat"],
        by_seat: &[],
    };
    /// The script that draws the table in a browser; see `table.js` of any game. Without a script, views are shown field by field.
    const TABLE: Option<&'static str> = None;
    /// The rules for people and bot authors, in Markdown.
    const RULES_PAGE: &'static str;
    /// The rules of a variant.
    type Rules: Rules;
    /// The legal actions offered to one seat.
    type Prompt: Prompt<Self::Action>;
    /// An action of a seat.
    type Action: Vocabulary;
    /// An event of a match. The copy for a seat hides everything that the seat may not see.
    type Event: Vocabulary;
    /// The table as one seat sees it.
    type View: View<Self::Rules, Self::Event>;

    /// Returns the name and the rules version that are stored in records of matches by these rules.
    fn identity(_rules: &Self::Rules) -> (Cow<'static, str>, u32) {
        (Self::NAME.into(), Self::RULES_VERSION)
    }
    /// Sets up the table. The caller has checked `rules` for this number of seats.
    fn deal(rules: &Self::Rules, seats: usize, draws: Draws, events: &mut Vec<Self::Event>)
    -> Self;
    /// Returns the seats that must act now, or the outcome.
    fn turn(&self) -> Turn;
    /// Returns the legal actions of a seat that must act.
    fn prompt(&self, seat: Seat) -> Self::Prompt;
    /// Like [`Game::prompt`], but may leave out sampled values, which some callers do not need.
    fn options(&self, seat: Seat) -> Self::Prompt {
        self.prompt(seat)
    }
    /// Carries out a seat's action. An illegal action changes nothing.
    fn play(
        &mut self,
        seat: Seat,
        action: &Self::Action,
        events: &mut Vec<Self::Event>,
    ) -> Result<(), Illegal>;
    /// Applies the game's penalty for a timeout, or demands a forfeit.
    fn overdue(&mut self, _seat: Seat, _events: &mut Vec<Self::Event>) -> Late {
        Late::Forfeit
    }
    /// Removes seats that forfeit at the same time. The other seats play on, or the game ends.
    fn withdraw(&mut self, seats: Set<Seat>, events: &mut Vec<Self::Event>);
    /// Returns the copy of the event for a seat, with everything hidden that the seat must not know.
    fn seen_by(event: &Self::Event, seat: Seat) -> Self::Event;
    /// Returns `false` if the seat must not even learn that the event happened.
    fn notices(_event: &Self::Event, _seat: Seat) -> bool {
        true
    }
    /// Returns the copy of the event for a seat; `None` if the seat does not notice the event.
    fn shown_to(event: &Self::Event, seat: Seat) -> Option<Self::Event> {
        Self::notices(event, seat).then(|| Self::seen_by(event, seat))
    }
    /// Returns the event without anything that is hidden from any seat; `None` if nothing of it may be shown.
    fn seen_by_all(event: &Self::Event, seats: usize) -> Option<Self::Event> {
        let seats = Seat::all(seats).into_iter();
        Some(seats.fold(event.clone(), |event, seat| Self::seen_by(&event, seat)))
    }
    /// Returns a sentence describing the event; `names` holds a name for each seat.
    fn describe(event: &Self::Event, names: &BySeat<String>) -> String;
    /// Draws the table as text after notable events. `view` includes all events, with nothing hidden.
    fn drawn(_event: &Self::Event, _view: &Self::View, _names: &BySeat<String>) -> Option<String> {
        None
    }

    /// Returns the knowledge of a seat before the first event; `None` if the game does not support it.
    fn deduction(
        _rules: &Self::Rules,
        _seats: usize,
        _seat: Seat,
    ) -> Option<Box<dyn Deduction<Self::Event, Self::Action>>> {
        None
    }

    /// Completes everything that the seat has not seen at random, consistent with its events. `None` if the game does not support it, or
    /// this attempt fails.
    fn imagine(
        _rules: &Self::Rules,
        _seats: usize,
        _seat: Seat,
        _seen: &[Self::Event],
        _chance: &mut Chance,
    ) -> Option<Imagined<Self::Action>> {
        None
    }

    /// Returns `true` if other seats do not see all of such an action, so that [`Game::imagine`] must replace it.
    fn conceals(_action: &Self::Action) -> bool {
        false
    }

    /// Returns a random legal action for a seat that must act.
    fn sample(&self, seat: Seat, chance: &mut Chance) -> Self::Action {
        self.prompt(seat).pick(chance)
    }
}
