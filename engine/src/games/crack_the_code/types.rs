//! The public types of Crack the code: rules, prompts, actions and events.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::code::{Code, MAX_COLOURS, MAX_POSITIONS, Pins};
use crate::chance::Chance;
use crate::game::{self, Illegal, not_now, one_of, within};
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// The variant of Crack the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Positions of a code, 1 to 8.
    pub positions: u8,
    /// Colours, 2 to 10; a code may use one several times.
    pub colours: u8,
    /// Guesses of each seat, 1 to 100.
    pub attempts: u8,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            positions: 5,
            colours: 6,
            attempts: 12,
        }
    }
}

impl game::Rules for Rules {
    fn check(&self, _: usize) -> Result<(), String> {
        within("positions", self.positions, 1..=MAX_POSITIONS)?;
        within("colours", self.colours, 2..=MAX_COLOURS)?;
        within("attempts", self.attempts, 1..=100)
    }

    /// Computes the bounds: one point for cracking the code or for a walkover, never both.
    fn points(&self, _: usize) -> RangeInclusive<i32> {
        0..=1
    }

    fn variants() -> Vec<Self> {
        let rules = |positions, colours, attempts| Self {
            positions,
            colours,
            attempts,
        };
        vec![
            Self::default(),
            rules(4, 6, 10),
            rules(1, 2, 1),
            rules(3, 2, 100),
            rules(8, 10, 12),
        ]
    }
}

/// Allowed colours for each position: choose one from each list.
pub type Colours = ArrayVec<Set<u8>, { MAX_POSITIONS as usize }>;

/// The options of a seat; this game always offers exactly one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Prompt(pub ArrayVec<Choice, 1>);

/// One option: an action, with the list of legal values in place of each value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PromptOption")]
pub enum Choice {
    /// Before the first guess: your secret code.
    Hide {
        /// The possible colours of each position.
        code: Colours,
    },
    /// On your turn: a guess at the other seat's code.
    Guess {
        /// The possible colours of each position.
        code: Colours,
    },
}

/// An action of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Hide this code.
    Hide {
        /// The colours in order of position.
        code: Code,
    },
    /// Guess the other seat's code.
    Guess {
        /// The colours in order of position.
        code: Code,
    },
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A seat hid its code.
    Hid {
        /// The seat that hid its code.
        seat: Seat,
        /// The hidden code; null unless it is yours.
        code: Option<Code>,
    },
    /// A seat guessed the other's code. The code is cracked with a black pin for each position.
    Guessed {
        /// The seat that guessed.
        seat: Seat,
        /// The guessed code.
        code: Code,
        /// The pins that the guess earned.
        pins: Pins,
    },
    /// A seat forfeited.
    Withdrew {
        /// The seat that forfeited.
        seat: Seat,
    },
    /// The match is over, and a hidden code is shown to both.
    Revealed {
        /// The seat that hid the code.
        seat: Seat,
        /// The revealed code.
        code: Code,
    },
}

impl game::Prompt<Action> for Prompt {
    fn pick(&self, chance: &mut Chance) -> Action {
        let mut code = |colours: &Colours| colours.iter().map(|legal| legal.pick(chance)).collect();
        match self.0.first().expect("a seat that must act has a choice") {
            Choice::Hide { code: colours } => Action::Hide {
                code: code(colours),
            },
            Choice::Guess { code: colours } => Action::Guess {
                code: code(colours),
            },
        }
    }

    fn permits(&self, action: &Action) -> Result<(), Illegal> {
        match (action, self.0.first()) {
            (Action::Hide { code }, Some(Choice::Hide { code: colours }))
            | (Action::Guess { code }, Some(Choice::Guess { code: colours })) => {
                fits(code, colours)
            }
            _ => Err(not_now(action, &self.0)),
        }
    }
}

/// Checks that this is a legal code; the error explains why not.
fn fits(code: &Code, colours: &Colours) -> Result<(), Illegal> {
    if code.0.len() != colours.len() {
        return Err(Illegal(format!(
            "a code has {} positions, this one has {}",
            colours.len(),
            code.0.len()
        )));
    }
    code.0
        .iter()
        .zip(colours)
        .try_for_each(|(colour, legal)| one_of("colour", *colour, *legal))
}

/// Returns a sentence describing an event.
pub(super) fn describe(event: &Event, names: &BySeat<String>) -> String {
    let name = |seat: &Seat| names[*seat].as_str();
    match event {
        Event::Hid {
            seat,
            code: Some(code),
        } => format!("{} hides {code}.", name(seat)),
        Event::Hid { seat, code: None } => format!("{} hides a code.", name(seat)),
        Event::Guessed { seat, code, pins } => {
            let result = if pins.crack(code) { ": cracked" } else { "" };
            format!("{} guesses {code}: {pins}{result}.", name(seat))
        }
        Event::Withdrew { seat } => format!("{} forfeits.", name(seat)),
        Event::Revealed { seat, code } => format!("{}'s code was {code}.", name(seat)),
    }
}
