//! The interface through which a match asks the people of a table.

use arena_engine::seat::Seat;
use arena_runner::people::{AnswerFuture, News, People, Question};
use arena_runner::status::status;
use arena_runner::{Begun, lock};
use arena_tournament::clock::TimeControl;

use super::Table;

impl People for Table {
    fn show(&self, seat: Seat, news: News) {
        lock(&self.person(seat).seen).add(news);
    }

    fn show_onlookers(&self, news: News) {
        lock(&self.public.seen).add(news);
    }

    fn ask(&self, seat: Seat, question: Question) -> AnswerFuture<'_> {
        Box::pin(self.answer(seat, question))
    }

    fn clock(&self, _: Seat) -> Option<TimeControl> {
        Some(TimeControl {
            move_ms: Some(self.move_ms?),
            bank_ms: None,
            increment_ms: 0,
            ..TimeControl::default()
        })
    }

    fn wants_hints(&self, _: Seat) -> bool {
        self.has_hints
    }

    fn save(&self, begun: Begun) {
        if let Err(error) = self.change_saved(|saved| saved.step(begun)) {
            status(format_args!("{error:#}"));
        }
    }
}
