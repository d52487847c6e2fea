//! A seat's view of a Digit Code table: a fold over the events it has seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::code::Code;
use super::types::{Event, Rules};
use crate::game;
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// The table as one seat sees it now, with the solution sheet: the rules allow writing down answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// The seat whose view this is.
    pub seat: Seat,
    /// The current game of the match, counted from 1.
    pub game: u8,
    /// The seat with the first turn of this game.
    pub first: Seat,
    /// The question master; null if there is none.
    pub master: Option<Seat>,
    /// The code that you have hidden, if any.
    pub code: Option<Code>,
    /// The seats still trying to solve a code.
    pub solving: Set<Seat>,
    /// Number of wrong declarations in this game, by seat.
    pub wrong: BySeat<u8>,
    /// True if the first of two seats has solved the code, so that the second has its last declaration.
    pub last_chance: bool,
    /// Number of games won so far, by seat.
    pub wins: BySeat<i32>,
    /// The seats that have forfeited.
    pub withdrawn: Set<Seat>,
    /// The solution sheet: the questions and declarations of this game, in order.
    pub sheet: Vec<Event>,
}

impl game::View<Rules, Event> for View {
    fn new(_: &Rules, seats: usize, seat: Seat) -> Self {
        Self {
            seat,
            game: 0,
            first: Seat(0),
            master: None,
            code: None,
            solving: Seat::all(seats),
            wrong: BySeat::new(seats, |_| 0),
            last_chance: false,
            wins: BySeat::new(seats, |_| 0),
            withdrawn: Set::EMPTY,
            sheet: Vec::new(),
        }
    }

    fn see(&mut self, event: &Event) {
        match *event {
            Event::GameStarted {
                game,
                first,
                master,
            } => {
                self.game = game;
                self.first = first;
                self.master = master;
                self.code = None;
                self.solving = Seat::all(self.wrong.len()).without(self.withdrawn);
                master
                    .into_iter()
                    .for_each(|seat| self.solving.remove(seat));
                self.wrong.iter_mut().for_each(|wrong| *wrong = 0);
                self.last_chance = false;
                self.sheet.clear();
            }
            Event::Hid { seat, code } => {
                if seat == Some(self.seat) {
                    self.code = code;
                }
            }
            Event::AskedLine { .. }
            | Event::AskedParity { .. }
            | Event::AskedLarger { .. }
            | Event::AskedPlace { .. } => self.sheet.push(*event),
            Event::Declared { seat, right, .. } => {
                self.sheet.push(*event);
                self.wrong[seat] += u8::from(!right);
                self.last_chance = right && self.wrong.len() == 2 && seat == self.first;
            }
            Event::Eliminated { seat } => self.solving.remove(seat),
            Event::Withdrew { seat } => {
                self.solving.remove(seat);
                self.withdrawn.insert(seat);
            }
            Event::Revealed { .. } => {}
            Event::GameEnded { winner } => winner.into_iter().for_each(|seat| self.wins[seat] += 1),
        }
    }
}
