//! The table of Code 777 as a seat sees it, with the candidates for its own rack.

use arrayvec::ArrayVec;

use super::card::{Cards, RACK, Rack};
use super::question::{Answer, Question};
use super::types::{Action, Claim, Event, Rules};
use super::view::View;
use crate::deduction::{Deduction, Learned, likeliest};
use crate::game::View as _;
use crate::seat::{MAX_SEATS, Seat};

/// The candidates for a seat's rack, each with the number of ways that lead to the seen events.
pub type Candidates = Vec<(Rack, f64)>;

/// A list of racks on the table.
pub type Racks = ArrayVec<Rack, { MAX_SEATS + 1 }>;

/// Everything a seat has seen.
#[derive(Clone, Debug)]
pub struct Known {
    /// The rules played.
    pub rules: Rules,
    /// The table as the seat sees it.
    pub view: View,
    /// The candidates for the seat's own rack, weighted by likelihood. The weights need not add up to 1.
    pub own: Candidates,
}

impl Known {
    /// Creates the state before the first event.
    pub fn new(rules: &Rules, seats: usize, seat: Seat) -> Self {
        Self {
            rules: rules.clone(),
            view: View::new(rules, seats, seat),
            own: Vec::new(),
        }
    }

    /// Processes one event.
    pub fn see(&mut self, event: &Event) {
        let me = self.view.seat;
        match *event {
            // The racks dealt after the seat's own, dummies included, also tell a little, because their cards leave the pile.
            Event::Dealt { seat, .. } if seat == me => {
                let unseen = self.unseen();
                self.own = Rack::all().map(|rack| (rack, 1.0)).collect();
                self.weigh(|own| unseen.ways(own).into());
            }
            Event::Dealt {
                rack: Some(rack), ..
            }
            | Event::Dummy { rack } => {
                let unseen = self.unseen();
                self.weigh(|own| {
                    unseen
                        .without(own)
                        .map_or(0.0, |pile| pile.ways(&rack).into())
                });
            }
            Event::Answered {
                seat,
                question,
                answer,
            } if seat != me => {
                let mut seen = self.seen_by(seat);
                self.weigh(|own| f64::from(answers(question, &mut seen, own) == answer));
            }
            _ => {}
        }
        self.view.see(event);
    }

    /// Multiplies the weight of each candidate, dropping those that become impossible.
    pub fn weigh(&mut self, mut factor: impl FnMut(&Rack) -> f64) {
        self.own
            .iter_mut()
            .for_each(|(rack, weight)| *weight *= factor(rack));
        self.own.retain(|(_, weight)| *weight > 0.0);
        let total: f64 = self.own.iter().map(|(_, weight)| weight).sum();
        self.own.iter_mut().for_each(|(_, weight)| *weight /= total);
    }

    /// Returns the cards that are neither on a visible rack nor among the discards: those on the seat's own rack and in the draw pile.
    pub fn unseen(&self) -> Cards {
        let mut unseen = Cards::full();
        let discards = self
            .view
            .discards
            .chunks_exact(RACK)
            .map(|rack| Rack::from([rack[0], rack[1], rack[2]]));
        let seen = self
            .view
            .racks
            .iter()
            .flatten()
            .chain(&self.view.dummies)
            .copied()
            .chain(discards);
        for rack in seen {
            unseen = unseen
                .without(&rack)
                .expect("there are no more cards than 28");
        }
        unseen
    }

    /// Returns the racks that another seat sees, except the rack of this seat.
    pub fn seen_by(&self, seat: Seat) -> Racks {
        let others = self
            .view
            .racks
            .seats()
            .filter(|(other, _)| *other != seat)
            .filter_map(|(_, rack)| *rack);
        others.chain(self.view.dummies.iter().copied()).collect()
    }

    /// Returns the declarations that may be right, each with its probability.
    pub fn claims(&self) -> Vec<(Claim, f64)> {
        let mut chances: Vec<(Claim, f64)> = Vec::new();
        for (rack, weight) in &self.own {
            match chances.iter_mut().find(|(claim, _)| claim.right(rack)) {
                Some((_, chance)) => *chance += weight,
                None => chances.push((claim(rack, &self.rules), *weight)),
            }
        }
        chances
    }
}

impl Deduction<Event, Action> for Known {
    fn see(&mut self, event: &Event) {
        self.see(event);
    }

    /// Returns the number of distinct racks. They are not equally likely: a rack is likelier if its cards can be drawn in more ways.
    fn worlds(&mut self) -> Option<f64> {
        (!self.own.is_empty()).then_some(self.own.len() as f64)
    }

    fn guesses(&mut self, most: usize) -> Vec<(Action, f64)> {
        likeliest(
            self.claims()
                .into_iter()
                .map(|(claim, chance)| (Action::Declare(claim), chance))
                .collect(),
            most,
        )
    }

    fn chance(&mut self, action: &Action) -> Option<f64> {
        let Action::Declare(claim) = action else {
            return None;
        };
        let right = self
            .own
            .iter()
            .filter(|(rack, _)| claim.right(rack))
            .map(|(_, weight)| weight);
        (!self.own.is_empty()).then(|| right.sum())
    }

    fn learned(&mut self, event: &Event) -> Option<Learned> {
        match *event {
            Event::Declared {
                seat, said, right, ..
            } if seat == self.view.seat => Some(Learned::from_guess(
                self.chance(&Action::Declare(said))?,
                right,
            )),
            Event::Answered {
                seat,
                question,
                answer,
            } if seat != self.view.seat && !self.own.is_empty() => {
                let mut seen = self.seen_by(seat);
                let mut chances: Vec<(Answer, f64)> = Vec::new();
                for (rack, weight) in &self.own {
                    let answer = answers(question, &mut seen, rack);
                    match chances.iter_mut().find(|(other, _)| *other == answer) {
                        Some((_, chance)) => *chance += weight,
                        None => chances.push((answer, *weight)),
                    }
                }
                let came = chances
                    .iter()
                    .find(|(other, _)| *other == answer)
                    .map_or(0.0, |(_, chance)| *chance);
                Some(Learned::from_answer(
                    chances.into_iter().map(|(_, chance)| chance),
                    came,
                ))
            }
            _ => None,
        }
    }
}

/// Returns the answer to a question by a seat that sees the racks in `seen` and the rack `more`.
pub fn answers(question: Question, seen: &mut Racks, more: &Rack) -> Answer {
    seen.push(*more);
    let answer = question.answer(seen);
    seen.pop();
    answer
}

/// Returns the declaration that names this rack.
pub fn claim(rack: &Rack, rules: &Rules) -> Claim {
    if rules.colours {
        Claim::Cards(rack.cards())
    } else {
        Claim::Numbers(rack.numbers())
    }
}
