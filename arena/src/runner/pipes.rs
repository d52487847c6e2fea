//! The pipes of a bot's process: lines in and out as bytes can be moved, its end noticed, and what is kept of it.

pub mod probe;

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use arena_engine::outcome::{Cause, Fault};
use arena_engine::seat::Seat;
use arena_protocol::frame::{BOT_LINE, BadLine, Lines};
use arena_protocol::message::{self, Hello, Ready};
use arena_results::played::Evidence;
use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWrite};
use tokio::process::ChildStdout;
use tokio::time::{Sleep, sleep, timeout};

use super::Run;
use super::evidence::{LastLines, Tail, drain, open_log};
use super::process::Plain;
use super::wire_log::WireLog;
use crate::cores;
use crate::sandbox::{Ending, Exit, Launch, SandboxedChild, StartError};
use crate::setup::{Bot, Cores, Program, millis};

/// How long a process may take to exit after it was told to.
const GRACE: Duration = Duration::from_secs(1);
/// How long what a process wrote last may take to arrive after it has ended.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// A process with its pipes.
pub struct Pipes {
    kept: SandboxedChild,
    exit: Option<Exit>,
    /// What is to be sent, and how much of it has been.
    out: Vec<u8>,
    sent: usize,
    /// How much there was to send since a match began.
    of_match: usize,
    stdout: ChildStdout,
    closed: bool,
    lines: Lines,
    bytes: u64,
    last_moment: Option<Pin<Box<Sleep>>>,
    broken: Option<Fault>,
    heard: LastLines,
    said: LastLines,
    stderr: Tail,
}

/// How many bytes a process has sent, and how many lines that are not blank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Came {
    bytes: u64,
    lines: usize,
}

/// Why a bot did not get ready.
pub enum Unready {
    /// It failed, with what shows it.
    Failed(Fault, Box<Evidence>),
    /// The arena, or the machine, was not able to start it.
    Ours(String),
}

impl Pipes {
    /// Starts the program and waits until it is ready.
    pub async fn open<R>(run: Run<'_, R>, bot: &Bot, program: &Program) -> Result<(Self, Ready), Unready> {
        let log = run.logs.words.and_then(|logs| open_log(logs, &bot.name));
        let mut pipes = spawn(run, program, log).await.map_err(|why| match why {
            StartError::Arena(why) => Unready::Ours(why),
            StartError::Bot(why) => {
                let fault = Fault { cause: Cause::Crash, detail: format!("could not be started: {why}") };
                Unready::Failed(fault, Box::default())
            }
        })?;
        let wire = run.logs.wire.zip(pipes.pid());
        if let Some([to, from]) = wire.and_then(|(folder, pid)| WireLog::open(folder, &bot.name, pid)) {
            (pipes.heard.tap, pipes.said.tap) = (Some(to), Some(from));
        }
        match pipes.greet(run.setup.clock.start).await {
            Ok(ready) => Ok((pipes, ready)),
            Err(fault) => Err(Unready::Failed(fault, Box::new(pipes.end().await))),
        }
    }

    async fn greet(&mut self, limit: Duration) -> Result<Ready, Fault> {
        let hello = Hello { protocol: message::VERSION, arena: env!("CARGO_PKG_VERSION").into() };
        self.push(&Plain::Hello(hello));
        let line = timeout(limit, self.line()).await;
        let line = line.unwrap_or_else(|_| {
            let hint = self.why_late(Came::default(), false);
            let detail = format!("did not say that it is ready within {} ms: {hint}", millis(limit));
            Err(Fault { cause: Cause::Time, detail })
        })?;
        message::hear_ready(&line).map_err(|why| Fault { cause: Cause::Protocol, detail: why.to_string() })
    }

    /// The bot's main process.
    pub fn pid(&self) -> Option<u32> {
        self.kept.pid()
    }

    /// Adds a line to what is to be sent.
    pub fn push(&mut self, message: &impl Serialize) {
        let start = self.out.len();
        serde_json::to_writer(&mut self.out, message).expect("a message can be written as JSON");
        self.heard.push(&self.out[start..]);
        self.out.push(b'\n');
        self.of_match += self.out.len() - start;
    }

    /// A match begins: what is sent from now on belongs to it.
    pub fn begin(&mut self) {
        self.of_match = 0;
    }

    /// True if the bot, which has ended, has read nothing of what belongs to the match.
    pub fn has_read_nothing(&self) -> bool {
        self.kept.stdin.is_none() || self.kept.unread() + (self.out.len() - self.sent) >= self.of_match
    }

    /// Whether something could not be sent because the bot does not read.
    pub fn is_stuck(&self) -> bool {
        !self.out.is_empty()
    }

    /// How much has come so far.
    pub fn came(&self) -> Came {
        Came { bytes: self.bytes, lines: self.said.count() }
    }

    /// What a bot that is late, and was computing or not, has done instead of answering, given what had come before.
    ///
    /// No figures, which would differ from run to run.
    pub fn why_late(&self, before: Came, busy: bool) -> &'static str {
        let Came { bytes, lines } = self.came();
        if lines > before.lines {
            "what came answers earlier turns"
        } else if !self.lines.rest().trim_ascii().is_empty() {
            "what came has no newline behind it"
        } else if bytes > before.bytes {
            "what came were blank lines"
        } else if busy {
            "it was computing"
        } else {
            "nothing came (an answer must be flushed)"
        }
    }

    /// Why nothing more can be had from the process, if so.
    pub fn broken(&self) -> Option<&Fault> {
        self.broken.as_ref()
    }

    /// Sends what can be sent now. That the bot does not read any more shows when it is read from.
    pub fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let (Some(stdin), true) = (&mut self.kept.stdin, self.sent < self.out.len()) {
            match ready!(Pin::new(stdin).poll_write(cx, &self.out[self.sent..])) {
                Ok(sent) => self.sent += sent,
                Err(_) => self.kept.stdin = None,
            }
        }
        self.out.clear();
        self.sent = 0;
        Poll::Ready(())
    }

    /// The next line, while what is to be sent is sent.
    pub async fn line(&mut self) -> Result<String, Fault> {
        poll_fn(|cx| {
            let _ = self.poll_send(cx);
            self.poll_line(cx)
        })
        .await
    }

    /// Reads one line.
    pub fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Result<String, Fault>> {
        if let Some(fault) = &self.broken {
            return Poll::Ready(Err(fault.clone()));
        }
        let line = loop {
            match self.lines.line() {
                Ok(Some(line)) => {
                    self.said.push(line.as_bytes());
                    break Ok(line.to_owned());
                }
                Ok(None) => {}
                Err(bad) => {
                    if let BadLine::NotUtf8(line) = &bad {
                        self.said.push(line.as_bytes());
                    }
                    break Err(Fault { cause: Cause::Protocol, detail: format!("sent {bad}") });
                }
            }
            if !ready!(self.poll_more(cx)) {
                break Err(self.ended());
            }
        };
        self.broken = line.as_ref().err().cloned();
        Poll::Ready(line)
    }

    /// Reads more bytes; says whether there were any. That the process has ended is noticed even if a child of its holds
    /// its output open, and one that has closed its output is given a moment to end.
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
            && let Poll::Ready(exit) = self.kept.poll_exited(cx)
        {
            self.exit = Some(exit.clone());
        }
        match (self.closed, &self.exit) {
            (false, None) => Poll::Pending,
            (true, Some(_)) => Poll::Ready(false),
            _ => {
                let last_moment = self.last_moment.get_or_insert_with(|| Box::pin(sleep(LAST_MOMENT)));
                last_moment.as_mut().poll(cx).map(|()| false)
            }
        }
    }

    /// The fault of a process that has closed its output.
    fn ended(&mut self) -> Fault {
        let rest = self.lines.rest();
        if !rest.trim().is_empty() {
            self.said.push(rest.as_bytes());
        }
        let detail = self.exit.as_ref().map_or("closed its standard output", Exit::reason).to_owned();
        Fault { cause: Cause::Crash, detail }
    }

    /// What is known of it.
    pub fn evidence(&self) -> Evidence {
        Evidence {
            seat: Seat(0),
            turn: 0,
            heard: self.heard.lines(),
            said: self.said.lines(),
            stderr: self.stderr.text(),
            exit: self.exit.as_ref().map(Exit::to_string),
        }
    }

    /// Tells the bot to exit, and sees to it.
    pub async fn quit(mut self) {
        self.push(&Plain::Quit {});
        let _ = timeout(GRACE, poll_fn(|cx| self.poll_send(cx))).await;
        self.kept.end(Ending::Quit(GRACE)).await;
    }

    /// Ends the process with all that it has started, unless it has ended by itself.
    pub async fn end(mut self) -> Evidence {
        let _ = poll_fn(|cx| Poll::Ready(self.poll_send(cx))).await;
        let by_itself = poll_fn(|cx| Poll::Ready(self.kept.poll_exited(cx).is_ready())).await;
        let exit = self.kept.end(Ending::Kill).await;
        self.exit = (by_itself || self.exit.is_some()).then_some(exit);
        self.evidence()
    }
}

async fn spawn<R>(run: Run<'_, R>, program: &Program, log: Option<std::fs::File>) -> Result<Pipes, StartError> {
    let Program { command, dir, env, read, cores } = program;
    let all = (*cores == Cores::All).then(cores::allowed);
    let launch = Launch { command, dir, env, read, limits: run.setup.limits, cores: all.as_deref() };
    let mut kept = run.sandbox.start(&launch).await?;
    let stdout = kept.stdout.take().expect("nobody has taken it");
    let stderr = Tail::default();
    tokio::spawn(drain(kept.stderr.take().expect("nobody has taken it"), stderr.clone(), log));
    Ok(Pipes {
        kept,
        exit: None,
        out: Vec::new(),
        sent: 0,
        of_match: 0,
        stdout,
        closed: false,
        lines: Lines::new(BOT_LINE),
        bytes: 0,
        last_moment: None,
        broken: None,
        heard: LastLines::default(),
        said: LastLines::default(),
        stderr,
    })
}
