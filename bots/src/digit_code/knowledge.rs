//! The knowledge of a Digit Code seat: the conclusions from the answers, and the seats that play at random.

use arena_engine::games::digit_code::candidates::Candidates;
use arena_engine::games::digit_code::known::Known;
use arena_engine::games::digit_code::question::Kind;
use arena_engine::games::digit_code::types::{Choice, Event, Prompt, Rules};
use arena_engine::player::Start;
use arena_engine::seat::Seat;
use arena_engine::set::Set;

/// A seat's observations, and its opinion of the others.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// Everything that the seat has seen.
    pub known: Known,
    /// Seats that play at random: they asked questions whose answers they could know, or declared codes that could not be right.
    pub idle: Set<Seat>,
    turn_limit: usize,
}

impl Knowledge {
    /// Creates the state before the first event.
    pub fn new(start: &Start<'_, Rules>) -> Self {
        Self::expecting(start, Candidates::all())
    }

    /// Like [`Knowledge::new`], with these weights for hidden codes.
    pub fn expecting(start: &Start<'_, Rules>, expected: &'static Candidates) -> Self {
        let known = Known::expecting(start.rules, start.seats, start.seat, expected);
        Self {
            known,
            idle: Set::EMPTY,
            turn_limit: start.rules.turn_limit.into(),
        }
    }

    /// Processes new events.
    pub fn learn(&mut self, events: &mut dyn Iterator<Item = Event>) {
        for event in events {
            if let Some((seat, question, _)) = event.question() {
                self.note(seat, self.known.concerned(seat).are_split_by(question));
            } else if let Event::Declared {
                seat,
                code,
                right: false,
            } = event
            {
                self.note(seat, self.known.concerned(seat).weight_of(code).is_some());
            }
            self.known.see(&event);
        }
    }

    fn note(&mut self, seat: Seat, sensible: bool) {
        if !sensible {
            self.idle.insert(seat);
        }
    }

    /// Returns the number of the seat's wrong declarations.
    pub fn wrong(&self) -> u8 {
        self.known.view.wrong[self.known.view.seat]
    }

    /// Returns `true` if this is the seat's last turn before the limit.
    pub fn is_last_turn(&self) -> bool {
        let view = &self.known.view;
        let own = |event: &&Event| match event {
            Event::Declared { seat, .. } => *seat == view.seat,
            event => event
                .question()
                .is_some_and(|(seat, _, _)| seat == view.seat),
        };
        let in_first_turn = if self.known.is_duel() {
            Kind::ALL.len()
        } else {
            1
        };
        view.sheet.iter().filter(own).count() + 2 > self.turn_limit + in_first_turn - 1
    }
}

/// Returns the kinds of questions that may be asked.
pub(super) fn kinds(prompt: &Prompt) -> Vec<Kind> {
    prompt.0.iter().filter_map(Choice::kind).collect()
}

/// Returns `true` if a declaration may be made.
pub(super) fn may_declare(prompt: &Prompt) -> bool {
    prompt
        .0
        .iter()
        .any(|choice| matches!(choice, Choice::Declare { .. }))
}
