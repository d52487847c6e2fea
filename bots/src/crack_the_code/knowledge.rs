//! The knowledge of a seat: the boards on which it and the other seat guess.

use arena_engine::chance::Chance;
use arena_engine::games::crack_the_code::types::{Event, Rules};
use arena_engine::player::Start;
use arena_engine::seat::{BySeat, Seat};

use super::board::Board;
use super::packed::Size;

/// The guesses of both seats, and the seat's own chance.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// The rules of the match.
    pub rules: Rules,
    /// The seat.
    pub seat: Seat,
    /// The guesses that each seat made at the other's code.
    pub boards: BySeat<Board>,
    /// The seat's own chance.
    pub chance: Chance,
}

impl Knowledge {
    /// Before the first event, with chance of that name.
    pub fn new(start: &Start<'_, Rules>, name: &str) -> Self {
        let board = Board::new(Size::from(start.rules));
        Self {
            rules: *start.rules,
            seat: start.seat,
            boards: BySeat::new(start.seats, |_| board.clone()),
            chance: start.seed.stream(name, 0),
        }
    }

    /// Takes in what happened.
    pub fn learn(&mut self, events: &mut dyn Iterator<Item = Event>) {
        for event in events {
            if let Event::Guessed { seat, code, pins } = event {
                self.boards[seat].see(code, pins);
            }
        }
    }

    /// The seat's own guesses.
    pub fn own(&mut self) -> &mut Board {
        &mut self.boards[self.seat]
    }
}
