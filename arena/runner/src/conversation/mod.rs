//! Conversation with a bot's process: starts and greets it, sends it lines, receives its answers, and ends it.
//!
//! Several matches may share one process. Each task that waits for an answer reads lines for all matches, and passes on the lines of other
//! tasks.

pub mod answers;
pub mod asking;
pub mod greeting;

use std::cell::{Cell, OnceCell, RefCell, RefMut};
use std::future::poll_fn;
use std::rc::Weak;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use arena_engine::chance::Seed;
use arena_protocol::fault::BotFault;
use arena_protocol::message::{self, Pause, Ready, Refusal, ToBot};
use arena_sandbox::{Meter, StartError};
use arena_tournament::entrant::Cores;
use arena_tournament::printable::clean;
use serde::Serialize;
use tokio::time::{Instant, timeout};

use super::clock::{Turn, Void};
use super::gate::{Gate, Permit};
use super::ids::Ids;
use super::observer::Observer;
use super::pipes::{Ended, Pipes};
use super::run::Startup;
use super::turns::Turns;

/// A message without parts that depend on the game.
type Plain = ToBot<(), (), (), ()>;

/// The permission to compute, once it has been granted.
type SharedPermit = tokio::sync::OnceCell<Option<Permit>>;

/// A conversation with a running bot.
pub struct Conversation {
    pipes: RefCell<Pipes>,
    turns: RefCell<Turns>,
    ids: RefCell<Ids>,
    ready: OnceCell<Ready>,
    meter: Arc<Meter>,
    /// Last reading of the main process's CPU time.
    computed: Cell<Option<(Instant, Duration)>>,
    gate: Gate,
    cores: Cores,
    /// Number of cores that the bot may use at the same time.
    allowed: u32,
    /// The permit that all open turns share.
    permit: RefCell<Weak<SharedPermit>>,
    /// First line that broke the protocol without answering a turn.
    violation: RefCell<Option<BotFault>>,
    /// True if the bot may request a pause.
    may_pause: bool,
    /// The reason for the pause that the bot has requested.
    pause: OnceCell<String>,
}

impl Conversation {
    /// Starts the program.
    pub async fn open(
        startup: &Startup<'_>,
        gate: &Gate,
        observer: Option<Box<dyn Observer>>,
    ) -> Result<Self, StartError> {
        let pipes = Pipes::open(startup, observer).await?;
        Ok(Self {
            meter: pipes.meter(),
            pipes: RefCell::new(pipes),
            computed: Cell::default(),
            gate: gate.clone(),
            cores: startup.program.cores,
            allowed: gate.cores(startup.program),
            permit: RefCell::default(),
            turns: RefCell::default(),
            ids: RefCell::new(Ids::new()),
            ready: OnceCell::new(),
            violation: RefCell::default(),
            may_pause: startup.program.may_pause,
            pause: OnceCell::new(),
        })
    }

    /// Returns the reason for the requested pause, if any.
    pub fn pause(&self) -> Option<&str> {
        self.pause.get().map(String::as_str)
    }

    /// Returns an error once the bot has requested a pause. Nothing more is played with the bot after that.
    fn paused(&self) -> Result<(), Void> {
        self.pause().map_or(Ok(()), |why| {
            Err(Void::new(format!(
                "the bot asks for a pause: {}",
                clean(why)
            )))
        })
    }

    /// Records a request for a pause.
    fn note_pause(&self, Pause { why }: Pause) {
        let _ = self.pause.set(message::cut(why));
    }

    /// Returns the next line, whatever it contains.
    pub async fn line(&self) -> Result<String, BotFault> {
        poll_fn(|cx| {
            let mut pipes = self.pipes.borrow_mut();
            let _ = pipes.poll_send(cx);
            pipes.poll_line(cx)
        })
        .await
    }

    /// Returns the bot's `ready` message.
    pub fn ready(&self) -> &Ready {
        self.ready.get_or_init(Ready::default)
    }

    /// Returns the number of matches that the bot plays at the same time.
    pub fn capacity(&self) -> u32 {
        self.ready()
            .matches
            .unwrap_or(1)
            .clamp(1, message::MAX_MATCHES)
    }

    /// Returns `true` if more turns can be sent: the process is running and has kept to the protocol, and its ids are still below 2^53.
    pub fn is_sound(&self) -> bool {
        !self.pipes().is_broken()
            && self.violation.borrow().is_none()
            && self.ids.borrow().last < Seed::MAX / 2
    }

    /// Returns an id for the next turn, which is greater than all earlier ones, and unpredictable.
    pub fn next_id(&self) -> u64 {
        self.ids.borrow_mut().next()
    }

    /// Borrows the pipes of the process.
    pub fn pipes(&self) -> RefMut<'_, Pipes> {
        self.pipes.borrow_mut()
    }

    /// Sends a message that needs no answer. If the bot does not read the message, its next turn fails.
    pub fn send(&self, message: &impl Serialize) {
        self.pipes.borrow_mut().push(message);
        if self.capacity() == 1 {
            let _ = self
                .pipes
                .borrow_mut()
                .poll_send(&mut Context::from_waker(Waker::noop()));
        }
    }

    /// Tells the bot why it forfeited a match.
    pub fn send_error(&self, r#match: Option<u64>, message: String) {
        self.send(&Plain::Error(Refusal { r#match, message }));
    }

    /// Starts the bot's turn now.
    fn begin_turn(&self) -> Turn<'_> {
        Turn {
            meter: &self.meter,
            cores: self.allowed,
            began: Instant::now(),
        }
    }

    /// Returns the bot's CPU time so far, if known.
    pub fn computed(&self) -> Option<Duration> {
        self.meter.read()
    }

    /// Returns the number of the bot's threads that are running or runnable.
    pub fn busy_threads(&self) -> usize {
        let threads = self.meter.threads();
        threads.values().filter(|thread| thread.is_runnable).count()
    }

    /// Reads pending output while no turn is open. Returns the fault if a line breaks the protocol.
    pub async fn drain(&self) -> Option<BotFault> {
        poll_fn(|cx| {
            self.drive(cx);
            Poll::Ready(())
        })
        .await;
        self.violation.borrow().clone()
    }

    /// Waits for the process to exit by itself, and returns whether it did so in time.
    pub async fn exits_within(&self, limit: Duration) -> bool {
        timeout(limit, poll_fn(|cx| self.pipes.borrow_mut().poll_exited(cx)))
            .await
            .is_ok()
    }

    /// Sends `quit`.
    pub fn send_quit(&self) {
        self.send(&Plain::Quit {});
    }

    /// Sends `quit`, ends the process if it does not exit, and returns its exit and evidence.
    pub async fn quit(self) -> Ended {
        self.pipes.borrow_mut().push(&Plain::Quit {});
        self.pipes.into_inner().quit().await
    }

    /// Ends the process, and returns its exit and evidence.
    pub async fn kill(self) -> Ended {
        self.pipes.into_inner().kill().await
    }
}
