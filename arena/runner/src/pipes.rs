//! The pipes of a bot's process: nonblocking lines in and out, detection of its exit, and evidence.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use arena_engine::seat::Seat;
use arena_protocol::fault::{BotFault, Hint, Violation};
use arena_protocol::frame::{Lines, MAX_BOT_LINE_BYTES};
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

/// Time for a process to exit after `quit`.
pub const EXIT_TIMEOUT: Duration = Duration::from_secs(1);
/// A limit of one year, which is effectively none, for debugging.
pub const NO_LIMIT: Duration = Duration::from_secs(365 * 24 * 3_600);
/// Time for the last output to arrive after a process has exited.
const OUTPUT_TIMEOUT: Duration = Duration::from_millis(200);

/// Time for a process to exit after it has closed its output. The kernel may still be freeing its resources.
const CLOSED_EXIT_TIMEOUT: Duration = Duration::from_secs(1);
/// Time for the supervisor to report the exit of a process that outlived `CLOSED_EXIT_TIMEOUT` and was told to end.
const REPORT_TIMEOUT: Duration = Duration::from_secs(15);

/// A process with its pipes.
pub struct Pipes {
    child: SandboxedChild,
    exit: Option<Exit>,
    /// Outgoing bytes, and the number already sent.
    out: Vec<u8>,
    sent: usize,
    /// Number of bytes queued since the match began.
    of_match: usize,
    /// Number of lines received before the match began.
    before_match: usize,
    stdout: ChildStdout,
    closed: bool,
    lines: Lines,
    redactor: Redactor,
    bytes: u64,
    last_moment: Option<Pin<Box<Sleep>>>,
    /// True if the process was told to end after it closed its output.
    told_to_end: bool,
    broken: Option<BotFault>,
    grace: Duration,
    /// Observers of the lines.
    pub observers: Observers,
    /// Log of standard error.
    pub log: BotLog,
}

/// The transcript, and optionally another observer.
pub struct Observers {
    transcript: Transcript,
    other: Option<Box<dyn Observer>>,
}

/// Number of bytes and of non-blank lines received from a process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Volume {
    bytes: u64,
    lines: usize,
}

/// Exit and evidence of a process that has ended.
pub struct Ended {
    /// Exit status.
    pub exit: Exit,
    /// The evidence collected from the process.
    pub evidence: Evidence,
}

impl Pipes {
    /// Starts the program. Its lines go to the observer or, without one, to a wire log if lines are kept or shown.
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
        let redactor = Redactor::new(program);
        let stderr = child.stderr.take().expect("nobody has taken it");
        let log = BotLog::read(
            stderr,
            name,
            &logs,
            redactor.clone().with_place(sandbox.copies.get(name)),
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
            grace: if logs.debug { NO_LIMIT } else { EXIT_TIMEOUT },
            child,
            exit: None,
            out: Vec::new(),
            sent: 0,
            of_match: 0,
            before_match: 0,
            stdout,
            closed: false,
            lines: Lines::new(MAX_BOT_LINE_BYTES),
            redactor,
            bytes: 0,
            last_moment: None,
            told_to_end: false,
            broken: None,
            log,
        })
    }

    /// Returns the meter of the bot's processes.
    pub fn meter(&self) -> Arc<Meter> {
        Arc::clone(&self.child.meter)
    }

    /// Queues a message.
    pub fn push(&mut self, message: &impl Serialize) {
        self.push_line(&serde_json::to_vec(message).expect("a message can be written as JSON"));
    }

    /// Queues a line.
    pub fn push_line(&mut self, line: &[u8]) {
        self.observers.observe(Passed::Sent, line);
        self.out.extend(line);
        self.out.push(b'\n');
        self.of_match += line.len() + 1;
    }

    /// Marks the start of a match, to which everything sent from now on belongs.
    pub fn begin_match(&mut self) {
        self.of_match = 0;
        self.before_match = self.volume().lines;
    }

    /// Returns true if the bot exited before it read any line of the match.
    pub fn has_read_nothing(&self) -> bool {
        self.child.stdin.is_none()
            || self.child.unread() + (self.out.len() - self.sent) >= self.of_match
    }

    /// Returns `true` if the bot does not read its input and output is still queued.
    pub fn is_stuck(&self) -> bool {
        !self.out.is_empty()
    }

    /// Closes the bot's standard input.
    pub fn close_input(&mut self) {
        self.child.stdin = None;
    }

    /// Returns the volume received so far.
    pub fn volume(&self) -> Volume {
        Volume {
            bytes: self.bytes,
            lines: self.observers.transcript.received.count,
        }
    }

    /// Returns the received text after the last newline.
    pub fn unfinished(&self) -> String {
        self.redactor.text(self.lines.rest().trim_ascii())
    }

    /// Describes the behaviour of a late bot since `before`. `computing` tells whether it was computing.
    ///
    /// The hint contains no figures, because they would differ between runs, and nothing from earlier matches, because other processes may
    /// have played them.
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

    /// Returns `true` if the process can send nothing more.
    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Sends as much as possible without blocking. If the bot has stopped reading, a later read detects it.
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

    /// Reads more bytes, and returns `false` at the end of the output. Detects the exit of the process even if a child still holds its
    /// output open. A process that has closed its output gets a moment to exit, and is then ended to find out why.
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
                let moment = if self.closed {
                    CLOSED_EXIT_TIMEOUT
                } else {
                    OUTPUT_TIMEOUT
                };
                let last_moment = self
                    .last_moment
                    .get_or_insert_with(|| Box::pin(sleep(moment)));
                ready!(last_moment.as_mut().poll(cx));
                if !self.closed || std::mem::replace(&mut self.told_to_end, true) {
                    return Poll::Ready(false);
                }
                self.child.kill();
                self.last_moment = Some(Box::pin(sleep(REPORT_TIMEOUT)));
                self.poll_more(cx)
            }
        }
    }

    /// Returns true if the process is ending or has closed its output, and its fault is not known yet.
    pub fn is_ending(&self) -> bool {
        self.broken.is_none() && (self.closed || self.exit.is_some())
    }

    /// Waits until the process has exited.
    pub fn poll_exited(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.child.poll_exited(cx).map(drop)
    }

    /// Returns the fault of a process that has closed its output.
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

    /// Returns the reason why the process ended, if the bot is not to blame.
    pub fn ended_by_machine(&self) -> Option<&str> {
        self.exit.as_ref()?.ours.as_deref()
    }

    /// Returns the evidence of the current match collected so far.
    pub fn evidence(&self) -> Evidence {
        let is_silent = self.volume().lines == self.before_match;
        let ended_before = self.exit.is_some() && is_silent && self.has_read_nothing();
        Evidence {
            seat: Seat(0),
            turn: 0,
            sent: self.observers.transcript.sent.lines(),
            received: self.observers.transcript.received.lines(),
            stderr: self.log.text(ended_before),
            exit: self.exit.as_ref().map(Exit::to_string),
            is_unplayed: false,
        }
    }

    /// Sends the queued output, ends the process if it does not exit soon, and returns its exit and evidence.
    pub async fn quit(mut self) -> Ended {
        let _ = timeout(self.grace, poll_fn(|cx| self.poll_send(cx))).await;
        let how = Ending::Quit(self.grace);
        self.end(how).await
    }

    /// Ends the process and all its descendants, unless it has already exited.
    pub async fn kill(mut self) -> Ended {
        let _ = poll_fn(|cx| Poll::Ready(self.poll_send(cx))).await;
        self.end(Ending::Kill).await
    }

    async fn end(mut self, how: Ending) -> Ended {
        let exit = self.child.end(how).await;
        self.log.close();
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
