//! The knowledge of a seat of Digit Code: the codes that fit all answers, and its opponent's knowledge of its own code.

use arena_engine::game::View as _;
use arena_engine::games::digit_code::question::Kind;
use arena_engine::games::digit_code::types::{Choice, Event, Prompt, Rules};
use arena_engine::games::digit_code::view::View;
use arena_engine::player::Start;
use arena_engine::seat::Seat;
use arena_engine::set::Set;

use super::candidates::Candidates;

/// The view, and the codes that are still possible.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// The table as the seat sees it.
    pub view: View,
    /// The codes that the one to be solved may be.
    pub left: Candidates,
    /// With two seats: the codes that this seat's own may be, as far as the opponent can know.
    pub own: Candidates,
    /// Seats that have asked what they could know, or declared what could not be: they play at random.
    pub idle: Set<Seat>,
    /// The codes that a seat may hide.
    pub expected: &'static Candidates,
    turn_limit: usize,
}

impl Knowledge {
    /// Before the first event.
    pub fn new(start: &Start<'_, Rules>) -> Self {
        Self::expecting(start, Candidates::all())
    }

    /// The same if seats hide codes by these weights.
    pub fn expecting(start: &Start<'_, Rules>, expected: &'static Candidates) -> Self {
        Self {
            view: View::new(start.rules, start.seats, start.seat),
            left: expected.clone(),
            own: expected.clone(),
            idle: Set::EMPTY,
            expected,
            turn_limit: start.rules.turn_limit.into(),
        }
    }

    /// Takes in what happened.
    pub fn learn(&mut self, events: &mut dyn Iterator<Item = Event>) {
        for event in events {
            self.view.see(&event);
            if let Event::GameStarted { .. } = event {
                self.left = self.expected.clone();
                self.own = self.expected.clone();
            } else if let Some((seat, question, answer)) = event.question() {
                let codes = self.concerned(seat);
                let sensible = codes.are_split_by(question);
                codes.keep(question, answer);
                self.note(seat, sensible);
            } else if let Event::Declared { seat, code, right: false } = event {
                let codes = self.concerned(seat);
                let sensible = codes.contains(code);
                codes.remove(code);
                self.note(seat, sensible);
            }
        }
    }

    fn note(&mut self, seat: Seat, sensible: bool) {
        if !sensible {
            self.idle.insert(seat);
        }
    }

    /// The codes that a question or declaration of a seat is about.
    fn concerned(&mut self, seat: Seat) -> &mut Candidates {
        if self.two() && seat != self.view.seat { &mut self.own } else { &mut self.left }
    }

    /// True if two play, each for the code of the other.
    pub fn two(&self) -> bool {
        self.view.wrong.len() == 2
    }

    /// The seat's wrong declarations.
    pub fn wrong(&self) -> u8 {
        self.view.wrong[self.view.seat]
    }

    /// True if this is the seat's last turn before the limit.
    pub fn last_turn(&self) -> bool {
        let own = |event: &&Event| match event {
            Event::Declared { seat, .. } => *seat == self.view.seat,
            event => event.question().is_some_and(|(seat, _, _)| seat == self.view.seat),
        };
        let in_first_turn = if self.two() { Kind::ALL.len() } else { 1 };
        self.view.sheet.iter().filter(own).count() + 2 > self.turn_limit + in_first_turn - 1
    }
}

/// The kinds of questions that may be asked.
pub(super) fn kinds(prompt: &Prompt) -> Vec<Kind> {
    prompt.0.iter().filter_map(Choice::kind).collect()
}

/// True if a declaration may be made.
pub(super) fn may_declare(prompt: &Prompt) -> bool {
    prompt.0.iter().any(|choice| matches!(choice, Choice::Declare { .. }))
}
