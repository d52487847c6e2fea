//! The turns that a process has to answer, and who waits for which.

use std::task::{Poll, Waker};

use arena_engine::record::Reply;
use arena_protocol::fault::{BotFault, Hint};

/// The reply to a turn.
pub struct Response {
    /// The line of a bot or the action of a person as JSON text, or why there is none.
    pub reply: Reply<String>,
    /// A note that it wants kept.
    pub note: Option<String>,
    /// What it did instead, if it was late.
    pub hint: Option<Hint>,
}

/// The turns that a process has been sent and whose answers are awaited.
#[derive(Default)]
pub struct Turns {
    waiting: Vec<Waiting>,
    /// The ids of those without an answer.
    pub open: Vec<u64>,
    /// The ids of those that were given up.
    given_up: Vec<u64>,
    /// How many of these were answered after that.
    pub answered_late: usize,
}

/// A task that waits for the answer to a turn.
struct Waiting {
    id: u64,
    response: Option<Response>,
    waker: Waker,
}

impl Response {
    /// A reply and nothing else.
    pub fn of(reply: Reply<String>) -> Self {
        Self {
            reply,
            note: None,
            hint: None,
        }
    }
}

impl Turns {
    /// A turn is sent.
    pub fn add(&mut self, id: u64) {
        self.waiting.push(Waiting {
            id,
            response: None,
            waker: Waker::noop().clone(),
        });
        self.open.push(id);
    }

    /// Takes the answer to a turn, if it is there; otherwise the waker is called when it is.
    pub fn poll_take(&mut self, id: u64, waker: &Waker) -> Poll<Response> {
        let waiting = self
            .waiting
            .iter_mut()
            .find(|waiting| waiting.id == id)
            .expect("the turn was sent");
        match waiting.response.take() {
            Some(response) => Poll::Ready(response),
            None => {
                waiting.waker.clone_from(waker);
                Poll::Pending
            }
        }
    }

    /// An answer has come to a turn that is over.
    pub fn note_late(&mut self, id: u64) {
        self.answered_late += usize::from(self.given_up.contains(&id));
    }

    /// The answer to a turn has come.
    pub fn answer(&mut self, id: u64, response: Response) {
        self.open.retain(|open| *open != id);
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.id == id) {
            waiting.response = Some(response);
            waiting.waker.wake_by_ref();
        }
    }

    /// Lets all turns fail that have no answer.
    pub fn fail_all(&mut self, fault: &BotFault) {
        for id in std::mem::take(&mut self.open) {
            self.answer(id, Response::of(Reply::Failed(fault.into())));
        }
    }

    /// Drops a turn. Another waiting task must read from now on.
    pub fn remove(&mut self, id: u64) {
        self.waiting.retain(|waiting| waiting.id != id);
        if self.open.contains(&id) {
            self.given_up.push(id);
        }
        self.open.retain(|open| *open != id);
        if let Some(other) = self.waiting.first() {
            other.waker.wake_by_ref();
        }
    }
}
