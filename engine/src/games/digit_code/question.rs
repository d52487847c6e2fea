//! The questions of Digit Code and their answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::code::{Code, Digit, Line, Pair};
use crate::set::{Set, members};

/// A question about a hidden code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// The number of filled places on the line.
    Line(Line),
    /// The parity of the digit.
    Parity(Digit),
    /// The larger of two neighbours.
    Larger(Pair),
    /// The state of the place in this column and row: filled or empty.
    Place(Line, Line),
}

impl Question {
    /// Returns all questions, kind by kind.
    pub fn all() -> impl Iterator<Item = Question> {
        let places = Line::columns().into_iter().flat_map(|column| {
            let rows = Line::rows().into_iter();
            rows.map(move |row| Question::Place(column, row))
        });
        let lines = Line::ALL.into_iter().map(Question::Line);
        let digits = Digit::ALL.into_iter().map(Question::Parity);
        let pairs = Pair::ALL.into_iter().map(Question::Larger);
        lines.chain(digits).chain(pairs).chain(places)
    }

    /// Returns the kind of the question.
    pub fn kind(self) -> Kind {
        match self {
            Question::Line(_) => Kind::Line,
            Question::Parity(_) => Kind::Parity,
            Question::Larger(_) => Kind::Larger,
            Question::Place(..) => Kind::Place,
        }
    }

    /// Returns the answer as a number:
    ///
    /// - the count of filled places of a line;
    /// - 0 for an even digit and 1 for an odd one;
    /// - 0 if the first digit of the pair is larger and 1 if the second is;
    /// - 0 for an empty place and 1 for a filled one.
    pub fn answer(self, code: Code) -> u8 {
        match self {
            Question::Line(line) => code.filled(line),
            Question::Parity(digit) => code.value(digit) % 2,
            Question::Larger(pair) => {
                let [first, second] = pair.digits().map(|digit| code.value(digit));
                u8::from(second > first)
            }
            Question::Place(column, row) => u8::from(code.is_filled(column, row)),
        }
    }
}

/// The four kinds of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The number of filled places of a line.
    Line,
    /// The parity of a digit.
    Parity,
    /// The larger of two neighbours.
    Larger,
    /// The state of one place: filled or empty.
    Place,
}

impl Kind {
    /// All four kinds.
    pub const ALL: [Kind; 4] = [Kind::Line, Kind::Parity, Kind::Larger, Kind::Place];

    /// Returns all four kinds as a set.
    pub fn all() -> Set<Kind> {
        Set::below(Self::ALL.len() as u8)
    }
}

members!(Kind);

/// The parity of a digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Parity {
    /// 0, 2, 4, 6 or 8.
    Even,
    /// 1, 3, 5, 7 or 9.
    Odd,
}
