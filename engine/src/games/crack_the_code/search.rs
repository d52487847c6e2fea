//! Finds the codes that fit all answers, skipping prefixes that no fitting code has.

use std::ops::ControlFlow;

use super::code::{Code, MAX_COLOURS, Pins};
use crate::chance::Chance;

use super::packed::{Packed, Size};

/// Calls `found` for each fitting code until it breaks. The order is lexicographic, or random if a source of randomness is given.
pub fn each(
    size: Size,
    guesses: &[(Code, Pins)],
    chance: Option<&mut Chance>,
    found: &mut dyn FnMut(Packed) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let clues: Vec<Clue> = guesses
        .iter()
        .map(|(code, pins)| Clue::new(code, *pins))
        .collect();
    let start = vec![Earned { black: 0, all: 0 }; clues.len()];
    let earned = vec![start; usize::from(size.positions) + 1];
    Search {
        size,
        clues,
        earned,
        counts: [0; COUNTS],
        chance,
        found,
    }
    .extend(Packed::EMPTY, 0)
}

/// Length of an array of counts indexed by colour; colours are counted from 1.
const COUNTS: usize = MAX_COLOURS as usize + 1;

/// A guess with the pins it earned.
struct Clue {
    code: Code,
    counts: [u8; COUNTS],
    black: u8,
    all: u8,
}

/// The pins that the first pegs of a code earn against one guess.
#[derive(Clone, Copy)]
struct Earned {
    black: u8,
    all: u8,
}

struct Search<'a> {
    size: Size,
    clues: Vec<Clue>,
    /// For each number of pegs placed, the pins earned against each guess.
    earned: Vec<Vec<Earned>>,
    /// Number of pegs of each colour placed so far.
    counts: [u8; COUNTS],
    chance: Option<&'a mut Chance>,
    found: &'a mut dyn FnMut(Packed) -> ControlFlow<()>,
}

impl Clue {
    fn new(code: &Code, pins: Pins) -> Self {
        let mut counts = [0; COUNTS];
        code.0
            .iter()
            .for_each(|colour| counts[usize::from(*colour)] += 1);
        Self {
            code: code.clone(),
            counts,
            black: pins.black,
            all: pins.black + pins.white,
        }
    }
}

impl Search<'_> {
    /// Extends a code of `pegs` pegs in every way that fits.
    fn extend(&mut self, code: Packed, pegs: usize) -> ControlFlow<()> {
        if pegs == usize::from(self.size.positions) {
            return (self.found)(code);
        }
        let mut colours = [0; MAX_COLOURS as usize];
        let colours = &mut colours[..usize::from(self.size.colours)];
        colours
            .iter_mut()
            .zip(1..)
            .for_each(|(entry, colour)| *entry = colour);
        if let Some(chance) = self.chance.as_deref_mut() {
            chance.shuffle(colours);
        }
        for colour in colours {
            if self.may_follow(*colour, pegs) {
                self.counts[usize::from(*colour)] += 1;
                self.extend(code.and(*colour), pegs + 1)?;
                self.counts[usize::from(*colour)] -= 1;
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns `true` if a fitting code may begin with the pegs so far and a peg of this colour.
    fn may_follow(&mut self, colour: u8, pegs: usize) -> bool {
        let count = self.counts[usize::from(colour)];
        let rest = self.size.positions - pegs as u8 - 1;
        let (before, after) = self.earned[pegs..].split_at_mut(1);
        self.clues
            .iter()
            .zip(&before[0])
            .zip(&mut after[0])
            .all(|((clue, before), after)| {
                let black = before.black + u8::from(clue.code.0[pegs] == colour);
                let all = before.all + u8::from(count < clue.counts[usize::from(colour)]);
                *after = Earned { black, all };
                (black..=black + rest).contains(&clue.black)
                    && (all..=all + rest).contains(&clue.all)
            })
    }
}
