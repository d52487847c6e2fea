//! The guesses at one code, and the candidate codes that fit all answers.

use std::ops::ControlFlow;

use super::code::{Code, Pins};
use crate::chance::Chance;
use crate::set::Set;

use super::packed::{Packed, Size, answer};
use super::search;

/// Maximum number of candidates that are listed.
pub const MAX_LISTED: usize = 120_000;

/// The guesses at one code, and the remaining candidates.
#[derive(Clone, Debug)]
pub struct Board {
    /// Length of codes and number of colours.
    pub size: Size,
    /// The guesses so far.
    pub guesses: Vec<(Code, Pins)>,
    /// The codes that fit the first guesses, in ascending order, and the number of these guesses. `None` while there are too many codes to
    /// list.
    listed: Option<(Vec<Packed>, usize)>,
}

impl Board {
    /// Creates a board without guesses.
    pub fn new(size: Size) -> Self {
        Self {
            size,
            guesses: Vec::new(),
            listed: None,
        }
    }

    /// Adds a guess and its pins.
    pub fn see(&mut self, code: Code, pins: Pins) {
        self.guesses.push((code, pins));
    }

    /// Returns the colours guessed so far.
    pub fn used(&self) -> Set<u8> {
        self.guesses
            .iter()
            .flat_map(|(code, _)| code.0.iter().copied())
            .collect()
    }

    /// Returns the codes that fit all answers, in ascending order; `None` while there are too many to list.
    pub fn candidates(&mut self) -> Option<&[Packed]> {
        let made = self.guesses.len();
        if let Some((listed, fitted)) = &mut self.listed {
            for (code, pins) in &self.guesses[*fitted..] {
                let (guess, answer) = (Packed::from(code), answer(*pins));
                listed.retain(|code| guess.answer(*code, self.size.positions) == answer);
            }
            *fitted = made;
        } else {
            let mut found = Vec::new();
            let ended = search::each(self.size, &self.guesses, None, &mut |code| {
                found.push(code);
                if found.len() > MAX_LISTED {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            self.listed = ended.is_continue().then_some((found, made));
        }
        self.listed.as_ref().map(|(listed, _)| listed.as_slice())
    }

    /// Returns a code that fits all answers. It is uniformly distributed if the fitting codes can be listed.
    pub fn candidate(&mut self, chance: &mut Chance) -> Packed {
        match self.candidates() {
            Some(listed) => *chance.pick(listed),
            None => self.found(chance),
        }
    }

    /// Returns up to `count` codes that fit all answers, in ascending order.
    pub fn sample(&self, count: usize, chance: &mut Chance) -> Vec<Packed> {
        let mut sample: Vec<Packed> = (0..count).map(|_| self.found(chance)).collect();
        sample.sort_unstable();
        sample.dedup();
        sample
    }

    /// Returns the first fitting code found by a search that tries colours in random order.
    fn found(&self, chance: &mut Chance) -> Packed {
        let mut first = None;
        let _ = search::each(self.size, &self.guesses, Some(chance), &mut |code| {
            first = Some(code);
            ControlFlow::Break(())
        });
        first.expect("the hidden code fits the answers")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Seed;

    fn random(size: Size, chance: &mut Chance) -> Code {
        (0..size.positions)
            .map(|_| 1 + chance.below(size.colours.into()) as u8)
            .collect()
    }

    #[test]
    fn candidates_are_the_codes_that_fit() {
        let mut chance = Seed::try_from(2).unwrap().stream("codes", 0);
        for (positions, colours) in [(1, 2), (3, 10), (4, 6), (5, 6), (6, 3)] {
            let size = Size { positions, colours };
            for _ in 0..20 {
                let hidden = random(size, &mut chance);
                let mut board = Board::new(size);
                let mut fitting = size.all();
                for _ in 0..4 {
                    assert_eq!(board.candidates(), Some(fitting.as_slice()));
                    assert!(
                        board
                            .sample(5, &mut chance)
                            .iter()
                            .all(|code| fitting.contains(code))
                    );
                    let guess = random(size, &mut chance);
                    let pins = guess.pins(&hidden);
                    board.see(guess.clone(), pins);
                    fitting.retain(|code| guess.pins(&Code::from(*code)) == pins);
                    assert_eq!(
                        Board {
                            listed: None,
                            ..board.clone()
                        }
                        .candidates(),
                        Some(fitting.as_slice())
                    );
                }
            }
        }
    }

    #[test]
    fn codes_too_many_to_be_listed_are_found_by_search() {
        let mut chance = Seed::try_from(3).unwrap().stream("codes", 0);
        let size = Size {
            positions: 8,
            colours: 10,
        };
        let hidden = random(size, &mut chance);
        let mut board = Board::new(size);
        for _ in 0..40 {
            let guess = Code::from(board.candidate(&mut chance));
            let pins = guess.pins(&hidden);
            if pins.crack(&guess) {
                return;
            }
            board.see(guess, pins);
        }
        panic!("{hidden} was not found in 40 guesses");
    }
}
