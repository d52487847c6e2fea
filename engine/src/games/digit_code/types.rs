//! The public types of Digit Code: rules, prompts, actions and events.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::code::{Code, Digit, Line, Pair};
use super::question::{Kind, Parity, Question};
use crate::chance::Chance;
use crate::game::{self, Illegal, not_now, one_of, within};
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// The variant of Digit Code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Turns of each seat in a game, 2 to 1000; when all have had them and nobody has won, nobody wins.
    pub turn_limit: u16,
    /// With two seats: how often a game that both have solved is played again, 0 to 20; after that it is a draw.
    pub replays: u8,
    /// With three seats or more: who hides the code, engine or seats.
    pub master: Master,
}

/// The party that hides the code when three or more play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Master {
    /// The engine: all seats solve, and there is one game.
    Engine,
    /// A seat, which does not solve; there is a game for each seat as the master.
    Seats,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            turn_limit: 100,
            replays: 3,
            master: Master::Engine,
        }
    }
}

impl game::Rules for Rules {
    fn check(&self, seats: usize) -> Result<(), String> {
        within("turn_limit", self.turn_limit, 2..=1000)?;
        within("replays", self.replays, 0..=20)?;
        if seats == 2 && self.master == Master::Seats {
            return Err(
                "`master = \"seats\"` needs three seats, because two seats hide a code each".into(),
            );
        }
        Ok(())
    }

    /// Computes the bounds. A game has at most one winner, and a master does not solve in its own game. With two seats, a game is replayed
    /// only if both solved it, so that nobody won it. A code of the engine is solved once. With seats as masters, each seat masters at most
    /// one game; if other seats leave, the game that is not played is the remaining seat's own.
    fn points(&self, seats: usize) -> RangeInclusive<i32> {
        match self.master {
            Master::Engine => 0..=1,
            Master::Seats => 0..=seats as i32 - 1,
        }
    }

    fn variants() -> Vec<Self> {
        let short = Self {
            turn_limit: 3,
            replays: 0,
            ..Self::default()
        };
        vec![
            Self::default(),
            short,
            Self {
                master: Master::Seats,
                ..Self::default()
            },
        ]
    }
}

/// Number of sample codes that a prompt offers.
pub const SAMPLES: usize = 8;

/// A few legal codes.
pub type Samples = ArrayVec<Code, SAMPLES>;

/// The options of a seat. Legal codes are too many to list, so options that take a code hold a few samples, drawn from the
/// match's seed independently of anything hidden; any legal code is accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Prompt(pub ArrayVec<Choice, 5>);

/// One option: an action, with the list of legal values in place of each value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PromptOption")]
pub enum Choice {
    /// Before the first turn: hide a code.
    Hide {
        /// A few legal codes; any legal code may be hidden.
        code: Samples,
    },
    /// Ask how many places of a line are filled.
    AskLine {
        /// The lines: columns A to I, rows J to S.
        line: Set<Line>,
    },
    /// Ask whether a digit is even or odd.
    AskParity {
        /// The digits T to Y.
        digit: Set<Digit>,
    },
    /// Ask which of two neighbours is larger.
    AskLarger {
        /// The two neighbours to compare.
        pair: Set<Pair>,
    },
    /// Ask whether one place is filled.
    AskPlace {
        /// The columns A to I.
        column: Set<Line>,
        /// The rows J to S.
        row: Set<Line>,
    },
    /// Declare the hidden code.
    Declare {
        /// A few legal codes; any legal code may be declared.
        code: Samples,
    },
}

/// An action of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Hide this code.
    Hide {
        /// The digits T U V W X Y.
        code: Code,
    },
    /// Ask how many places of a line are filled.
    AskLine {
        /// The line to ask about: a column A to I, or a row J to S.
        line: Line,
    },
    /// Ask whether a digit is even or odd.
    AskParity {
        /// The digit to ask about, T to Y.
        digit: Digit,
    },
    /// Ask which of two neighbours is larger.
    AskLarger {
        /// The two neighbours to compare.
        pair: Pair,
    },
    /// Ask whether a place is filled.
    AskPlace {
        /// The column of the place, A to I.
        column: Line,
        /// The row of the place, J to S.
        row: Line,
    },
    /// Declare that this is the hidden code.
    Declare {
        /// The digits T U V W X Y.
        code: Code,
    },
}

/// Something that happened. A code that a seat may not see is null in its copy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A game begins with new codes.
    GameStarted {
        /// The game within the match, counted from 1.
        game: u8,
        /// The seat with the first turn.
        first: Seat,
        /// The question master; null if there is none.
        master: Option<Seat>,
    },
    /// A code was hidden.
    Hid {
        /// The seat that hid the code; null for the engine.
        seat: Option<Seat>,
        /// The hidden code; null unless it is yours.
        code: Option<Code>,
    },
    /// A seat asked how many places of a line are filled.
    AskedLine {
        /// The seat that asked.
        seat: Seat,
        /// The line that was asked about.
        line: Line,
        /// The answer: the number of filled places.
        filled: u8,
    },
    /// A seat asked whether a digit is even or odd.
    AskedParity {
        /// The seat that asked.
        seat: Seat,
        /// The digit that was asked about.
        digit: Digit,
        /// The answer: even or odd.
        parity: Parity,
    },
    /// A seat asked which of two neighbours is larger.
    AskedLarger {
        /// The seat that asked.
        seat: Seat,
        /// The two neighbours.
        pair: Pair,
        /// The answer: the larger of the two.
        larger: Digit,
    },
    /// A seat asked whether one place is filled.
    AskedPlace {
        /// The seat that asked.
        seat: Seat,
        /// The column of the place.
        column: Line,
        /// The row of the place.
        row: Line,
        /// The answer: true if the place is filled.
        filled: bool,
    },
    /// A seat declared the hidden code.
    Declared {
        /// The seat that declared.
        seat: Seat,
        /// The declared code.
        code: Code,
        /// True if the declaration is right.
        right: bool,
    },
    /// A seat's second declaration was wrong: it is out of this game.
    Eliminated {
        /// The seat that is out.
        seat: Seat,
    },
    /// A seat forfeited the match.
    Withdrew {
        /// The seat that forfeited.
        seat: Seat,
    },
    /// A game is over, and a hidden code is shown.
    Revealed {
        /// The seat that hid the code; null for the engine.
        seat: Option<Seat>,
        /// The revealed code.
        code: Code,
    },
    /// The game is over.
    GameEnded {
        /// The winner; null if there is none.
        winner: Option<Seat>,
    },
}

impl Event {
    /// Returns the event for a question by a seat, with the true answer.
    pub(super) fn answer(seat: Seat, question: Question, code: Code) -> Self {
        let answer = question.answer(code);
        match question {
            Question::Line(line) => Event::AskedLine {
                seat,
                line,
                filled: answer,
            },
            Question::Parity(digit) => Event::AskedParity {
                seat,
                digit,
                parity: if answer == 0 {
                    Parity::Even
                } else {
                    Parity::Odd
                },
            },
            Question::Larger(pair) => Event::AskedLarger {
                seat,
                pair,
                larger: pair.digits()[usize::from(answer)],
            },
            Question::Place(column, row) => Event::AskedPlace {
                seat,
                column,
                row,
                filled: answer == 1,
            },
        }
    }

    /// Returns the seat that asked, its question, and the answer as in [`Question::answer`]; `None` for other events.
    pub fn question(self) -> Option<(Seat, Question, u8)> {
        match self {
            Event::AskedLine { seat, line, filled } => Some((seat, Question::Line(line), filled)),
            Event::AskedParity {
                seat,
                digit,
                parity,
            } => Some((
                seat,
                Question::Parity(digit),
                u8::from(parity == Parity::Odd),
            )),
            Event::AskedLarger { seat, pair, larger } => Some((
                seat,
                Question::Larger(pair),
                u8::from(larger == pair.digits()[1]),
            )),
            Event::AskedPlace {
                seat,
                column,
                row,
                filled,
            } => Some((seat, Question::Place(column, row), u8::from(filled))),
            _ => None,
        }
    }
}

impl game::Prompt<Action> for Prompt {
    fn pick(&self, chance: &mut Chance) -> Action {
        match chance.pick(&self.0) {
            Choice::Hide { code } => Action::Hide {
                code: *chance.pick(code),
            },
            Choice::AskLine { line } => Action::AskLine {
                line: line.pick(chance),
            },
            Choice::AskParity { digit } => Action::AskParity {
                digit: digit.pick(chance),
            },
            Choice::AskLarger { pair } => Action::AskLarger {
                pair: pair.pick(chance),
            },
            Choice::AskPlace { column, row } => Action::AskPlace {
                column: column.pick(chance),
                row: row.pick(chance),
            },
            Choice::Declare { code } => Action::Declare {
                code: *chance.pick(code),
            },
        }
    }

    fn permits(&self, action: &Action) -> Result<(), Illegal> {
        let permitted = self.0.iter().find_map(|choice| match (*action, choice) {
            (Action::Hide { .. }, Choice::Hide { .. })
            | (Action::Declare { .. }, Choice::Declare { .. }) => Some(Ok(())),
            (Action::AskLine { line }, Choice::AskLine { line: legal }) => {
                Some(one_of("line", line, *legal))
            }
            (Action::AskParity { digit }, Choice::AskParity { digit: legal }) => {
                Some(one_of("digit", digit, *legal))
            }
            (Action::AskLarger { pair }, Choice::AskLarger { pair: legal }) => {
                Some(one_of("pair", pair, *legal))
            }
            (
                Action::AskPlace { column, row },
                Choice::AskPlace {
                    column: columns,
                    row: rows,
                },
            ) => Some(one_of("column", column, *columns).and(one_of("row", row, *rows))),
            _ => None,
        });
        permitted.unwrap_or_else(|| Err(not_now(action, &self.0)))
    }
}

impl Choice {
    /// Returns the option that offers all questions of a kind.
    pub(super) fn questions(kind: Kind) -> Self {
        match kind {
            Kind::Line => Choice::AskLine { line: Line::all() },
            Kind::Parity => Choice::AskParity {
                digit: Digit::ALL.into_iter().collect(),
            },
            Kind::Larger => Choice::AskLarger {
                pair: Pair::ALL.into_iter().collect(),
            },
            Kind::Place => Choice::AskPlace {
                column: Line::columns(),
                row: Line::rows(),
            },
        }
    }

    /// Returns the kind of question that the option offers; `None` for other options.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Choice::AskLine { .. } => Some(Kind::Line),
            Choice::AskParity { .. } => Some(Kind::Parity),
            Choice::AskLarger { .. } => Some(Kind::Larger),
            Choice::AskPlace { .. } => Some(Kind::Place),
            Choice::Hide { .. } | Choice::Declare { .. } => None,
        }
    }
}

impl From<Question> for Action {
    fn from(question: Question) -> Self {
        match question {
            Question::Line(line) => Action::AskLine { line },
            Question::Parity(digit) => Action::AskParity { digit },
            Question::Larger(pair) => Action::AskLarger { pair },
            Question::Place(column, row) => Action::AskPlace { column, row },
        }
    }
}

/// Returns a sentence describing an event.
pub(super) fn describe(event: &Event, names: &BySeat<String>) -> String {
    let name = |seat: &Seat| names[*seat].as_str();
    let owner = |seat: &Option<Seat>| seat.as_ref().map_or("The engine", name);
    match event {
        Event::GameStarted {
            game,
            first,
            master: None,
        } => format!("Game {game}: {} plays first.", name(first)),
        Event::GameStarted {
            game,
            first,
            master: Some(master),
        } => {
            format!(
                "Game {game}: {} is the question master, {} plays first.",
                name(master),
                name(first)
            )
        }
        Event::Hid {
            seat,
            code: Some(code),
        } => format!("{} hides {code}.", owner(seat)),
        Event::Hid { seat, code: None } => format!("{} hides a code.", owner(seat)),
        Event::AskedLine { seat, line, filled } => {
            let kind = if line.is_column() { "column" } else { "row" };
            format!(
                "{} asks how many places of {kind} {line} are filled: {filled}.",
                name(seat)
            )
        }
        Event::AskedParity {
            seat,
            digit,
            parity,
        } => {
            let answer = if *parity == Parity::Odd {
                "odd"
            } else {
                "even"
            };
            format!(
                "{} asks whether {digit} is even or odd: {answer}.",
                name(seat)
            )
        }
        Event::AskedLarger { seat, pair, larger } => {
            let [first, second] = pair.digits();
            format!(
                "{} asks which is larger, {first} or {second}: {larger}.",
                name(seat)
            )
        }
        Event::AskedPlace {
            seat,
            column,
            row,
            filled,
        } => {
            let answer = if *filled { "filled" } else { "empty" };
            format!(
                "{} asks whether ({column}, {row}) is filled: {answer}.",
                name(seat)
            )
        }
        Event::Declared { seat, code, right } => {
            let answer = if *right { "correct" } else { "incorrect" };
            format!("{} declares {code}: {answer}.", name(seat))
        }
        Event::Eliminated { seat } => format!("{} was wrong twice and is out.", name(seat)),
        Event::Withdrew { seat } => format!("{} forfeits.", name(seat)),
        Event::Revealed { seat, code } => format!("{} had hidden {code}.", owner(seat)),
        Event::GameEnded {
            winner: Some(winner),
        } => format!("{} wins the game.", name(winner)),
        Event::GameEnded { winner: None } => "Nobody wins the game.".into(),
    }
}
