//! The panels of Coda and their notation: `D7` is the dark 7, `L?` a light panel whose number is hidden.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::notation::notation;
use crate::set::{Member, Set, members, numbered};
use crate::shown;

/// Maximum number of different numbers per colour (0 to 11), as in the standard game.
pub const NUMBERS: u8 = 12;

/// Total number of panels, including the two dashes of advanced play.
pub const PANELS: u8 = 2 * (NUMBERS + 1);

/// A panel's colour, visible to everybody.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Colour {
    /// Sorts before light at the same number.
    Dark,
    /// Sorts after dark at the same number.
    Light,
}

impl Colour {
    /// Both colours, dark first.
    pub const ALL: [Colour; 2] = [Colour::Dark, Colour::Light];

    /// Returns the letter of the colour in panel notation.
    pub fn letter(self) -> char {
        ['D', 'L'][self as usize]
    }
}

shown!(Colour, |colour| "{}", ["dark", "light"][*colour as usize]);

members!(Colour);

/// The panels in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deck {
    /// Number of different numbers per colour, from 0 up; at most [`NUMBERS`].
    pub numbers: u8,
    /// True if the deck has a dash of each colour.
    pub dashes: bool,
}

impl Deck {
    /// The panels of the standard game.
    pub const STANDARD: Self = Self {
        numbers: NUMBERS,
        dashes: false,
    };
    /// All panels that any variant may use.
    pub const ALL: Self = Self {
        numbers: NUMBERS,
        dashes: true,
    };
}

/// The front of a panel: a number from 0 to 11, or a dash. In JSON a string, `"0"` to `"11"` or `"-"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Face(u8);

impl Face {
    /// Returns the face with this number, if there is one.
    pub fn number(number: u8) -> Option<Self> {
        (number < NUMBERS).then_some(Face(number))
    }

    /// The dash.
    pub const DASH: Face = Face(NUMBERS);

    /// Returns the faces in play, in ascending order.
    #[inline]
    pub fn all(deck: Deck) -> Set<Face> {
        let mut all = Set::below(deck.numbers);
        if deck.dashes {
            all.insert(Self::DASH);
        }
        all
    }

    /// Returns the points of the face in the winner's bonus: its number, or 0 for a dash.
    pub fn value(self) -> i32 {
        if self == Self::DASH { 0 } else { self.0.into() }
    }
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::DASH {
            f.write_str("-")
        } else {
            self.0.fmt(f)
        }
    }
}

/// A panel: a colour and a face. Panels are ordered as in a code: by number, dark before light. Dashes sort last, but may stand anywhere in
/// a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Panel(u8);

impl Panel {
    /// Returns the panel of this colour and face.
    #[inline]
    pub fn new(colour: Colour, face: Face) -> Self {
        Panel(face.0 * 2 + colour as u8)
    }

    /// Returns the colour of the panel.
    #[inline]
    pub fn colour(self) -> Colour {
        Colour::at(self.0 % 2)
    }

    /// Returns the face of the panel.
    #[inline]
    pub fn face(self) -> Face {
        Face(self.0 / 2)
    }

    /// Returns `true` if the panel is a dash.
    pub fn is_dash(self) -> bool {
        self.face() == Face::DASH
    }

    /// Returns the panels in play, in ascending order.
    #[inline]
    pub fn all(deck: Deck) -> Set<Panel> {
        let mut all = Set::below(2 * deck.numbers);
        if deck.dashes {
            Colour::ALL
                .into_iter()
                .for_each(|colour| all.insert(Panel::new(colour, Face::DASH)));
        }
        all
    }

    /// Returns the panels of one colour that are in play.
    #[inline]
    pub fn of_colour(colour: Colour, deck: Deck) -> Set<Panel> {
        /// Mask of the dark panels: the two colours alternate.
        const DARK: u64 = 0x5555_5555_5555_5555;
        Panel::all(deck).and(Set::from_mask(DARK << colour as u8))
    }
}

numbered!(Face, Panel);

/// A panel as a seat sees it: the colour always, the face only if visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shown {
    /// The colour of its back.
    pub colour: Colour,
    /// The face; `None` if hidden.
    pub face: Option<Face>,
}

impl Shown {
    /// Returns the panel with its face hidden.
    pub fn hidden(self) -> Self {
        Self { face: None, ..self }
    }

    /// Returns the panel, or `None` if its face is hidden.
    pub fn panel(self) -> Option<Panel> {
        self.face.map(|face| Panel::new(self.colour, face))
    }
}

impl From<Panel> for Shown {
    fn from(panel: Panel) -> Self {
        Self {
            colour: panel.colour(),
            face: Some(panel.face()),
        }
    }
}

shown!(Panel, |panel| "{}", Shown::from(*panel));

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.face {
            Some(face) => write!(f, "{}{face}", self.colour.letter()),
            None => write!(f, "{}?", self.colour.letter()),
        }
    }
}

impl FromStr for Face {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "-" {
            return Ok(Self::DASH);
        }
        let plain = text == "0" || !text.starts_with(['0', '+']);
        let number = if plain { text.parse().ok() } else { None };
        let bad = || format!("{text:?} is not a face, \"0\" to \"11\" or \"-\"");
        number.and_then(Face::number).ok_or_else(bad)
    }
}

impl FromStr for Shown {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?} is not a panel such as \"D7\", \"L11\" or \"D?\"");
        let mut rest = text.chars();
        let letter = rest.next().ok_or_else(bad)?;
        let colour = Colour::ALL
            .into_iter()
            .find(|colour| colour.letter() == letter)
            .ok_or_else(bad)?;
        let face = match rest.as_str() {
            "?" => None,
            face => Some(face.parse().map_err(|_| bad())?),
        };
        Ok(Self { colour, face })
    }
}

impl FromStr for Panel {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?} is not a panel such as \"D7\" or \"L11\"");
        text.parse::<Shown>()?.panel().ok_or_else(bad)
    }
}

notation!(Face, "a face as a string, \"0\" to \"11\" or \"-\"", { "type": "string", "pattern": "^([0-9]|10|11|-)$" });
notation!(Panel, "a panel such as \"D7\"", { "type": "string", "pattern": "^[DL]([0-9]|10|11|-)$" });
notation!(Shown, "a panel such as \"D7\" or \"D?\"", { "type": "string", "pattern": "^[DL]([0-9]|10|11|-|\\?)$" });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notation_reads_back() {
        for panel in Panel::all(Deck::ALL) {
            assert_eq!(panel.to_string().parse::<Panel>().unwrap(), panel);
            let hidden = Shown::from(panel).hidden();
            assert_eq!(hidden.to_string().parse::<Shown>().unwrap(), hidden);
        }
        for bad in ["", "D", "D12", "X3", "D07", "D+3", "?", "D??", "d3"] {
            assert!(bad.parse::<Shown>().is_err(), "{bad}");
        }
        assert!("D?".parse::<Panel>().is_err());
    }

    #[test]
    fn panels_ascend_with_dark_before_light() {
        let order: Vec<String> = Panel::all(Deck::ALL)
            .into_iter()
            .map(|panel| panel.to_string())
            .collect();
        assert_eq!(order[..4], ["D0", "L0", "D1", "L1"]);
        assert_eq!(order[22..], ["D11", "L11", "D-", "L-"]);
    }
}
