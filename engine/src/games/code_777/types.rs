//! The public types of Code 777: rules, prompts, actions and events.

use std::fmt;
use std::ops::RangeInclusive;

use arrayvec::ArrayVec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::card::{Card, NUMBERS, RACK, Rack};
use super::question::{Answer, Question};
use crate::chance::Chance;
use crate::game::{self, Illegal, one_of, within};
use crate::seat::{BySeat, Seat};
use crate::set::{Member, Set};

/// The variant of Code 777.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Correct declarations that win, 1 to 20, if nobody else has as many.
    pub points: u8,
    /// The advanced variation, true or false: a declaration names the colours as well.
    pub colours: bool,
    /// True or false: with fewer than four seats, racks that belong to nobody are added, so that everybody sees three.
    pub dummy_racks: bool,
    /// Questions after which the most points win, 1 to 10000.
    pub questions: u16,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            points: 3,
            colours: false,
            dummy_racks: false,
            questions: 200,
        }
    }
}

impl game::Rules for Rules {
    fn check(&self, _: usize) -> Result<(), String> {
        within("points", self.points, 1..=20)?;
        within("questions", self.questions, 1..=10_000)
    }

    /// Computes the bounds. Each seat declares at most once per question. Nobody wins while several seats share the lead, so only the
    /// number of questions limits the points.
    fn points(&self, _: usize) -> RangeInclusive<i32> {
        0..=self.questions.into()
    }

    /// Computes the maximum lead. With two seats, neither can lead by more than the winning points: before the last declarations, both had
    /// fewer points, or both shared the lead. A forfeit ends the match. With more seats, two may share the lead until the questions run
    /// out.
    fn lead(&self, seats: usize) -> i32 {
        let questions = self.questions.into();
        if seats == 2 {
            i32::from(self.points).min(questions)
        } else {
            questions
        }
    }

    fn variants() -> Vec<Self> {
        let standard = Self::default();
        vec![
            standard.clone(),
            Self {
                colours: true,
                questions: 60,
                ..standard.clone()
            },
            Self {
                dummy_racks: true,
                points: 1,
                ..standard
            },
        ]
    }
}

/// The options of a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Prompt(pub ArrayVec<Choice, 2>);

/// One option: an action, with the list of legal values in place of each value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PromptOption")]
pub enum Choice {
    /// Stay silent.
    Pass {},
    /// Declare your own rack.
    Declare(ClaimChoice),
}

/// The legal declarations: choose one value from each list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ClaimOption")]
pub enum ClaimChoice {
    /// Three numbers, one from each list.
    Numbers([Set<u8>; RACK]),
    /// Three cards, one from each list, with the rule `colours`.
    Cards([Set<Card>; RACK]),
}

/// An action of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Stay silent.
    Pass {},
    /// Declare your own rack, in any order.
    Declare(Claim),
}

/// A declaration of a seat's own rack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// Its numbers, in any order.
    Numbers([u8; RACK]),
    /// Its cards, in any order.
    Cards([Card; RACK]),
}

impl Claim {
    /// Returns `true` if the declaration matches the rack.
    pub fn right(self, rack: &Rack) -> bool {
        match self {
            Claim::Numbers(mut numbers) => {
                numbers.sort_unstable();
                numbers == rack.numbers()
            }
            Claim::Cards(cards) => Rack::from(cards) == *rack,
        }
    }
}

/// Something that happened. A seat never sees its own rack before it declares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A seat got three new cards from the draw pile.
    Dealt {
        /// The seat that got the cards.
        seat: Seat,
        /// The cards; null if they are your own.
        rack: Option<Rack>,
    },
    /// A rack that belongs to nobody was set up at the beginning, visible to all and counted in answers.
    Dummy {
        /// The cards on the dummy rack.
        rack: Rack,
    },
    /// A seat answered a question about the racks it sees, on its turn.
    Answered {
        /// The seat that answered.
        seat: Seat,
        /// The question card.
        question: Question,
        /// The answer to the question.
        answer: Answer,
    },
    /// A seat declared; its cards are shown to all and discarded.
    Declared {
        /// The seat that declared.
        seat: Seat,
        /// The declared numbers or cards.
        said: Claim,
        /// The cards on the seat's rack.
        rack: Rack,
        /// True if the declaration was right, which is worth a point.
        right: bool,
    },
    /// Seven cards were left in the draw pile, so the discards were shuffled in.
    Reshuffled {
        /// Number of cards now in the draw pile.
        pile: u8,
    },
    /// The question cards were used up, so all 23 were shuffled.
    QuestionsReshuffled {},
    /// A seat forfeited; its cards are shown to all and discarded.
    Withdrew {
        /// The seat that forfeited.
        seat: Seat,
        /// The cards on the seat's rack.
        rack: Rack,
    },
    /// The game is over.
    Ended {
        /// The seats with the most points among those still playing.
        best: Set<Seat>,
    },
}

impl game::Prompt<Action> for Prompt {
    fn pick(&self, chance: &mut Chance) -> Action {
        match *chance.pick(&self.0) {
            Choice::Pass {} => Action::Pass {},
            Choice::Declare(ClaimChoice::Numbers(legal)) => {
                Action::Declare(Claim::Numbers(legal.map(|numbers| numbers.pick(chance))))
            }
            Choice::Declare(ClaimChoice::Cards(legal)) => {
                Action::Declare(Claim::Cards(legal.map(|cards| cards.pick(chance))))
            }
        }
    }

    fn permits(&self, action: &Action) -> Result<(), Illegal> {
        let Action::Declare(claim) = *action else {
            return Ok(());
        };
        match (claim, self.0.last()) {
            (Claim::Numbers(numbers), Some(Choice::Declare(ClaimChoice::Numbers(legal)))) => {
                each_of("number", numbers, *legal)
            }
            (Claim::Cards(cards), Some(Choice::Declare(ClaimChoice::Cards(legal)))) => {
                each_of("card", cards, *legal)
            }
            (Claim::Numbers(_), _) => Err(Illegal(
                "declare cards here, not only numbers: colours count".into(),
            )),
            (Claim::Cards(_), _) => Err(Illegal(
                "declare numbers here, not cards: colours do not count".into(),
            )),
        }
    }
}

impl Prompt {
    /// Creates the prompt that every seat gets after each answer.
    pub(super) fn new(rules: &Rules) -> Self {
        let claim = if rules.colours {
            ClaimChoice::Cards([Card::all(); RACK])
        } else {
            ClaimChoice::Numbers([(1..=NUMBERS).collect(); RACK])
        };
        Self(ArrayVec::from([Choice::Pass {}, Choice::Declare(claim)]))
    }
}

/// Checks that each value is legal at its position.
fn each_of<T: Member + fmt::Display>(
    name: &str,
    values: [T; RACK],
    legal: [Set<T>; RACK],
) -> Result<(), Illegal> {
    values
        .into_iter()
        .zip(legal)
        .try_for_each(|(value, legal)| one_of(name, value, legal))
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Numbers([a, b, c]) => write!(f, "{a} {b} {c}"),
            Claim::Cards([a, b, c]) => write!(f, "{a} {b} {c}"),
        }
    }
}

/// Returns a sentence describing an event.
pub(super) fn describe(event: &Event, names: &BySeat<String>) -> String {
    let name = |seat: &Seat| names[*seat].as_str();
    match event {
        Event::Dealt {
            seat,
            rack: Some(rack),
        } => format!("{} gets {rack}.", name(seat)),
        Event::Dealt { seat, rack: None } => format!("{} gets three cards.", name(seat)),
        Event::Dummy { rack } => format!("A dummy rack shows {rack}."),
        Event::Answered {
            seat,
            question,
            answer,
        } => {
            let (number, answer) = (question.number(), question.describe(*answer));
            format!(
                "{} is asked number {number}, \"{question}\", and answers: {answer}.",
                name(seat)
            )
        }
        Event::Declared {
            seat,
            said,
            rack,
            right: true,
        } => {
            format!("{} declares {said}: right, it is {rack}.", name(seat))
        }
        Event::Declared {
            seat,
            said,
            rack,
            right: false,
        } => {
            format!("{} declares {said}: wrong, it is {rack}.", name(seat))
        }
        Event::Reshuffled { pile } => {
            format!("The discarded cards are shuffled in; the draw pile has {pile} now.")
        }
        Event::QuestionsReshuffled {} => "The question cards are shuffled again.".into(),
        Event::Withdrew { seat, rack } => format!("{} forfeits and discards {rack}.", name(seat)),
        Event::Ended { best } => {
            let names: Vec<&str> = best.into_iter().map(|seat| names[seat].as_str()).collect();
            match names.as_slice() {
                [] => "Nobody is left.".into(),
                [winner] => format!("{winner} wins."),
                [others @ .., last] => format!("{} and {last} share the win.", others.join(", ")),
            }
        }
    }
}
