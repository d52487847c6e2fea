//! The conversation with a bot's process: it is started and greeted, sent lines, answers turns in time or not, and is ended.
//!
//! Several matches may use one process at the same time. Each task that waits for an answer reads for all of them, and hands on
//! what is not its own.

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

/// A message without the parts that depend on the game.
type Plain = ToBot<(), (), (), ()>;

/// The right to compute, once it was given.
type SharedPermit = tokio::sync::OnceCell<Option<Permit>>;

/// A conversation with a running bot.
pub struct Conversation {
    pipes: RefCell<Pipes>,
    turns: RefCell<Turns>,
    ids: RefCell<Ids>,
    ready: OnceCell<Ready>,
    meter: Arc<Meter>,
    /// What its main process had computed when that was last read.
    computed: Cell<Option<(Instant, Duration)>>,
    gate: Gate,
    cores: Cores,
    /// The number of cores that it may use at the same time.
    allowed: u32,
    /// The right to compute that all open turns share.
    permit: RefCell<Weak<SharedPermit>>,
    /// The first line that breaks the protocol without answering any turn.
    violation: RefCell<Option<BotFault>>,
    /// True if it may ask for a pause.
    may_pause: bool,
    /// Why it asked for one, once it did.
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

    /// Why it asked for a pause, if it did.
    pub fn pause(&self) -> Option<&str> {
        self.pause.get().map(String::as_str)
    }

    /// Fails once it has asked for a pause: then nothing more is played with it.
    fn paused(&self) -> Result<(), Void> {
        self.pause().map_or(Ok(()), |why| {
            Err(Void::of(format!(
                "the bot asks for a pause: {}",
                clean(why)
            )))
        })
    }

    /// Notes that it asks for a pause.
    fn note_pause(&self, Pause { why }: Pause) {
        let _ = self.pause.set(message::cut(why));
    }

    /// The next line, whatever it is.
    pub async fn line(&self) -> Result<String, BotFault> {
        poll_fn(|cx| {
            let mut pipes = self.pipes.borrow_mut();
            let _ = pipes.poll_send(cx);
            pipes.poll_line(cx)
        })
        .await
    }

    /// The bot's `ready` message.
    pub fn ready(&self) -> &Ready {
        self.ready.get_or_init(Ready::default)
    }

    /// The number of matches it plays at the same time.
    pub fn capacity(&self) -> u32 {
        self.ready().matches.unwrap_or(1).clamp(1, message::MATCHES)
    }

    /// True if more turns can be sent: the process runs and has kept to the protocol, and its ids are still such as every
    /// JSON reader holds exactly.
    pub fn is_sound(&self) -> bool {
        !self.pipes().is_broken()
            && self.violation.borrow().is_none()
            && self.ids.borrow().last < Seed::MAX / 2
    }

    /// An id for the next turn: greater than all before, and not to be guessed.
    pub fn next_id(&self) -> u64 {
        self.ids.borrow_mut().next()
    }

    /// The pipes of its process, as long as nothing else is done with it.
    pub fn pipes(&self) -> RefMut<'_, Pipes> {
        self.pipes.borrow_mut()
    }

    /// Sends a message that is not answered. A bot that does not read it shows that at its next turn.
    pub fn send(&self, message: &impl Serialize) {
        self.pipes.borrow_mut().push(message);
        if self.capacity() == 1 {
            let _ = self
                .pipes
                .borrow_mut()
                .poll_send(&mut Context::from_waker(Waker::noop()));
        }
    }

    /// Sends the bot why it forfeited a match.
    pub fn send_error(&self, r#match: Option<u64>, message: String) {
        self.send(&Plain::Error(Refusal { r#match, message }));
    }

    /// A turn of the bot that begins now.
    fn begin_turn(&self) -> Turn<'_> {
        Turn {
            meter: &self.meter,
            cores: self.allowed,
            began: Instant::now(),
        }
    }

    /// What the bot has computed so far, if that is known.
    pub fn computed(&self) -> Option<Duration> {
        self.meter.read()
    }

    /// The number of its threads that compute now, or would if they had a core.
    pub fn busy_threads(&self) -> usize {
        let threads = self.meter.threads();
        threads.values().filter(|thread| thread.is_runnable).count()
    }

    /// Reads what has come while no turn is open. Returns the fault if a line breaks the protocol.
    pub async fn drain(&self) -> Option<BotFault> {
        poll_fn(|cx| {
            self.drive(cx);
            Poll::Ready(())
        })
        .await;
        self.violation.borrow().clone()
    }

    /// Waits for the process to exit without being ended; returns whether it did in time.
    pub async fn exits_within(&self, limit: Duration) -> bool {
        timeout(limit, poll_fn(|cx| self.pipes.borrow_mut().poll_exited(cx)))
            .await
            .is_ok()
    }

    /// Sends `quit`.
    pub fn send_quit(&self) {
        self.send(&Plain::Quit {});
    }

    /// Sends `quit`, ends the process if it does not exit, and returns what shows how that went.
    pub async fn quit(self) -> Ended {
        self.pipes.borrow_mut().push(&Plain::Quit {});
        self.pipes.into_inner().quit().await
    }

    /// Ends the process, and returns what shows how that went.
    pub async fn kill(self) -> Ended {
        self.pipes.into_inner().kill().await
    }
}
