//! The codes of Digit Code: six seven-segment digits on a lattice, and the letters that name its parts.
//!
//! The digits T U V stand above W X Y. Each is drawn on three columns and five rows, so that the columns A to I run across
//! the three digits of a row, and the rows J to S down the two digits of a column.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chance::Chance;
use crate::notation::notation;
use crate::set::{Set, members};
use crate::shown;

/// Number of digits in a code.
pub const DIGITS: usize = 6;

/// Number of digits side by side.
const ACROSS: usize = 3;
/// Number of lattice columns per digit.
const WIDTH: u8 = 3;
/// Number of lattice rows per digit.
const HEIGHT: u8 = 5;

/// The filled lattice places of each digit: bit `3 * row + column`, both counted from 0. The corners, the middles of the long sides and the
/// two holes are never filled, so the seven segments lie on the odd bits.
const LATTICE: [u16; 10] = {
    const A: u16 = 1 << 1;
    const F: u16 = 1 << 3;
    const B: u16 = 1 << 5;
    const G: u16 = 1 << 7;
    const E: u16 = 1 << 9;
    const C: u16 = 1 << 11;
    const D: u16 = 1 << 13;
    [
        A | B | C | D | E | F,
        B | C,
        A | B | D | E | G,
        A | B | C | D | G,
        B | C | F | G,
        A | C | D | F | G,
        A | C | D | E | F | G,
        A | B | C,
        A | B | C | D | E | F | G,
        A | B | C | D | F | G,
    ]
};

/// Declares an enum whose variants are named by letters.
macro_rules! letters {
    ($(#[$doc:meta])* $Name:ident: $($Letter:ident)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[expect(missing_docs, reason = "they are their letters")]
        pub enum $Name {
            $($Letter),+
        }

        impl $Name {
            /// All variants in order.
            pub const ALL: [$Name; [$(stringify!($Letter)),+].len()] = [$($Name::$Letter),+];
        }

        shown!($Name, |letter| "{letter:?}");
        members!($Name);
    };
}

letters! {
    /// A digit of a code, named by its letter, from left to right: T U V above, W X Y below.
    Digit: T U V W X Y
}

letters! {
    /// Two digits side by side or above each other.
    Pair: TU UV WX XY TW UX VY
}

letters! {
    /// A lattice line: a column, A to I from the left, or a row, J to S from the top.
    Line: A B C D E F G H I J K L M N O P Q R S
}

impl Pair {
    /// Returns the two digits of the pair, in alphabetical order.
    #[inline]
    pub fn digits(self) -> [Digit; 2] {
        match self {
            Pair::TU => [Digit::T, Digit::U],
            Pair::UV => [Digit::U, Digit::V],
            Pair::WX => [Digit::W, Digit::X],
            Pair::XY => [Digit::X, Digit::Y],
            Pair::TW => [Digit::T, Digit::W],
            Pair::UX => [Digit::U, Digit::X],
            Pair::VY => [Digit::V, Digit::Y],
        }
    }
}

impl Line {
    /// Returns all columns and rows.
    pub fn all() -> Set<Line> {
        Set::below(Self::ALL.len() as u8)
    }

    /// Returns the columns, A to I.
    pub fn columns() -> Set<Line> {
        Set::below(ACROSS as u8 * WIDTH)
    }

    /// Returns the rows, J to S.
    pub fn rows() -> Set<Line> {
        Self::all().without(Self::columns())
    }

    /// Returns `true` for a column.
    pub fn is_column(self) -> bool {
        self < Line::J
    }

    /// Returns the digits that the line crosses, and a mask of each digit's lattice places on it.
    fn crossed(self) -> (&'static [usize], u16) {
        const UPRIGHT: u16 = 0b001_001_001_001_001;
        const LEVEL: u16 = 0b111;
        let at = self as u8;
        if self.is_column() {
            let digits: [&[usize]; ACROSS] = [&[0, 3], &[1, 4], &[2, 5]];
            (digits[usize::from(at / WIDTH)], UPRIGHT << (at % WIDTH))
        } else {
            let row = at - Line::J as u8;
            let digits: [&[usize]; 2] = [&[0, 1, 2], &[3, 4, 5]];
            (
                digits[usize::from(row / HEIGHT)],
                LEVEL << (row % HEIGHT * WIDTH),
            )
        }
    }
}

/// A legal code: no digit occurs three times, and equal digits are never adjacent. Written as the digits T U V W X Y in one
/// string, such as `"204817"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code([u8; DIGITS]);

impl Code {
    /// Returns all legal codes in ascending order.
    pub fn all() -> impl Iterator<Item = Code> {
        (0..NUMBERS)
            .map(digits)
            .filter(|digits| is_legal(*digits))
            .map(Code)
    }

    /// Returns a uniformly random legal code.
    pub fn random(chance: &mut Chance) -> Code {
        loop {
            let digits = digits(chance.below(NUMBERS));
            if is_legal(digits) {
                return Code(digits);
            }
        }
    }

    /// Returns the code with these digits; `None` if it is not legal.
    pub(super) fn from_fixed(digits: &[u8]) -> Option<Code> {
        let digits = digits.try_into().ok()?;
        is_legal(digits).then_some(Code(digits))
    }

    /// Returns the value of the digit with this letter.
    pub fn value(self, digit: Digit) -> u8 {
        self.0[digit as usize]
    }

    /// Returns the number of filled places on a line.
    pub fn filled(self, line: Line) -> u8 {
        let (digits, places) = line.crossed();
        digits
            .iter()
            .map(|digit| (self.lattice(*digit) & places).count_ones() as u8)
            .sum()
    }

    /// Returns `true` if the place where two lines cross is filled; `false` if they do not cross.
    pub fn is_filled(self, column: Line, row: Line) -> bool {
        let ((above, upright), (beside, level)) = (column.crossed(), row.crossed());
        let crossing = above.iter().find(|digit| beside.contains(digit));
        crossing.is_some_and(|digit| column != row && self.lattice(*digit) & upright & level != 0)
    }

    /// Draws the code on the lattice, with the letters of its lines.
    pub(super) fn drawn(self) -> String {
        let columns = || Line::columns().into_iter();
        let letters: String = columns().map(|column| format!(" {column:?}")).collect();
        let mut text = format!("      {letters}\n");
        for row in Line::rows() {
            text += &format!("     {row:?}");
            text.extend(columns().map(|column| {
                if self.is_filled(column, row) {
                    " #"
                } else {
                    " ."
                }
            }));
            text.push('\n');
        }
        text
    }

    fn lattice(self, digit: usize) -> u16 {
        LATTICE[usize::from(self.0[digit])]
    }
}

/// Number of six-digit numbers, leading zeros included.
const NUMBERS: u32 = 1_000_000;

#[inline]
fn digits(number: u32) -> [u8; DIGITS] {
    let mut rest = number;
    let mut digits = [0; DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit = (rest % 10) as u8;
        rest /= 10;
    }
    digits
}

/// Returns `true` if these digits from 0 to 9 form a legal code.
#[inline]
fn is_legal(digits: [u8; DIGITS]) -> bool {
    // Four bits count each digit. Adding 5 sets the highest bit of every count of three or more.
    const FIVES: u64 = 0x55_5555_5555;
    const HIGH_BITS: u64 = 0x88_8888_8888;
    let counts: u64 = digits.iter().map(|digit| 1 << (4 * digit)).sum();
    (counts + FIVES) & HIGH_BITS == 0 && !Pair::ALL.into_iter().any(|pair| are_equal(digits, pair))
}

fn are_equal(digits: [u8; DIGITS], pair: Pair) -> bool {
    let [first, second] = pair.digits();
    digits[first as usize] == digits[second as usize]
}

impl FromStr for Code {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let digits: Option<[u8; DIGITS]> = text.as_bytes().try_into().ok();
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_digit));
        let Some(digits) = digits else {
            let text: String = text.chars().take(20).collect();
            return Err(format!(
                "{text:?} is not a code: a code is a string of six digits, such as \"204817\""
            ));
        };
        let digits = digits.map(|digit| digit - b'0');
        if is_legal(digits) {
            return Ok(Code(digits));
        }
        if let Some(pair) = Pair::ALL.into_iter().find(|pair| are_equal(digits, *pair)) {
            return Err(format!(
                "{text} is not a legal code: the neighbours {pair} are equal"
            ));
        }
        let count = |digit: u8| digits.iter().filter(|other| **other == digit).count();
        let often = (0..10)
            .max_by_key(|digit| count(*digit))
            .unwrap_or_default();
        let times = count(often);
        Err(format!(
            "{text} is not a legal code: the digit {often} occurs {times} times, and at most twice is allowed"
        ))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|digit| write!(f, "{digit}"))
    }
}

notation!(Code, "a code as a text, such as \"204817\"", { "type": "string", "pattern": "^[0-9]{6}$" });
