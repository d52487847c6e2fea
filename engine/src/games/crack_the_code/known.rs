//! A seat's knowledge in Crack the code: the codes that fit the answers to its own guesses.

use super::board::Board;
use super::packed::{ANSWERS, Packed, Size, answer};
use super::types::{Action, Event, Rules};
use crate::deduction::{Deduction, Learned};
use crate::seat::Seat;

/// Everything a seat has seen.
pub struct Known {
    seat: Seat,
    board: Board,
}

impl Known {
    /// Creates the state before the first event.
    pub fn new(rules: &Rules, seat: Seat) -> Self {
        Self {
            seat,
            board: Board::new(Size::from(rules)),
        }
    }
}

impl Deduction<Event, Action> for Known {
    fn see(&mut self, event: &Event) {
        if let Event::Guessed { seat, code, pins } = event
            && *seat == self.seat
        {
            self.board.see(code.clone(), *pins);
        }
    }

    /// Returns the number of codes that fit. Returns `None` if there are too many to list, but before the first guess the number is known
    /// in any case.
    fn worlds(&mut self) -> Option<f64> {
        let all = self
            .board
            .guesses
            .is_empty()
            .then(|| self.board.size.codes().into());
        all.or_else(|| self.board.candidates().map(|codes| codes.len() as f64))
    }

    fn guesses(&mut self, most: usize) -> Vec<(Action, f64)> {
        let codes = self.board.candidates().unwrap_or_default();
        let guess = |code: &Packed| {
            (
                Action::Guess {
                    code: (*code).into(),
                },
                1.0 / codes.len() as f64,
            )
        };
        codes.iter().take(most).map(guess).collect()
    }

    fn chance(&mut self, action: &Action) -> Option<f64> {
        let Action::Guess { code } = action else {
            return None;
        };
        let codes = self.board.candidates()?;
        Some(if codes.binary_search(&code.into()).is_ok() {
            1.0 / codes.len() as f64
        } else {
            0.0
        })
    }

    fn learned(&mut self, event: &Event) -> Option<Learned> {
        let Event::Guessed { seat, code, pins } = event else {
            return None;
        };
        let positions = self.board.size.positions;
        let codes = (*seat == self.seat).then(|| self.board.candidates())??;
        let (mut counts, guess) = ([0_u32; ANSWERS], Packed::from(code));
        codes
            .iter()
            .for_each(|code| counts[usize::from(guess.answer(*code, positions))] += 1);
        let chance = |count: u32| f64::from(count) / codes.len() as f64;
        let learned = Learned::from_answer(
            counts.into_iter().map(chance),
            chance(counts[usize::from(answer(*pins))]),
        );
        Some(Learned {
            right: Some(pins.crack(code)),
            ..learned
        })
    }
}
