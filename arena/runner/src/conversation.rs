//! The conversation with a bot's process: it is started and greeted, sent lines, answers turns in time or not, and is ended.
//!
//! Several matches may use one process at the same time. Each task that waits for an answer reads for all of them, and hands on
//! what is not its own.

use std::cell::{Cell, OnceCell, RefCell, RefMut};
use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use arena_engine::chance::Seed;
use arena_engine::fault::{Fault, Hint, Violation};
use arena_engine::game::Vocabulary;
use arena_engine::record::Reply;
use arena_protocol::message::{self, Answer, FromBot, Hello, Pause, Ready, Refusal, Routed, ToBot};
use arena_tournament::entrant::Cores;
use arena_tournament::played::{Evidence, VoidCause};
use arena_tournament::printable::clean;
use serde::Serialize;
use tokio::time::{Instant, timeout};

use super::alarm::Alarm;
use super::deadline::{Expired, QUICK, Void, Watched, within};
use super::gate::{Gate, Permit};
use super::ids::Ids;
use super::observer::{Observer, Passed};
use super::pipes::{Ended, Pipes, Volume};
use super::run::Startup;
use super::turns::{Response, Turns};
use crate::units::millis;
use arena_sandbox::{Idler, Meter, NEARLY_OUT, Reading, Shortages, StartError, Watchlist};

/// The time of an answer from which on it is read what the bot computed in it.
const WORTH_READING: Duration = Duration::from_micros(200);
/// The number of lines that are read before others get their turn.
const LINES_AT_ONCE: usize = 64;
/// The part of a line that is not UTF-8 that is kept in a fault, in characters.
const QUOTE: usize = 300;

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
    idler: Arc<Idler>,
    alarm: Alarm,
    /// What its main process had computed when that was last read.
    computed: Cell<Option<(Instant, Reading)>>,
    watchlist: Arc<Watchlist>,
    shortages: Arc<Shortages>,
    gate: Gate,
    cores: Cores,
    /// The cores that it may use at the same time.
    allowed: Vec<usize>,
    /// The right to compute that all open turns share.
    permit: RefCell<Weak<SharedPermit>>,
    /// The first line that breaks the protocol without answering any turn.
    violation: RefCell<Option<Fault>>,
    /// True if it may ask for a pause.
    may_pause: bool,
    /// Why it asked for one, once it did.
    pause: OnceCell<String>,
}

/// The time that an answer took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elapsed {
    /// From when the turn was sent until its answer was read.
    pub wall: Duration,
    /// What the bot is charged of it: what the machine kept it from computing is not.
    pub charged: Duration,
    /// What the bot computed in that time, if that is known: its main process, or all of them together where that is known to
    /// be more, as it is of answers that are not quick. For one that took less than 0.2 ms, the time that passed.
    pub cpu: Option<Duration>,
}

/// Why a bot did not get ready.
pub enum Unready {
    /// It failed, with what shows it.
    Failed(Fault, Box<Evidence>),
    /// The arena, or the machine, was not able to start it.
    Ours(String),
    /// It asks for a pause, for this reason.
    Paused(String),
}

impl Conversation {
    /// Starts the program and waits until it is ready.
    pub async fn start(startup: &Startup<'_>, gate: &Gate, limit: Duration) -> Result<Self, Unready> {
        let _permit = gate.enter(startup.program.cores).await;
        let short = |why: String| {
            startup.sandbox.shortages.note(&why, &startup.sandbox.watchlist);
            Unready::Ours(why)
        };
        let conversation = Self::open(startup, gate, None).await.map_err(|why| match why {
            StartError::Arena(why) => short(why),
            StartError::Bot(why) => Unready::Failed(Fault::StartFailed(why), Box::default()),
        })?;
        let failed = match conversation.greet(limit).await {
            Ok(Ok(())) => return Ok(conversation),
            Ok(Err(fault)) => Ok(fault),
            Err(void) => Err(void),
        };
        let failed = conversation.ended_for_memory().unwrap_or(failed).map_err(|void| void.why);
        let paused = conversation.pause().map(clean);
        let Ended { exit, evidence } = conversation.kill().await;
        Err(match (exit.ours, failed) {
            _ if paused.is_some() => Unready::Paused(paused.unwrap_or_default()),
            (Some(why), _) => short(with_last_line(&why, &evidence)),
            (None, Ok(fault)) => Unready::Failed(fault, Box::new(evidence)),
            (None, Err(why)) => Unready::Ours(why),
        })
    }

    /// Starts the program.
    pub async fn open(
        startup: &Startup<'_>,
        gate: &Gate,
        observer: Option<Box<dyn Observer>>,
    ) -> Result<Self, StartError> {
        let pipes = Pipes::open(startup, observer).await?;
        let (meter, cores) = (pipes.meter(), startup.program.cores);
        let allowed = gate.cores(startup.program);
        Ok(Self {
            pipes: RefCell::new(pipes),
            idler: startup.sandbox.watchlist.add(startup.name, Arc::clone(&meter), allowed.len() as u32),
            meter,
            alarm: Alarm::default(),
            computed: Cell::default(),
            watchlist: Arc::clone(&startup.sandbox.watchlist),
            shortages: Arc::clone(&startup.sandbox.shortages),
            gate: gate.clone(),
            cores,
            allowed,
            permit: RefCell::default(),
            turns: RefCell::default(),
            ids: RefCell::new(Ids::new()),
            ready: OnceCell::new(),
            violation: RefCell::default(),
            may_pause: startup.program.may_pause,
            pause: OnceCell::new(),
        })
    }

    /// Sends `hello`, and waits until the bot is ready.
    pub async fn greet(&self, limit: Duration) -> Result<Result<(), Fault>, Void> {
        let hello = Hello { protocol: message::VERSION, arena: env!("CARGO_PKG_VERSION").into() };
        self.pipes.borrow_mut().push(&Plain::Hello(hello));
        let line = match within(Instant::now(), Some(limit), &self.watched(Some(&self.alarm)), self.line()).await {
            Ok((line, _)) => line,
            Err(Expired::Late { computing, .. }) => {
                let hint = self.pipes.borrow().hint(Volume::default(), computing);
                Err(Fault::NotReady { limit_ms: millis(limit), hint })
            }
            Err(Expired::Void(void)) => return Err(void),
        };
        let ready = line.and_then(|line| {
            let violation = match message::parse_first(&line) {
                Ok(FromBot::Ready(ready)) => return Ok(ready),
                Ok(FromBot::Pause(pause)) if self.may_pause => {
                    self.note_pause(pause);
                    return Ok(Ready::default());
                }
                refused => refused.err().unwrap_or_else(|| message::refused_pause(&line)),
            };
            self.pipes.borrow_mut().observers.observe(Passed::Violated, line.as_bytes());
            Err(violation.into())
        });
        self.paused()?;
        match self.pipes.borrow().ended_by_machine() {
            Some(why) if ready.is_err() => Err(Void::of(why)),
            _ => Ok(ready.map(|ready| _ = self.ready.set(ready))),
        }
    }

    /// Why it asked for a pause, if it did.
    pub fn pause(&self) -> Option<&str> {
        self.pause.get().map(String::as_str)
    }

    /// Fails once it has asked for a pause: then nothing more is played with it.
    fn paused(&self) -> Result<(), Void> {
        self.pause().map_or(Ok(()), |why| Err(Void::of(format!("the bot asks for a pause: {}", clean(why)))))
    }

    /// Notes that it asks for a pause.
    fn note_pause(&self, Pause { why }: Pause) {
        let _ = self.pause.set(message::cut(why));
    }

    /// The next line, whatever it is.
    pub async fn line(&self) -> Result<String, Fault> {
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
        self.meter.reclaimed().is_none()
            && !self.pipes().is_broken()
            && self.violation.borrow().is_none()
            && self.ids.borrow().last < Seed::MAX / 2
    }

    /// What it is for a bot that it was ended since the machine was short of memory, if it was: its fault, or not.
    pub fn ended_for_memory(&self) -> Option<Result<Fault, Void>> {
        let excess = self.meter.reclaimed()?.err().map(Fault::OverLimit);
        Some(excess.ok_or_else(|| Void { cause: VoidCause::Memory, ..Void::of(NEARLY_OUT) }))
    }

    /// An id for the next turn: greater than all before, and not to be guessed.
    pub fn next_id(&self) -> u64 {
        self.ids.borrow_mut().next()
    }

    /// The pipes of its process, as long as nothing else is done with it.
    pub fn pipes(&self) -> RefMut<'_, Pipes> {
        self.pipes.borrow_mut()
    }

    /// True if the bot, which has ended, has read nothing of what belongs to the match.
    pub fn has_read_nothing(&self) -> bool {
        self.pipes.borrow().has_read_nothing()
    }

    /// Sends a message that is not answered. A bot that does not read it shows that at its next turn.
    pub fn send(&self, message: &impl Serialize) {
        self.pipes.borrow_mut().push(message);
        if self.capacity() == 1 {
            let _ = self.pipes.borrow_mut().poll_send(&mut Context::from_waker(Waker::noop()));
        }
    }

    /// Sends the bot why it forfeited a match.
    pub fn send_error(&self, r#match: Option<u64>, message: String) {
        self.send(&Plain::Error(Refusal { r#match, message }));
    }

    /// Sends a turn and waits for the line that answers it until the limit, which is multiplied by how many turns the process then
    /// has to answer.
    pub async fn ask(
        &self,
        id: u64,
        turn: &impl Serialize,
        limit: Option<Duration>,
    ) -> Result<(Response<String>, Elapsed), Void> {
        self.ask_line(id, &serde_json::to_vec(turn).expect("a turn can be written as JSON"), limit).await
    }

    /// The same for the line of a turn.
    pub async fn ask_line(
        &self,
        id: u64,
        line: &[u8],
        limit: Option<Duration>,
    ) -> Result<(Response<String>, Elapsed), Void> {
        self.paused()?;
        let alone = self.capacity() == 1;
        let _permit = self.enter(alone).await;
        self.turns.borrow_mut().add(id);
        let open = OpenTurn { conversation: self, id };
        let limit = limit.map(|limit| limit * u32::try_from(self.turns.borrow().open.len()).unwrap_or(u32::MAX));
        // If the bot is frozen, its clock begins when it is not any more.
        self.idler.begin_turn(Instant::now().into_std());
        let began = Instant::now();
        // Turns that follow each other quickly begin with one reading, since each costs a system call.
        if self.computed.get().is_none_or(|(at, _)| began - at >= QUICK) {
            self.computed.set(if alone { self.meter.read_main().map(|reading| (began, reading)) } else { None });
        }
        self.pipes.borrow_mut().push_line(line);
        if !alone {
            // The lines of all matches that go on at this moment leave together.
            pause().await;
        }
        let (before, late_before) = (self.pipes.borrow().volume(), self.turns.borrow().answered_late);
        // Where many turns may be open, each expiry would wake all who wait.
        let watched = self.watched(alone.then_some(&self.alarm));
        let answered = within(began, limit, &watched, poll_fn(|cx| open.poll(cx))).await;
        let ended = Instant::now();
        let wall = ended - began;
        let cpu = self.computed.get().and_then(|(_, before)| {
            if wall < WORTH_READING {
                return Some(wall);
            }
            let after = self.meter.read_main()?;
            self.computed.set(Some((ended, after)));
            after.since(before)
        });
        self.idler.end_turn(ended.into_std());
        self.paused()?;
        if let Some(ended) = self.ended_for_memory() {
            return ended.map(|fault| (Response::of(Reply::Failed(fault)), Elapsed::default()));
        }
        let (mut charged, mut in_all) = (wall, Duration::ZERO);
        if let (Ok((Response { reply: Reply::Failed(_), .. }, _)), Some(why)) =
            (&answered, self.pipes.borrow().ended_by_machine())
        {
            self.shortages.note(why, &self.watchlist);
            return Err(Void::of(why));
        }
        let response = match answered {
            Ok((response, charge)) => {
                if let Some(charge) = charge {
                    (charged, in_all) = (charge.time, charge.computed);
                }
                response
            }
            Err(Expired::Late { .. }) if self.pipes.borrow().is_stuck() => {
                Response::of(Reply::Failed(Fault::NotReading { limit_ms: limit.map_or(0, millis) }))
            }
            Err(Expired::Late { computing, computed }) => {
                in_all = computed;
                let hint = match self.pipes.borrow().hint(before, computing) {
                    Hint::EarlierTurns if self.turns.borrow().answered_late > late_before => Hint::Slow,
                    hint => hint,
                };
                Response { hint: Some(hint), ..Response::of(Reply::Late) }
            }
            Err(Expired::Void(void)) => return Err(void),
        };
        let cpu = cpu.map(|main| main.min(wall * self.allowed.len() as u32).max(in_all));
        Ok((response, Elapsed { wall, charged, cpu }))
    }

    /// Waits for the right to compute. A process that may play several matches has one for all of its open turns.
    async fn enter(&self, alone: bool) -> (Option<Permit>, Option<Rc<SharedPermit>>) {
        if alone {
            return (self.gate.enter(self.cores).await, None);
        }
        let upgraded = self.permit.borrow().upgrade();
        let shared = upgraded.unwrap_or_else(|| {
            let new = Rc::default();
            *self.permit.borrow_mut() = Rc::downgrade(&new);
            new
        });
        shared.get_or_init(|| self.gate.enter(self.cores)).await;
        (None, Some(shared))
    }

    fn watched<'a>(&'a self, alarm: Option<&'a Alarm>) -> Watched<'a> {
        Watched { meter: &self.meter, cores: &self.allowed, others: &self.watchlist, alarm }
    }

    /// True if the bot is frozen outside its turns, since it computed too much there.
    pub fn is_frozen(&self) -> bool {
        self.idler.is_frozen()
    }

    /// What the bot has computed so far, if that is known.
    pub fn computed(&self) -> Option<Reading> {
        self.meter.read()
    }

    /// Reads what has come while no turn is open. Returns the fault if a line breaks the protocol.
    pub async fn drain(&self) -> Option<Fault> {
        poll_fn(|cx| {
            self.drive(cx);
            Poll::Ready(())
        })
        .await;
        self.violation.borrow().clone()
    }

    /// What has come without a newline behind it.
    pub fn unfinished(&self) -> String {
        self.pipes.borrow().unfinished()
    }

    /// Waits for the process to exit without being ended; returns whether it did in time.
    pub async fn exits_within(&self, limit: Duration) -> bool {
        timeout(limit, poll_fn(|cx| self.pipes.borrow_mut().poll_exited(cx))).await.is_ok()
    }

    /// Sends `quit`.
    pub fn send_quit(&self) {
        self.send(&Plain::Quit {});
    }

    /// Sends `quit`, and ends the process if it does not exit.
    pub async fn quit(self) {
        // It must be able to.
        self.idler.begin_turn(Instant::now().into_std());
        self.pipes.borrow_mut().push(&Plain::Quit {});
        self.pipes.into_inner().quit().await;
    }

    /// Ends the process, and returns what shows how that went.
    pub async fn kill(self) -> Ended {
        self.pipes.into_inner().kill().await
    }

    /// Sends and reads what can be sent and read now, and hands out the answers.
    fn drive(&self, cx: &mut Context<'_>) {
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
    fn without_ids(&self, mut fault: Fault) -> Fault {
        if let Fault::Protocol(violation) = &mut fault
            && let Violation::NotUtf8 { line } = &mut **violation
        {
            let shown = message::without_ids(line, &self.turns.borrow().open, self.ids.borrow().last);
            *line = shown.chars().take(QUOTE).collect();
        }
        fault
    }

    /// The response with the action that its line has. The fault of a line without one is reported to the observers.
    pub fn read<Action: Vocabulary>(&self, id: u64, response: Response<String>) -> Response<Action> {
        let Response { reply, note, hint } = response;
        let line = match reply {
            Reply::Act(line) => line,
            Reply::Late => return Response { reply: Reply::Late, note, hint },
            Reply::Failed(fault) => return Response::of(Reply::Failed(fault)),
        };
        match message::parse_answer(&line, id, self.ids.borrow().last) {
            Ok(Answer { action, note, .. }) => Response { reply: Reply::Act(action), note, hint },
            Err(fault) => {
                self.pipes.borrow_mut().observers.observe(Passed::Violated, line.as_bytes());
                Response::of(Reply::Failed(fault))
            }
        }
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
                self.turns.borrow_mut().answer(id, Response::of(Reply::Act(line)));
            }
            Ok(Routed::Pause(pause)) if self.may_pause => {
                self.note_pause(pause);
                // Whoever waits for an answer finds that there is none.
                self.turns.borrow_mut().fail_all(&Fault::Left);
            }
            refused => {
                observers.observe(Passed::Violated, line.as_bytes());
                let fault = Fault::from(refused.err().unwrap_or_else(|| message::refused_pause(&line)));
                self.turns.borrow_mut().fail_all(&fault);
                self.violation.borrow_mut().get_or_insert(fault);
            }
        }
    }
}

/// A turn whose answer is awaited until this is dropped.
struct OpenTurn<'a> {
    conversation: &'a Conversation,
    id: u64,
}

impl OpenTurn<'_> {
    fn poll(&self, cx: &mut Context<'_>) -> Poll<Response<String>> {
        let turns = &self.conversation.turns;
        // What a lone turn reads itself need not wake it.
        let waker = if self.conversation.capacity() == 1 { Waker::noop() } else { cx.waker() };
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

/// A reason with the last line of a log, which may say more.
fn with_last_line(why: &str, evidence: &Evidence) -> String {
    let last = evidence.last_lines().find(|line| !line.contains(why));
    last.map_or(why.to_owned(), |line| format!("{why}: {}", clean(line)))
}

/// Lets everything else go on that can go on now, without a look at what has come meanwhile.
async fn pause() {
    let mut paused = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut paused, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
