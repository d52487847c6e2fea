//! A seat's knowledge: the boards on which it and the other seat guess.

use arena_engine::chance::Chance;
use arena_engine::games::crack_the_code::code::Code;
use arena_engine::games::crack_the_code::types::{Action, Event, Rules};
use arena_engine::player::Start;
use arena_engine::seat::{BySeat, Seat};

use super::solver::Prior;
use arena_engine::games::crack_the_code::board::Board;
use arena_engine::games::crack_the_code::packed::{Packed, Size};

/// The guesses of both seats, and the seat's own randomness.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// The rules of the match.
    pub rules: Rules,
    /// The observing seat.
    pub seat: Seat,
    /// Each seat's guesses at the other's code. The guesses of this seat are written in its own labels.
    pub boards: BySeat<Board>,
    /// The expected distribution of hidden codes.
    pub prior: Prior,
    labels: Labels,
    /// The seat's own randomness.
    pub chance: Chance,
}

impl Knowledge {
    /// Creates the state before the first event. `name` selects the random stream.
    pub fn new(start: &Start<'_, Rules>, name: &str) -> Self {
        Self::expecting(start, name, Prior::EVEN)
    }

    /// Like [`Knowledge::new`], with this prior for the codes of both seats.
    pub fn expecting(start: &Start<'_, Rules>, name: &str, prior: Prior) -> Self {
        let size = Size::from(start.rules);
        let board = Board::new(size);
        Self {
            rules: *start.rules,
            seat: start.seat,
            boards: BySeat::new(start.seats, |_| board.clone()),
            prior,
            labels: Labels::random(size, &mut start.seed.stream(name, 1)),
            chance: start.seed.stream(name, 0),
        }
    }

    /// Processes new events.
    pub fn learn(&mut self, events: &mut dyn Iterator<Item = Event>) {
        for event in events {
            if let Event::Guessed { seat, code, pins } = event {
                let code = if seat == self.seat {
                    self.labels.read(&code)
                } else {
                    code
                };
                self.boards[seat].see(code, pins);
            }
        }
    }

    /// Returns the board of the seat's own guesses.
    pub fn own(&mut self) -> &mut Board {
        &mut self.boards[self.seat]
    }

    /// Returns the action for a guess that is written in the seat's labels.
    pub fn guess(&self, code: Packed) -> Action {
        Action::Guess {
            code: self.labels.written(&code.into()),
        }
    }
}

/// Names for colours and positions that are drawn for one match. A strategy that always begins with the same guess is slow for the same
/// codes in every match. Without labels, an opponent could hide just those codes.
#[derive(Clone, Debug)]
struct Labels {
    /// The true colour of each label, counted from 1.
    colours: Vec<u8>,
    /// The true position of each label.
    positions: Vec<usize>,
}

impl Labels {
    fn random(size: Size, chance: &mut Chance) -> Self {
        let mut labels = Self {
            colours: (1..=size.colours).collect(),
            positions: (0..size.positions.into()).collect(),
        };
        chance.shuffle(&mut labels.colours);
        chance.shuffle(&mut labels.positions);
        labels
    }

    fn written(&self, code: &Code) -> Code {
        let mut written = code.clone();
        for (label, position) in code.0.iter().zip(&self.positions) {
            written.0[*position] = self.colours[usize::from(*label) - 1];
        }
        written
    }

    fn read(&self, code: &Code) -> Code {
        let label = |colour: u8| {
            1 + self
                .colours
                .iter()
                .zip(0..)
                .find(|(of, _)| **of == colour)
                .map_or(0, |(_, at)| at)
        };
        self.positions
            .iter()
            .map(|position| label(code.0[*position]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::Seed;

    use super::*;

    #[test]
    fn labels_change_no_pins() {
        let size = Size {
            positions: 5,
            colours: 6,
        };
        for seed in 0..20 {
            let labels =
                Labels::random(size, &mut Seed::try_from(seed).unwrap().stream("labels", 0));
            let written = size
                .all()
                .into_iter()
                .step_by(97)
                .map(|code| (Code::from(code), labels.written(&code.into())));
            let codes: Vec<(Code, Code)> = written.collect();
            for (code, written) in &codes {
                assert_eq!(labels.read(written), *code);
                assert!(
                    codes
                        .iter()
                        .all(|(other, shown)| shown.pins(written) == other.pins(code))
                );
            }
        }
    }
}
