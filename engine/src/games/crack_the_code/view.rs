//! A seat's view of a Crack the code table: a fold over the events it has seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::code::{Code, Guess};
use super::types::{Event, Rules};
use crate::game;
use crate::seat::{BySeat, Seat};

/// The table as one seat sees it now, including all guesses, which stay on the board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// The seat whose view this is.
    pub seat: Seat,
    /// Total number of guesses of each seat.
    pub attempts: u8,
    /// Each seat's code; null if not chosen yet, or hidden from you.
    pub codes: BySeat<Option<Code>>,
    /// Each seat's guesses at the other's code, first to last.
    pub guesses: BySeat<Vec<Guess>>,
}

impl game::View<Rules, Event> for View {
    fn new(rules: &Rules, seats: usize, seat: Seat) -> Self {
        Self {
            seat,
            attempts: rules.attempts,
            codes: BySeat::new(seats, |_| None),
            guesses: BySeat::new(seats, |_| Vec::new()),
        }
    }

    fn see(&mut self, event: &Event) {
        match event {
            Event::Hid { seat, code } => self.codes[*seat].clone_from(code),
            Event::Guessed { seat, code, pins } => {
                self.guesses[*seat].push(Guess {
                    code: code.clone(),
                    pins: *pins,
                });
            }
            Event::Revealed { seat, code } => self.codes[*seat] = Some(code.clone()),
            Event::Withdrew { .. } => {}
        }
    }
}
