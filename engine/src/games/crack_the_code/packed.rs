//! Packed codes. Two of them are compared in a few machine instructions, which makes it feasible to list all codes.

use super::code::{Code, MAX_COLOURS, MAX_POSITIONS, Pins};
use super::types::Rules;
use crate::set::Set;

/// Pins packed into a small number.
pub type Answer = u8;

/// Exclusive upper bound of the values of [`Answer`].
pub const ANSWERS: usize = (MAX_POSITIONS as usize + 1) * (MAX_POSITIONS as usize + 1);

/// Packs pins into an [`Answer`].
pub fn answer(pins: Pins) -> Answer {
    pins.black * (MAX_POSITIONS + 1) + pins.white
}

/// Length of codes and number of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// Number of positions in a code.
    pub positions: u8,
    /// Number of peg colours.
    pub colours: u8,
}

impl Size {
    /// Returns the number of codes.
    pub fn codes(self) -> u32 {
        u32::from(self.colours).pow(self.positions.into())
    }

    /// Returns the answer that cracks a code of this size.
    pub fn cracked(self) -> Answer {
        answer(Pins {
            black: self.positions,
            white: 0,
        })
    }

    /// Returns the number of possible answers. Every combination of pins is possible, except all but one black with the remaining one
    /// white.
    pub fn answers(self) -> usize {
        let positions = usize::from(self.positions);
        (positions + 1) * (positions + 2) / 2 - 1
    }

    /// Returns all codes in lexicographic order.
    pub fn all(self) -> Vec<Packed> {
        self.unlike((1..=self.colours).collect())
    }

    /// Returns one code for each class of codes that are equal up to renaming unused colours, in lexicographic order. One code stands for
    /// its class, because no answer so far distinguishes the unused colours.
    pub fn unlike(self, used: Set<u8>) -> Vec<Packed> {
        let mut codes = Vec::new();
        self.extend(Packed::EMPTY, 0, used, &mut codes);
        codes
    }

    fn extend(self, code: Packed, position: u8, used: Set<u8>, codes: &mut Vec<Packed>) {
        if position == self.positions {
            codes.push(code);
            return;
        }
        for colour in 1..=self.colours {
            let mut and_this = used;
            and_this.insert(colour);
            self.extend(code.and(colour), position + 1, and_this, codes);
            if !used.contains(colour) {
                break;
            }
        }
    }
}

impl From<&Rules> for Size {
    fn from(rules: &Rules) -> Self {
        Self {
            positions: rules.positions,
            colours: rules.colours,
        }
    }
}

/// A code packed into two machine words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Packed {
    /// The pegs, 4 bits each, the first one in the highest bits.
    pegs: u32,
    /// Number of pegs of each colour, 5 bits each.
    counts: u64,
}

const COUNT_BITS: u32 = 5;
const LOW_OF_PEGS: u32 = 0x1111_1111;
const LOW_OF_COUNTS: u64 = low_of_counts();
const HIGH_OF_COUNTS: u64 = LOW_OF_COUNTS << (COUNT_BITS - 1);

/// Returns a mask with the lowest bit of every colour's count set.
const fn low_of_counts() -> u64 {
    let (mut low, mut colour) = (0, 0);
    while colour < MAX_COLOURS {
        low = low << COUNT_BITS | 1;
        colour += 1;
    }
    low
}

impl Packed {
    /// The code without pegs.
    pub const EMPTY: Self = Self { pegs: 0, counts: 0 };

    /// Returns the code with one more peg.
    pub fn and(self, colour: u8) -> Self {
        let count = 1 << (u32::from(colour - 1) * COUNT_BITS);
        Self {
            pegs: self.pegs << 4 | u32::from(colour),
            counts: self.counts + count,
        }
    }

    /// Returns the number of pegs that repeat the colour of an earlier peg.
    pub fn repeats(self) -> usize {
        self.colours().count() - self.colours().collect::<Set<u8>>().len()
    }

    /// Returns the colours in order of position.
    pub fn colours(self) -> impl Iterator<Item = u8> {
        (0..MAX_POSITIONS)
            .rev()
            .map(move |peg| (self.pegs >> (4 * peg) & 15) as u8)
            .skip_while(|colour| *colour == 0)
    }

    /// Returns the answer to a guess: one of the two codes is guessed, and the other is hidden. Both codes have `positions` pegs.
    pub fn answer(self, other: Self, positions: u8) -> Answer {
        // Fold the four bits of each peg into the lowest, so that a 1 marks a peg that differs. The multiplication sums these ones into the
        // highest four bits.
        let differ = self.pegs ^ other.pegs;
        let differ = differ | differ >> 1;
        let differ = (differ | differ >> 2) & LOW_OF_PEGS;
        let black = u32::from(positions) - (differ.wrapping_mul(LOW_OF_PEGS) >> 28);
        // Take the smaller count of each colour. The high bit survives the subtraction if the other code's count is not greater.
        let no_greater =
            (((self.counts | HIGH_OF_COUNTS) - other.counts) & HIGH_OF_COUNTS) >> (COUNT_BITS - 1);
        let others = no_greater * ((1 << COUNT_BITS) - 1);
        let smaller = (other.counts & others) | (self.counts & !others);
        let all =
            smaller.wrapping_mul(LOW_OF_COUNTS) >> (COUNT_BITS * (u32::from(MAX_COLOURS) - 1)) & 31;
        (black * (u32::from(MAX_POSITIONS) + 1) + all as u32 - black) as Answer
    }
}

impl From<&Code> for Packed {
    fn from(code: &Code) -> Self {
        code.0
            .iter()
            .fold(Self::EMPTY, |packed, colour| packed.and(*colour))
    }
}

impl From<Packed> for Code {
    fn from(packed: Packed) -> Self {
        packed.colours().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Seed;

    #[test]
    fn packed_codes_are_answered_as_the_game_does() {
        let mut chance = Seed::try_from(1).unwrap().stream("codes", 0);
        for _ in 0..20_000 {
            let (positions, colours) = (1 + chance.below(8) as u8, 2 + chance.below(9));
            let mut code = || {
                (0..positions)
                    .map(|_| 1 + chance.below(colours) as u8)
                    .collect::<Code>()
            };
            let (guess, hidden) = (code(), code());
            let packed = Packed::from(&guess);
            assert_eq!(
                packed.answer(Packed::from(&hidden), positions),
                answer(guess.pins(&hidden))
            );
            assert_eq!(Code::from(packed), guess);
        }
    }

    #[test]
    fn all_codes_are_listed_in_order() {
        let all = Size {
            positions: 5,
            colours: 6,
        }
        .all();
        assert_eq!(all.len(), 7_776);
        assert!(all.is_sorted_by(|low, high| low < high));
    }

    #[test]
    fn codes_that_differ_by_unused_colours_only_are_listed_once() {
        let size = Size {
            positions: 5,
            colours: 6,
        };
        // The number of partitions of five positions into groups of one colour is a Bell number.
        assert_eq!(size.unlike(Set::EMPTY).len(), 52);
        let after_11223 = size.unlike([1, 2, 3].into_iter().collect());
        assert!(after_11223.contains(&Packed::from(
            &[4, 1, 4, 5, 2].into_iter().collect::<Code>()
        )));
        assert!(!after_11223.contains(&Packed::from(
            &[5, 1, 5, 4, 2].into_iter().collect::<Code>()
        )));
    }
}
