//! The trait of a game and those of its parts: rules, prompts, actions, events, and the view of each seat.

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

/// A type that leaves the engine: it can be written, read back, described by a schema, and compared.
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

/// The variant of a game that is played: sizes, limits, optional rules.
pub trait Rules: Vocabulary + Default {
    /// Checks the rules for a table of `seats`; the error says what is wrong.
    fn check(&self, _seats: usize) -> Result<(), String> {
        Ok(())
    }

    /// The least and the most points that a seat can have at the end of a match, forfeits included. No other value may be
    /// possible: statistics of bounded values rest on it. The bounds need not be tight.
    fn points(&self, seats: usize) -> RangeInclusive<i32>;

    /// The most points by which a seat can end a match ahead of another one.
    fn lead(&self, seats: usize) -> i32 {
        let points = self.points(seats);
        points.end() - points.start()
    }

    /// Variants that differ in what can happen: the laws of all games are tried on each.
    fn variants() -> Vec<Self> {
        vec![Self::default()]
    }
}

/// The legal actions of one seat: a list of options, each an action with every value replaced by the list of its legal
/// values. Choosing an option, then one value of each list, gives a legal action.
pub trait Prompt<Action>: Vocabulary {
    /// Some legal action.
    fn pick(&self, chance: &mut Chance) -> Action;
    /// Checks that the action is legal; the error says what is wrong with it.
    fn permits(&self, action: &Action) -> Result<(), Illegal>;
}

/// The table as one seat sees it now: a fold over the events that it has seen.
pub trait View<Rules, Event>: Vocabulary {
    /// The table before the first event.
    fn new(rules: &Rules, seats: usize, seat: Seat) -> Self;
    /// Takes in one event.
    fn see(&mut self, event: &Event);
}

/// The seats that must act, or the end.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// These seats must act; several at once choose unseen by each other.
    Act(Set<Seat>),
    /// The game is over.
    Over(Outcome),
}

/// An action that the rules forbid, with the reason for its author.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Illegal(pub String);

/// Checks that a value is legal.
///
/// # Errors
/// If it is not, with the legal ones.
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

/// The error for an action of a kind that is not offered now.
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

/// The name of a variant by the rule of its name on the wire: `SetUp { … }` is `set_up`.
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

/// Checks that a rule is within its bounds.
///
/// # Errors
/// If it is not, with its bounds.
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
    /// The game carried out its own penalty and goes on.
    Penalty,
    /// The seat forfeits.
    Forfeit,
}

/// A game of hidden codes for several seats.
///
/// A game gets replies in a stated order (the machine opens simultaneous replies together, by seat), appends what happens
/// to a list of true events, and never holds anything of the outside world.
pub trait Game: Sized + Send + 'static {
    /// Its name in commands, files and on the wire.
    const NAME: &'static str;
    /// Its name for people.
    const TITLE: &'static str;
    /// The numbers of seats that may play.
    const SEATS: RangeInclusive<usize>;
    /// Raised whenever the same seed and replies would give another match.
    const RULES_VERSION: u32;
    /// The sources of points.
    const SCORING: &'static [Source];
    /// Every option of its prompts, as people see it.
    const FORMS: &'static [Form];
    /// The fields of its views and actions that concern players.
    const PLAYERS: Players = Players {
        seat: &["seat"],
        by_seat: &[],
    };
    /// Its picture in a browser: a script that draws the table, see `table.js` of any game. Without one, views are shown field by field.
    const TABLE: Option<&'static str> = None;
    /// Its rules for people and authors of bots, in Markdown.
    const RULES_PAGE: &'static str;
    /// The variant played.
    type Rules: Rules;
    /// The legal actions of one seat, as it is offered them.
    type Prompt: Prompt<Self::Action>;
    /// An action of a seat.
    type Action: Vocabulary;
    /// Something that happened; the parts that a seat may not see are hidden in its copy.
    type Event: Vocabulary;
    /// The table as one seat sees it.
    type View: View<Self::Rules, Self::Event>;

    /// Sets up the table. `rules` have been checked for `seats`.
    fn deal(rules: &Self::Rules, seats: usize, draws: Draws, events: &mut Vec<Self::Event>)
    -> Self;
    /// The seats that must act now, or the outcome.
    fn turn(&self) -> Turn;
    /// The legal actions of a seat that must act.
    fn prompt(&self, seat: Seat) -> Self::Prompt;
    /// The same without values that are only samples of too many, for those who need none.
    fn options(&self, seat: Seat) -> Self::Prompt {
        self.prompt(seat)
    }
    /// Carries out a seat's action; an illegal one changes nothing.
    fn play(
        &mut self,
        seat: Seat,
        action: &Self::Action,
        events: &mut Vec<Self::Event>,
    ) -> Result<(), Illegal>;
    /// The seat's time is over: the game's own penalty, or forfeit.
    fn overdue(&mut self, _seat: Seat, _events: &mut Vec<Self::Event>) -> Late {
        Late::Forfeit
    }
    /// These seats are out, all at once: the others go on, or the game ends.
    fn withdraw(&mut self, seats: Set<Seat>, events: &mut Vec<Self::Event>);
    /// The event as the seat sees it: what it must not know is hidden.
    fn seen_by(event: &Self::Event, seat: Seat) -> Self::Event;
    /// The event as a sentence for people; `names` holds a name for each seat.
    fn describe(event: &Self::Event, names: &BySeat<String>) -> String;
    /// Draws the table in text after an event that is worth a picture. `view` has seen all events, nothing hidden.
    fn drawn(_event: &Self::Event, _view: &Self::View, _names: &BySeat<String>) -> Option<String> {
        None
    }

    /// What a seat can know, before the first event; none if the game does not count that.
    fn deduction(
        _rules: &Self::Rules,
        _seats: usize,
        _seat: Seat,
    ) -> Option<Box<dyn Deduction<Self::Event, Self::Action>>> {
        None
    }

    /// Imagines by chance what the seat has not seen, from the events that it has; none if the game cannot, or if these draws of chance
    /// led nowhere.
    fn imagine(
        _rules: &Self::Rules,
        _seats: usize,
        _seat: Seat,
        _seen: &[Self::Event],
        _chance: &mut Chance,
    ) -> Option<Imagined<Self::Action>> {
        None
    }

    /// True if other seats do not see all of such an action: [`Game::imagine`] makes up their own.
    fn conceals(_action: &Self::Action) -> bool {
        false
    }

    /// Some legal action for a seat that must act.
    fn sample(&self, seat: Seat, chance: &mut Chance) -> Self::Action {
        self.prompt(seat).pick(chance)
    }
}
