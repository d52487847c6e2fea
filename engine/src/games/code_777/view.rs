//! A seat's view of a Code 777 table: a fold over the events it has seen.

use arrayvec::ArrayVec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::card::{CARDS, Card, RACK, Rack};
use super::question::{Answer, Question};
use super::types::{Event, Rules};
use crate::game;
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// Maximum number of racks that belong to nobody.
pub const MAX_DUMMIES: usize = 2;

/// The table as one seat sees it now; taking notes is up to the bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// The seat whose view this is.
    pub seat: Seat,
    /// The rack of each seat; null for your own, and for a seat that forfeited.
    pub racks: BySeat<Option<Rack>>,
    /// The racks that belong to nobody.
    pub dummies: ArrayVec<Rack, MAX_DUMMIES>,
    /// The last answer.
    pub last: Option<Answered>,
    /// The question cards that lie face up; the others are still to be drawn.
    pub asked: Set<Question>,
    /// The number of questions asked since the beginning.
    pub questions: u16,
    /// Number of number cards in the draw pile.
    pub pile: u8,
    /// The number cards in the discard pile, the top one last.
    pub discards: ArrayVec<Card, { CARDS as usize }>,
    /// Points so far.
    pub points: BySeat<u16>,
}

/// An answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answered {
    /// The seat that answered.
    pub seat: Seat,
    /// The question card.
    pub question: Question,
    /// The answer.
    pub answer: Answer,
}

impl View {
    fn discard(&mut self, seat: Seat, rack: Rack) {
        self.racks[seat] = None;
        self.discards.extend(rack.cards());
    }
}

impl game::View<Rules, Event> for View {
    fn new(_: &Rules, seats: usize, seat: Seat) -> Self {
        Self {
            seat,
            racks: BySeat::new(seats, |_| None),
            dummies: ArrayVec::new(),
            last: None,
            asked: Set::EMPTY,
            questions: 0,
            pile: CARDS,
            discards: ArrayVec::new(),
            points: BySeat::new(seats, |_| 0),
        }
    }

    fn see(&mut self, event: &Event) {
        match *event {
            Event::Dealt { seat, rack } => {
                self.racks[seat] = rack;
                self.pile -= RACK as u8;
            }
            Event::Dummy { rack } => {
                self.dummies.push(rack);
                self.pile -= RACK as u8;
            }
            Event::Answered {
                seat,
                question,
                answer,
            } => {
                self.last = Some(Answered {
                    seat,
                    question,
                    answer,
                });
                self.asked.insert(question);
                self.questions += 1;
            }
            Event::Declared {
                seat, rack, right, ..
            } => {
                self.points[seat] += u16::from(right);
                self.discard(seat, rack);
            }
            Event::Withdrew { seat, rack } => self.discard(seat, rack),
            Event::Reshuffled { pile } => {
                self.pile = pile;
                self.discards.clear();
            }
            Event::QuestionsReshuffled {} => self.asked = Set::EMPTY,
            Event::Ended { .. } => {}
        }
    }
}
