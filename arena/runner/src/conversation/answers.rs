//! Reads a bot's output: routes lines to the turns they answer, and parses actions.

use std::task::{Context, Poll, Waker};

use arena_engine::record::Reply;
use arena_protocol::fault::{BotFault, Violation};
use arena_protocol::message::{self, Answer, Routed};

use super::Conversation;
use crate::observer::{Observer, Passed};
use crate::turns::Response;

/// Maximum number of lines read before yielding.
const MAX_LINES_AT_ONCE: usize = 64;
/// Maximum length of a quoted non-UTF-8 line in a fault, in characters.
const MAX_QUOTE_CHARS: usize = 300;

impl Conversation {
    /// Sends and reads as much as possible without waiting, and distributes the answers.
    pub(super) fn drive(&self, cx: &mut Context<'_>) {
        let _ = self.pipes.borrow_mut().poll_send(cx);
        for _ in 0..MAX_LINES_AT_ONCE {
            let line = self.pipes.borrow_mut().poll_line(cx);
            match line {
                Poll::Pending => return,
                Poll::Ready(Ok(line)) => self.hand_out(line),
                Poll::Ready(Err(fault)) => {
                    let fault = self.without_ids(fault);
                    return self.turns.borrow_mut().fail_all(&fault);
                }
            }
        }
        // Yield, so that a flood of lines cannot starve the clock.
        cx.waker().wake_by_ref();
    }

    /// Removes ids from the fault, so that its text is the same in every run.
    fn without_ids(&self, mut fault: BotFault) -> BotFault {
        if let BotFault::Protocol(violation) = &mut fault
            && let Violation::NotUtf8 { line } = &mut **violation
        {
            let shown =
                message::without_ids(line, &self.turns.borrow().open, self.ids.borrow().last);
            *line = shown.chars().take(MAX_QUOTE_CHARS).collect();
        }
        fault
    }

    /// Parses the line that answers the turn with this id, and passes it to `act`, which returns an error for an action that the game does
    /// not have.
    ///
    /// # Errors
    /// If the bot is at fault; the error is the fault.
    pub fn read(
        &self,
        id: u64,
        line: &str,
        act: impl FnOnce(&str) -> Result<(), String>,
    ) -> Result<Option<String>, BotFault> {
        let last = self.ids.borrow().last;
        let read = message::parse_answer(line, id, last).map_err(BotFault::from);
        let acted = read.and_then(|Answer { action, note, .. }| {
            act(action.get()).map_err(|why| message::no_action(&why, id, last))?;
            Ok(note)
        });
        if acted.is_err() {
            let observers = &mut self.pipes.borrow_mut().observers;
            observers.observe(Passed::Violated, line.as_bytes());
        }
        acted
    }

    /// Routes a line to the turn that it answers.
    fn hand_out(&self, line: String) {
        let routed = message::route(&line, &self.turns.borrow().open, self.ids.borrow().last);
        let observers = &mut self.pipes.borrow_mut().observers;
        match routed {
            Ok(Routed::Stale(id)) => {
                observers.observe(Passed::Dropped, line.as_bytes());
                self.turns.borrow_mut().note_late(id);
            }
            Ok(Routed::Open(id)) => {
                self.turns
                    .borrow_mut()
                    .answer(id, Response::new(Reply::Act(line)));
            }
            Ok(Routed::Pause(pause)) if self.may_pause => {
                self.note_pause(pause);
                // Fail all open turns, so that waiting tasks notice the pause.
                self.turns.borrow_mut().fail_all(&BotFault::Left);
            }
            refused => {
                observers.observe(Passed::Violated, line.as_bytes());
                let fault = BotFault::from(
                    refused
                        .err()
                        .unwrap_or_else(|| message::refused_pause(&line)),
                );
                self.turns.borrow_mut().fail_all(&fault);
                self.violation.borrow_mut().get_or_insert(fault);
            }
        }
    }
}

/// A guard for an open turn. The answer is awaited until the guard is dropped.
pub(super) struct OpenTurn<'a> {
    pub(super) conversation: &'a Conversation,
    pub(super) id: u64,
}

impl OpenTurn<'_> {
    pub(super) fn poll(&self, cx: &mut Context<'_>) -> Poll<Response> {
        let turns = &self.conversation.turns;
        // A single open turn reads its own answer and needs no wake-up.
        let waker = if self.conversation.capacity() == 1 {
            Waker::noop()
        } else {
            cx.waker()
        };
        if let Poll::Ready(response) = turns.borrow_mut().poll_take(self.id, waker) {
            return Poll::Ready(response);
        }
        self.conversation.drive(cx);
        turns.borrow_mut().poll_take(self.id, cx.waker())
    }
}

impl Drop for OpenTurn<'_> {
    fn drop(&mut self) {
        self.conversation.turns.borrow_mut().remove(self.id);
    }
}
