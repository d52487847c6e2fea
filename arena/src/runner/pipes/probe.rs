//! A process that is looked at closely, for `arena check`: every line it says is kept, and when it fails it is found out how.

use std::future::poll_fn;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use arena_engine::outcome::{Cause, Fault};
use arena_protocol::message::{self, Answer, Heard, Ready};
use arena_results::played::Evidence;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep, timeout};

use super::{GRACE, Pipes, spawn};
use crate::runner::Run;
use crate::runner::clock::{Cpu, Over, within};
use crate::runner::process::{Ids, Plain, Took};
use crate::sandbox::{Ending, Exit, StartError};
use crate::setup::Program;

/// How long what a process writes beside its answers, or on its standard error, may take to arrive.
const MOMENT: Duration = Duration::from_millis(50);
/// The least and the most time that is waited for a late answer, to tell a slow bot from one that says nothing.
const PATIENCE: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(5)];
/// How many lines are looked at after the input was closed.
const LAST_WORDS: usize = 8;

/// A process under examination.
pub struct Probe {
    pipes: Pipes,
    ids: Ids,
    started: Instant,
    /// Lines beside the one that was asked for, with no harm done.
    pub strays: Vec<String>,
}

/// How a bot failed to answer.
#[derive(Debug)]
pub enum Trouble {
    /// It ended, or closed its output; what it wrote last without a newline.
    Ended { exit: Option<String>, rest: String },
    /// It said something else.
    Unfit { line: String, why: String },
    /// It sent bytes that are no line of text.
    Unreadable { why: String },
    /// It wrote something, but no newline after it.
    NoNewline { rest: String },
    /// It answered after the limit.
    Slow { took: Duration },
    /// It answered only when its input was closed.
    Held { lines: Vec<String> },
    /// It did not read what it was sent.
    Deaf,
    /// It said nothing at all; what it computed meanwhile.
    Silent { waited: Duration, computed: Option<Duration> },
    /// The machine was too busy to tell.
    Void { why: String },
}

/// What a bot answered.
pub struct Answered<Action> {
    /// What it meant.
    pub answer: Answer<Action>,
    /// What it wrote.
    pub line: String,
    /// How long that took.
    pub took: Took,
}

/// How a process is asked to leave.
#[derive(Clone, Copy, Debug)]
pub enum Leave {
    /// As the protocol has it: `quit`, then the end of input.
    Quit,
    /// By the end of input alone.
    Close,
}

/// How a process left.
#[derive(Debug)]
pub struct Left {
    /// After what time it had exited; none if it had to be killed.
    pub took: Option<Duration>,
    /// How it ended, and what it left running.
    pub exit: Exit,
    /// The end of its log.
    pub stderr: String,
}

impl Probe {
    /// Starts the program.
    pub async fn start<R>(run: Run<'_, R>, program: &Program) -> Result<Self, StartError> {
        let started = Instant::now();
        let pipes = spawn(run, program, None).await?;
        Ok(Self { started, pipes, ids: Ids::new(), strays: Vec::new() })
    }

    /// Waits until the bot says that it is ready; returns what it said, and after what time.
    pub async fn greet(&mut self, limit: Duration) -> Result<(Ready, Duration), Trouble> {
        let computed = self.computed();
        let fault = match self.pipes.greet(limit).await {
            Ok(ready) => return Ok((ready, self.started.elapsed())),
            Err(fault) => fault,
        };
        let said = self.pipes.said.lines().pop();
        match (fault.cause, said) {
            (Cause::Time, _) => {
                Err(self.late(|line| message::hear_ready(line).is_ok(), self.started, limit, computed).await)
            }
            (Cause::Protocol, Some(line)) if self.pipes.broken().is_none() => {
                Err(Trouble::Unfit { line, why: fault.detail })
            }
            _ => Err(self.broken(&fault)),
        }
    }

    /// Sends a message that is not answered.
    pub fn tell(&mut self, message: &impl Serialize) {
        self.pipes.push(message);
        let _ = self.pipes.poll_send(&mut Context::from_waker(Waker::noop()));
    }

    /// An id for the next turn.
    pub fn next_id(&mut self) -> u64 {
        self.ids.next()
    }

    /// Sends turns, all at once, and waits for their answers; the limit is for each.
    pub async fn ask<Action: DeserializeOwned>(
        &mut self,
        turns: &[(u64, impl Serialize)],
        limit: Duration,
    ) -> Result<Vec<Answered<Action>>, Trouble> {
        self.early::<Action>()?;
        let mut open: Vec<u64> = turns.iter().map(|(id, _)| *id).collect();
        let mut answers = Vec::new();
        let (began, computed) = (Instant::now(), self.computed());
        turns.iter().for_each(|(_, turn)| self.pipes.push(turn));
        let limit = limit * u32::try_from(turns.len()).unwrap_or(u32::MAX);
        let pid = self.pipes.pid();
        while !open.is_empty() {
            let left = limit.saturating_sub(began.elapsed());
            let line = match within(Some(left), pid, self.pipes.line()).await {
                Ok(line) => line.map_err(|fault| self.broken(&fault))?,
                Err(Over::Void(why)) => return Err(Trouble::Void { why }),
                Err(Over::Late) => {
                    let answers = |line: &str| matches!(message::hear::<Action>(line, &open, 0), Ok(Heard::Answer(_)));
                    return Err(self.late(answers, began, limit, computed).await);
                }
            };
            match message::hear::<Action>(&line, &open, self.ids.last) {
                Ok(Heard::Answer(answer)) => {
                    open.retain(|id| *id != answer.id);
                    let cpu = computed.and_then(|before| Some(self.computed()?.saturating_sub(before)));
                    answers.push(Answered { answer, line, took: Took { wall: began.elapsed(), cpu } });
                }
                Ok(Heard::Stale) => self.strays.push(line),
                Ok(Heard::Unfit(_, why)) | Err(why) => return Err(Trouble::Unfit { line, why: why.to_string() }),
            }
        }
        Ok(answers)
    }

    /// What the bot said before it was asked.
    fn early<Action: DeserializeOwned>(&mut self) -> Result<(), Trouble> {
        let mut cx = Context::from_waker(Waker::noop());
        while let Poll::Ready(Ok(line)) = self.pipes.poll_line(&mut cx) {
            match message::hear::<Action>(&line, &[], self.ids.last) {
                Ok(_) => self.strays.push(line),
                Err(why) => return Err(Trouble::Unfit { line, why: why.to_string() }),
            }
        }
        Ok(())
    }

    /// Lets lines arrive that nobody asked for.
    pub async fn linger<Action: DeserializeOwned>(&mut self) -> Result<(), Trouble> {
        let _ = timeout(MOMENT, poll_fn(|cx| self.pipes.poll_send(cx))).await;
        sleep(MOMENT).await;
        self.early::<Action>()
    }

    fn computed(&self) -> Option<Duration> {
        // Its own process may be known only a moment after the start.
        self.pipes.pid().and_then(Cpu::of).and_then(Cpu::read)
    }

    /// Finds out why there was no answer in time: first by waiting on, then by closing the input.
    async fn late(
        &mut self,
        answers: impl Fn(&str) -> bool,
        began: Instant,
        limit: Duration,
        before: Option<Duration>,
    ) -> Trouble {
        if self.pipes.is_stuck() {
            return Trouble::Deaf;
        }
        if !self.rest().is_empty() {
            return Trouble::NoNewline { rest: self.rest() };
        }
        let more = timeout(limit.clamp(PATIENCE[0], PATIENCE[1]), self.pipes.line()).await;
        match more {
            Ok(Ok(line)) if answers(&line) => return Trouble::Slow { took: began.elapsed() },
            Ok(Ok(line)) => return Trouble::Unfit { why: "it is not the answer".into(), line },
            Ok(Err(fault)) => return self.broken(&fault),
            Err(_) => {}
        }
        let waited = began.elapsed();
        let computed = before.and_then(|before| Some(self.computed()?.saturating_sub(before)));
        self.pipes.kept.stdin = None;
        let mut lines = Vec::new();
        while lines.len() < LAST_WORDS
            && let Ok(Ok(line)) = timeout(GRACE, self.pipes.line()).await
        {
            lines.push(line);
        }
        if lines.iter().any(|line| answers(line)) {
            return Trouble::Held { lines };
        }
        match self.rest() {
            rest if answers(&rest) => Trouble::NoNewline { rest },
            _ => Trouble::Silent { waited, computed },
        }
    }

    fn rest(&self) -> String {
        self.pipes.lines.rest().trim().to_owned()
    }

    fn broken(&self, fault: &Fault) -> Trouble {
        match fault.cause {
            Cause::Protocol => Trouble::Unreadable { why: fault.detail.clone() },
            _ => Trouble::Ended {
                exit: self.pipes.exit.as_ref().map(|exit| exit.reason().to_owned()),
                rest: self.rest(),
            },
        }
    }

    /// Ends the process after trouble; returns what shows what happened.
    pub async fn end(self) -> Evidence {
        // Its last words may still be on their way.
        sleep(MOMENT).await;
        self.pipes.end().await
    }

    /// The last line that the bot said.
    pub fn said_last(&self) -> Option<String> {
        self.pipes.said.lines().pop()
    }

    /// Asks the process to leave, and sees how it does.
    pub async fn leave(mut self, how: Leave) -> Left {
        let began = Instant::now();
        if matches!(how, Leave::Quit) {
            self.tell(&Plain::Quit {});
        }
        self.pipes.kept.stdin = None;
        let took = timeout(GRACE, poll_fn(|cx| self.pipes.kept.poll_exited(cx).map(|_| ()))).await;
        let took = took.ok().map(|()| began.elapsed());
        // Its last words may still be on their way, and its children may be about to follow it.
        sleep(MOMENT).await;
        let exit = self.pipes.kept.end(Ending::Kill).await;
        Left { took, exit, stderr: self.pipes.evidence().stderr }
    }
}
