//! What a bot writes: lines are given to the turns that they answer, and read as actions.

use std::task::{Context, Poll, Waker};

use arena_engine::record::Reply;
use arena_engine::table::{Entry, Json};
use arena_protocol::fault::{BotFault, Violation};
use arena_protocol::message::{self, Answer, Routed};

use super::Conversation;
use crate::observer::{Observer, Passed};
use crate::turns::Response;

/// The number of lines that are read before others get their turn.
const LINES_AT_ONCE: usize = 64;
/// The part of a line that is not UTF-8 that is kept in a fault, in characters.
const QUOTE: usize = 300;

impl Conversation {
    /// Sends and reads what can be sent and read now, and hands out the answers.
    pub(super) fn drive(&self, cx: &mut Context<'_>) {
        let _ = self.pipes.borrow_mut().poll_send(cx);
        for _ in 0..LINES_AT_ONCE {
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
        // A flood of lines must not starve the clock.
        cx.waker().wake_by_ref();
    }

    /// The fault in words that do not differ from run to run.
    fn without_ids(&self, mut fault: BotFault) -> BotFault {
        if let BotFault::Protocol(violation) = &mut fault
            && let Violation::NotUtf8 { line } = &mut **violation
        {
            let shown =
                message::without_ids(line, &self.turns.borrow().open, self.ids.borrow().last);
            *line = shown.chars().take(QUOTE).collect();
        }
        fault
    }

    /// Reads the line that answers the turn of this id, and lets the table `act` on it, which returns what is wrong with an action
    /// that the game does not have.
    ///
    /// # Errors
    /// The fault of the bot.
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

    /// Reads the action of a reply to the turn of this id, which no table takes in.
    pub fn action(&self, game: &Entry, id: u64, reply: Reply<String>) -> Reply<Json> {
        let line = match reply {
            Reply::Act(line) => line,
            Reply::Late => return Reply::Late,
            Reply::Failed(fault) => return Reply::Failed(fault),
        };
        let mut reply = Reply::Late;
        let read = self.read(id, &line, |action| {
            reply = Reply::Act(game.read_action(action)?);
            Ok(())
        });
        read.map_or_else(|fault| Reply::Failed(fault.into()), |_| reply)
    }

    /// Gives a line to the turn that it answers.
    fn hand_out(&self, line: String) {
        let routed = message::route(&line, &self.turns.borrow().open, self.ids.borrow().last);
        let observers = &mut self.pipes.borrow_mut().observers;
        match routed {
            Ok(Routed::Stale(id)) => {
                observers.observe(Passed::Dropped, line.as_bytes());
                self.turns.borrow_mut().note_late(id);
            }
            Ok(Routed::Open(id)) => {
                observers.observe(Passed::Answered(id), line.as_bytes());
                self.turns
                    .borrow_mut()
                    .answer(id, Response::of(Reply::Act(line)));
            }
            Ok(Routed::Pause(pause)) if self.may_pause => {
                self.note_pause(pause);
                // Whoever waits for an answer finds that there is none.
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

/// A turn whose answer is awaited until this is dropped.
pub(super) struct OpenTurn<'a> {
    pub(super) conversation: &'a Conversation,
    pub(super) id: u64,
}

impl OpenTurn<'_> {
    pub(super) fn poll(&self, cx: &mut Context<'_>) -> Poll<Response> {
        let turns = &self.conversation.turns;
        // What a lone turn reads itself need not wake it.
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
