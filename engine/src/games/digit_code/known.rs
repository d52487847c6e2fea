//! The candidate codes of Digit Code that fit all answers and, with two seats, the opponent's candidates for the seat's own code.

use super::candidates::Candidates;
use super::types::{Action, Event, Rules};
use super::view::View;
use crate::deduction::{Deduction, Learned};
use crate::game::View as _;
use crate::seat::Seat;

/// Everything a seat has seen.
#[derive(Clone, Debug)]
pub struct Known {
    /// The table as the seat sees it.
    pub view: View,
    /// The candidates for the code that this seat has to solve.
    pub left: Candidates,
    /// With two seats: the opponent's candidates for this seat's own code.
    pub own: Candidates,
    /// All codes that may be hidden, weighted by how likely the seat expects them to be.
    pub expected: &'static Candidates,
}

impl Known {
    /// Creates the state before the first event. The weights tell how likely the seat expects each code to be hidden.
    pub fn expecting(
        rules: &Rules,
        seats: usize,
        seat: Seat,
        expected: &'static Candidates,
    ) -> Self {
        let (left, own) = (expected.clone(), expected.clone());
        Self {
            view: View::new(rules, seats, seat),
            left,
            own,
            expected,
        }
    }

    /// Returns `true` if two seats play, each solving the other's code.
    pub fn is_duel(&self) -> bool {
        self.view.wrong.len() == 2
    }

    /// Returns the candidates to which a seat's questions and declarations apply.
    pub fn concerned(&self, seat: Seat) -> &Candidates {
        if self.is_about_own(seat) {
            &self.own
        } else {
            &self.left
        }
    }

    fn concerned_mut(&mut self, seat: Seat) -> &mut Candidates {
        if self.is_about_own(seat) {
            &mut self.own
        } else {
            &mut self.left
        }
    }

    fn is_about_own(&self, seat: Seat) -> bool {
        self.is_duel() && seat != self.view.seat
    }

    /// Processes one event.
    pub fn see(&mut self, event: &Event) {
        self.view.see(event);
        if let Event::GameStarted { .. } = event {
            self.left = self.expected.clone();
            self.own = self.expected.clone();
        } else if let Some((seat, question, answer)) = event.question() {
            self.concerned_mut(seat).keep(question, answer);
        } else if let Event::Declared {
            seat,
            code,
            right: false,
        } = *event
        {
            self.concerned_mut(seat).remove(code);
        }
    }

    /// Returns `true` if this seat has a code to solve.
    fn solves(&self) -> bool {
        self.view.master != Some(self.view.seat) && !self.left.is_empty()
    }
}

impl Deduction<Event, Action> for Known {
    fn see(&mut self, event: &Event) {
        self.see(event);
    }

    /// Returns the number of candidates.
    fn worlds(&mut self) -> Option<f64> {
        self.solves().then(|| self.left.count() as f64)
    }

    fn guesses(&mut self, most: usize) -> Vec<(Action, f64)> {
        let all = f64::from(self.left.weight());
        let guess = |(code, weight)| (Action::Declare { code }, f64::from(weight) / all);
        if self.solves() {
            self.left.heaviest_first().take(most).map(guess).collect()
        } else {
            Vec::new()
        }
    }

    fn chance(&mut self, action: &Action) -> Option<f64> {
        let Action::Declare { code } = *action else {
            return None;
        };
        let weight = self.left.weight_of(code).unwrap_or(0);
        self.solves()
            .then(|| f64::from(weight) / f64::from(self.left.weight()))
    }

    fn learned(&mut self, event: &Event) -> Option<Learned> {
        let about_left = |seat: Seat| self.solves() && !self.is_about_own(seat);
        if let Event::Declared { seat, code, right } = *event {
            let chance = about_left(seat).then(|| self.chance(&Action::Declare { code }))??;
            return Some(Learned::from_guess(chance, right));
        }
        let (_, question, answer) = event.question().filter(|(seat, ..)| about_left(*seat))?;
        let all = self.left.weight();
        let Some(counts) = self.left.answers(question) else {
            return Some(Learned::from_answer([1.0], 1.0));
        };
        let chance = |count: u32| f64::from(count) / f64::from(all);
        Some(Learned::from_answer(
            counts.into_iter().map(chance),
            chance(counts[usize::from(answer)]),
        ))
    }
}
