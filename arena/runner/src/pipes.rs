//! The pipes of a bot's process: lines in and out as bytes can be moved, its end noticed, and what is kept of it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use arena_engine::seat::Seat;
use arena_protocol::fault::{BotFault, Hint, Violation};
use arena_protocol::frame::{BOT_LINE, Lines};
use arena_tournament::played::Evidence;
use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWrite};
use tokio::process::ChildStdout;
use tokio::time::{Sleep, sleep, timeout};

use super::bot_log::BotLog;
use super::evidence::Transcript;
use super::observer::{Observer, Passed};
use super::redactor::Redactor;
use super::run::Startup;
use super::wire_log::WireLog;
use crate::status::status;
use arena_sandbox::{Ending, Exit, Meter, SandboxedChild, StartError};

/// The time that a process may take to exit after `quit`.
pub const GRACE: Duration = Duration::from_secs(1);
/// The time without end that a program has where somebody debugs it: a year.
pub const ENDLESS: Duration = Duration::from_secs(365 * 24 * 3_600);
/// The time for the last output of a process to arrive after it has ended.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// The time for a process to end after it has closed its output: the kernel may be clearing away what it held.
const TO_END: Duration = Duration::from_secs(1);
/// The time for the supervisor to report why one has ended that did not do so in that time, and which it is told to end.
const VERDICT: Duration = Duration::from_secs(15);

/// A process with its pipes.
pub struct Pipes {
    child: SandboxedChild,
    exit: Option<Exit>,
    /// What is to be sent, and how much of it has been.
    out: Vec<u8>,
    sent: usize,
    /// How much there was to send since a match began.
    of_match: usize,
    /// How many lines had come when it began.
    before_match: usize,
    stdout: ChildStdout,
    closed: bool,
    lines: Lines,
    redactor: Redactor,
    bytes: u64,
    last_moment: Option<Pin<Box<Sleep>>>,
    /// True if it was told to end, since it had closed its output.
    told_to_end: bool,
    broken: Option<BotFault>,
    grace: Duration,
    /// The observers of the lines.
    pub observers: Observers,
    /// What it writes to its standard error.
    pub log: BotLog,
}

/// The last lines, and another observer.
pub struct Observers {
    transcript: Transcript,
    other: Option<Box<dyn Observer>>,
}

/// The number of bytes a process has sent, and how many lines that are not blank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Volume {
    bytes: u64,
    lines: usize,
}

/// What is left of a process.
pub struct Ended {
    /// Its end.
    pub exit: Exit,
    /// What is known of it.
    pub evidence: Evidence,
}

impl Pipes {
    /// Starts the program. It is watched by the observer, or else by a log of its lines, if those are kept or shown.
    pub async fn open(
        startup: &Startup<'_>,
        observer: Option<Box<dyn Observer>>,
    ) -> Result<Self, StartError> {
        let Startup {
            name,
            program,
            limits,
            sandbox,
            logs,
        } = *startup;
        let mut child = sandbox.start(name, program, limits).await?;
        let stdout = child.stdout.take().expect("nobody has taken it");
        let redactor = Redactor::of(program);
        let stderr = child.stderr.take().expect("nobody has taken it");
        let log = BotLog::read(
            stderr,
            name,
            &logs,
            redactor.clone().with_place(sandbox.copied(name, program)),
        );
        if logs.debug
            && let Some(pid) = child.own_pid().await
        {
            status(format_args!("{name} is process {pid}"));
        }
        let has_log = logs.debug || logs.wire.is_some();
        let wire_log =
            || has_log.then(|| Box::new(WireLog::new(&logs, name, child.pid)) as Box<dyn Observer>);
        Ok(Self {
            observers: Observers {
                transcript: Transcript::default(),
                other: observer.or_else(wire_log),
            },
            grace: if logs.debug { ENDLESS } else { GRACE },
            child,
            exit: None,
            out: Vec::new(),
            sent: 0,
            of_match: 0,
            before_match: 0,
            stdout,
            closed: false,
            lines: Lines::new(BOT_LINE),
            redactor,
            bytes: 0,
            last_moment: None,
            told_to_end: false,
            broken: None,
            log,
        })
    }

    /// What measures the bot's processes.
    pub fn meter(&self) -> Arc<Meter> {
        Arc::clone(&self.child.meter)
    }

    /// Adds a message to what is to be sent.
    pub fn push(&mut self, message: &impl Serialize) {
        self.push_line(&serde_json::to_vec(message).expect("a message can be written as JSON"));
    }

    /// Adds a line to what is to be sent.
    pub fn push_line(&mut self, line: &[u8]) {
        self.observers.observe(Passed::Sent, line);
        self.out.extend(line);
        self.out.push(b'\n');
        self.of_match += line.len() + 1;
    }

    /// A match begins: what is sent from now on belongs to it.
    pub fn begin_match(&mut self) {
        self.of_match = 0;
        self.before_match = self.volume().lines;
    }

    /// True if the bot, which has ended, has read nothing of what belongs to the match.
    pub fn has_read_nothing(&self) -> bool {
        self.child.stdin.is_none()
            || self.child.unread() + (self.out.len() - self.sent) >= self.of_match
    }

    /// True if something could not be sent because the bot does not read.
    pub fn is_stuck(&self) -> bool {
        !self.out.is_empty()
    }

    /// Closes the input of the bot.
    pub fn close_input(&mut self) {
        self.child.stdin = None;
    }

    /// How much has come so far.
    pub fn volume(&self) -> Volume {
        Volume {
            bytes: self.bytes,
            lines: self.observers.transcript.received.count,
        }
    }

    /// What has come without a newline behind it.
    pub fn unfinished(&self) -> String {
        self.redactor.text(self.lines.rest().trim_ascii())
    }

    /// What a bot that is late, and was computing or not, has done instead of answering, given what had come before.
    ///
    /// No figures, which would differ from run to run; and nothing of earlier matches, which may be those of another process.
    pub fn hint(&self, before: Volume, computing: bool) -> Hint {
        let Volume { bytes, lines } = self.volume();
        if lines > before.lines {
            Hint::EarlierTurns
        } else if !self.unfinished().is_empty() {
            Hint::NoNewline
        } else if bytes > before.bytes {
            Hint::BlankLines
        } else if computing {
            Hint::Computing
        } else if lines > self.before_match {
            Hint::Slow
        } else {
            Hint::Nothing
        }
    }

    /// True if the process can send nothing more.
    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Sends what can be sent now. That the bot does not read any more shows when it is read from.
    pub fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let (Some(stdin), true) = (&mut self.child.stdin, self.sent < self.out.len()) {
            match ready!(Pin::new(stdin).poll_write(cx, &self.out[self.sent..])) {
                Ok(sent) => self.sent += sent,
                Err(_) => self.child.stdin = None,
            }
        }
        self.out.clear();
        self.sent = 0;
        Poll::Ready(())
    }

    /// Reads one line.
    pub fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Result<String, BotFault>> {
        if let Some(fault) = &self.broken {
            return Poll::Ready(Err(fault.clone()));
        }
        let line = loop {
            match self.lines.line() {
                Ok(Some(line)) => {
                    let line = self.redactor.text(line);
                    self.observers.observe(Passed::Received, line.as_bytes());
                    break Ok(line);
                }
                Ok(None) => {}
                Err(mut violation) => {
                    if let Violation::NotUtf8 { line } = &mut violation {
                        *line = self.redactor.text(line);
                        self.observers.observe(Passed::Received, line.as_bytes());
                        self.observers.observe(Passed::Violated, line.as_bytes());
                    }
                    break Err(violation.into());
                }
            }
            if !ready!(self.poll_more(cx)) {
                break Err(self.ended());
            }
        };
        self.broken = line.as_ref().err().cloned();
        Poll::Ready(line)
    }

    /// Reads more bytes; returns whether there were any. That the process has ended is noticed even if a child of its holds
    /// its output open. One that has closed its output is given a moment to end, and is then ended to learn why.
    fn poll_more(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        if !self.closed
            && let Poll::Ready(count) = pin!(self.stdout.read_buf(self.lines.inlet())).poll(cx)
        {
            match count {
                Ok(count @ 1..) => {
                    self.bytes += count as u64;
                    return Poll::Ready(true);
                }
                _ => self.closed = true,
            }
        }
        if self.exit.is_none()
            && let Poll::Ready(exit) = self.child.poll_exited(cx)
        {
            self.exit = Some(exit.clone());
        }
        match (self.closed, &self.exit) {
            (false, None) => Poll::Pending,
            (true, Some(_)) => Poll::Ready(false),
            _ => {
                let moment = if self.closed { TO_END } else { LAST_MOMENT };
                let last_moment = self
                    .last_moment
                    .get_or_insert_with(|| Box::pin(sleep(moment)));
                ready!(last_moment.as_mut().poll(cx));
                if !self.closed || std::mem::replace(&mut self.told_to_end, true) {
                    return Poll::Ready(false);
                }
                self.child.kill();
                self.last_moment = Some(Box::pin(sleep(VERDICT)));
                self.poll_more(cx)
            }
        }
    }

    /// True if the process ends or has closed its output, and why is yet to be said.
    pub fn is_ending(&self) -> bool {
        self.broken.is_none() && (self.closed || self.exit.is_some())
    }

    /// Waits until the process has exited.
    pub fn poll_exited(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.child.poll_exited(cx).map(drop)
    }

    /// The fault of a process that has closed its output.
    fn ended(&mut self) -> BotFault {
        let rest = self.unfinished();
        if !rest.is_empty() {
            self.observers.observe(Passed::Received, rest.as_bytes());
        }
        self.exit
            .as_ref()
            .filter(|exit| !exit.killed)
            .map_or(BotFault::ClosedOutput, Exit::fault)
    }

    /// Why the process ended, if the bot is not to blame for that.
    pub fn ended_by_machine(&self) -> Option<&str> {
        self.exit.as_ref()?.ours.as_deref()
    }

    /// What is known of it.
    pub fn evidence(&self) -> Evidence {
        Evidence {
            seat: Seat(0),
            turn: 0,
            sent: self.observers.transcript.sent.lines(),
            received: self.observers.transcript.received.lines(),
            stderr: self.log.text(),
            exit: self.exit.as_ref().map(Exit::to_string),
        }
    }

    /// Sends what is left to be sent, and ends the process if it has not exited soon after. Returns what shows how that went.
    pub async fn quit(mut self) -> Ended {
        let _ = timeout(self.grace, poll_fn(|cx| self.poll_send(cx))).await;
        let how = Ending::Quit(self.grace);
        self.end(how).await
    }

    /// Ends the process with all that it has started, unless it has exited already.
    pub async fn kill(mut self) -> Ended {
        let _ = poll_fn(|cx| Poll::Ready(self.poll_send(cx))).await;
        self.end(Ending::Kill).await
    }

    async fn end(mut self, how: Ending) -> Ended {
        let exit = self.child.end(how).await;
        self.exit = Some(exit.clone()).filter(|exit| !exit.killed);
        Ended {
            exit,
            evidence: self.evidence(),
        }
    }
}

impl Observer for Observers {
    fn observe(&mut self, passed: Passed, line: &[u8]) {
        self.transcript.observe(passed, line);
        self.other
            .iter_mut()
            .for_each(|other| other.observe(passed, line));
    }
}
