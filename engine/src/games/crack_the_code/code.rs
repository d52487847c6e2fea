//! Codes, and the pins that a guess earns.

use arrayvec::ArrayVec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shown;

/// Maximum number of positions in a code.
pub const MAX_POSITIONS: u8 = 8;

/// Maximum number of colours.
pub const MAX_COLOURS: u8 = 10;

/// The colours of a code in order of position; colours are numbered from 1. In JSON a list of numbers.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Code(pub ArrayVec<u8, { MAX_POSITIONS as usize }>);

impl Code {
    /// Returns the pins that this guess earns against the code `hidden`.
    pub fn pins(&self, hidden: &Code) -> Pins {
        let black = self
            .0
            .iter()
            .zip(&hidden.0)
            .filter(|(guess, hidden)| guess == hidden)
            .count();
        let mut unmatched = [0_u8; 256];
        hidden
            .0
            .iter()
            .for_each(|colour| unmatched[usize::from(*colour)] += 1);
        let mut shared = 0;
        for colour in &self.0 {
            let left = &mut unmatched[usize::from(*colour)];
            shared += usize::from(*left > 0);
            *left = left.saturating_sub(1);
        }
        Pins {
            black: black as u8,
            white: (shared - black) as u8,
        }
    }
}

impl FromIterator<u8> for Code {
    /// # Panics
    /// If there are more than [`MAX_POSITIONS`] colours.
    fn from_iter<I: IntoIterator<Item = u8>>(colours: I) -> Self {
        Self(colours.into_iter().collect())
    }
}

shown!(
    Code,
    |code| "{}",
    code.0
        .iter()
        .map(u8::to_string)
        .collect::<Vec<_>>()
        .join(" ")
);

/// The pins earned by a guess.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
pub struct Pins {
    /// Number of right colours in the right position.
    pub black: u8,
    /// Number of right colours in a wrong position.
    pub white: u8,
}

impl Pins {
    /// Returns `true` if these pins mean that `guess` equals the hidden code.
    pub fn crack(self, guess: &Code) -> bool {
        usize::from(self.black) == guess.0.len()
    }
}

shown!(Pins, |pins| "{} black, {} white", pins.black, pins.white);

/// A guess with the pins that it earned.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Guess {
    /// The code guessed.
    pub code: Code,
    /// The pins that it earned.
    pub pins: Pins,
}
