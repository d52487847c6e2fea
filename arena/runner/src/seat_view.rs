//! What one seat sees of a match: the events that are new to it, and the view that they add up to.

use arena_engine::game::{Game, View};
use arena_engine::machine::Match;
use arena_engine::seat::Seat;

/// A match as one seat sees it.
pub struct SeatView<G: Game> {
    /// The seat.
    pub seat: Seat,
    /// The table as it has seen it so far.
    pub view: G::View,
}

impl<G: Game> SeatView<G> {
    /// Nothing has been seen yet.
    pub fn new(game: &Match<G>, seat: Seat) -> Self {
        let record = game.record();
        Self {
            seat,
            view: G::View::new(&record.rules, record.seats, seat),
        }
    }

    /// The events since this was last called, as the seat sees them.
    pub fn update(&mut self, game: &mut Match<G>) -> Vec<G::Event> {
        let events: Vec<G::Event> = game.new_events(self.seat).collect();
        events.iter().for_each(|event| self.view.see(event));
        events
    }
}
