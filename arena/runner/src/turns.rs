//! The open turns of a process, and the tasks that wait for their answers.

use std::task::{Poll, Waker};

use arena_engine::record::Reply;
use arena_protocol::fault::{BotFault, Hint};

/// Response to a turn.
pub struct Response {
    /// The bot's line or the person's action as JSON text, or the failure.
    pub reply: Reply<String>,
    /// Note to store.
    pub note: Option<String>,
    /// The bot's behaviour if it was late.
    pub hint: Option<Hint>,
}

/// Turns that were sent to a process and await an answer.
#[derive(Default)]
pub struct Turns {
    waiting: Vec<Waiting>,
    /// Ids of unanswered turns.
    pub open: Vec<u64>,
    /// Ids of turns that were given up.
    given_up: Vec<u64>,
    /// Number of answers to turns that had been given up.
    pub answered_late: usize,
}

/// A task waiting for the answer to a turn.
struct Waiting {
    id: u64,
    response: Option<Response>,
    waker: Waker,
}

impl Response {
    /// Creates a response with only a reply.
    pub fn new(reply: Reply<String>) -> Self {
        Self {
            reply,
            note: None,
            hint: None,
        }
    }
}

impl Turns {
    pub fn add(&mut self, id: u64) {
        self.waiting.push(Waiting {
            id,
            response: None,
            waker: Waker::noop().clone(),
        });
        self.open.push(id);
    }

    /// Takes the answer to a turn; if it has not arrived, registers the waker.
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

    /// Records an answer to a turn that is over.
    pub fn note_late(&mut self, id: u64) {
        self.answered_late += usize::from(self.given_up.contains(&id));
    }

    /// Records the answer to a turn, and wakes its task.
    pub fn answer(&mut self, id: u64, response: Response) {
        self.open.retain(|open| *open != id);
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.id == id) {
            waiting.response = Some(response);
            waiting.waker.wake_by_ref();
        }
    }

    /// Fails all unanswered turns.
    pub fn fail_all(&mut self, fault: &BotFault) {
        for id in std::mem::take(&mut self.open) {
            self.answer(id, Response::new(Reply::Failed(fault.into())));
        }
    }

    /// Removes a turn. Wakes another waiting task, because the task of this turn no longer reads lines for it.
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
