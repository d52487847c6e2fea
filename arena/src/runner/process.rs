//! A bot's process: started once, sent lines, heard line by line, and ended.
//!
//! Several matches may use one process at the same time. Whoever waits for an answer reads for all of them, and hands on
//! what is not meant for it.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::future::poll_fn;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use arena_engine::chance::{Chance, Seed};
use arena_engine::outcome::{Cause, Fault};
use arena_engine::record::Reply;
use arena_protocol::message::{self, Heard, Ready, Refusal, ToBot};
use arena_results::played::Evidence;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::Run;
use super::clock::{Cpu, Over, within};
use super::pipes::{Pipes, Unready};
use crate::setup::{Bot, Program, millis};

/// How many lines are read before others get their turn.
const LINES_AT_ONCE: usize = 64;

/// The widest step between two ids: 2^53 is not reached for ten million turns.
const STEP: u32 = 1 << 30;

/// A message without the parts that depend on the game.
pub type Plain = ToBot<(), (), (), ()>;

/// A running bot, of which actions of one game are expected.
pub struct Process<Action> {
    pipes: RefCell<Pipes>,
    turns: RefCell<Turns<Action>>,
    ids: RefCell<Ids>,
    ready: Ready,
    /// The processor clock of the bot's main process, as it was last known.
    cpu: Cell<Option<(u32, Cpu)>>,
    /// How many matches it is in.
    pub matches: Cell<u32>,
    /// Whether it is to be given no other match.
    pub retired: Cell<bool>,
    /// The deals that it has met.
    deals: RefCell<HashSet<u32>>,
}

/// What a bot answered, with its note.
pub struct Said<Action> {
    /// The answer, or why there is none.
    pub reply: Reply<Action>,
    /// What the bot wants kept.
    pub note: Option<String>,
    /// What may help its author to see why it was late.
    pub hint: Option<String>,
}

impl<Action> Said<Action> {
    fn failed(fault: Fault) -> Self {
        Self { reply: Reply::Failed(fault), note: None, hint: None }
    }
}

/// How long an answer took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Took {
    /// From when the turn was sent until its answer was read.
    pub wall: Duration,
    /// What the bot computed in that time, if that is known.
    pub cpu: Option<Duration>,
}

impl<Action: DeserializeOwned> Process<Action> {
    /// Starts the program and waits until it is ready.
    pub async fn start<R>(run: Run<'_, R>, bot: &Bot, program: &Program) -> Result<Self, Unready> {
        let (pipes, ready) = Pipes::open(run, bot, program).await?;
        Ok(Self {
            cpu: Cell::new(None),
            pipes: RefCell::new(pipes),
            turns: RefCell::new(Turns { waiting: Vec::new(), open: Vec::new() }),
            ids: RefCell::new(Ids::new()),
            ready,
            matches: Cell::new(0),
            retired: Cell::new(false),
            deals: RefCell::default(),
        })
    }

    /// What the bot says of itself.
    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// How many matches it plays at the same time.
    pub fn most(&self) -> u32 {
        self.ready.matches.unwrap_or(1).clamp(1, message::MATCHES)
    }

    /// Whether it may be given a match of this deal: it is sound, has not met the deal, of which it could remember
    /// what was hidden from others, and its ids are still such as every JSON reader holds exactly.
    pub fn may_play(&self, deal: u32) -> bool {
        let has_ids = self.ids.borrow().last < Seed::MAX / 2;
        !self.broken() && !self.retired.get() && has_ids && !self.deals.borrow().contains(&deal)
    }

    /// Enters it in a match.
    pub fn enter(&self, deal: u32) {
        self.matches.set(self.matches.get() + 1);
        self.deals.borrow_mut().insert(deal);
    }

    /// An id for the next turn: greater than all before, and not to be guessed.
    pub fn next_id(&self) -> u64 {
        self.ids.borrow_mut().next()
    }

    /// Sends a message that is not answered. A bot that does not read it shows that when it is asked next.
    pub fn tell(&self, message: &impl Serialize) {
        self.pipes.borrow_mut().push(message);
        if self.most() == 1 {
            let _ = self.pipes.borrow_mut().poll_send(&mut Context::from_waker(Waker::noop()));
        }
    }

    /// Sends a turn and waits for its answer until the limit, which is multiplied by how many turns the process then has
    /// to answer.
    pub async fn ask(
        &self,
        id: u64,
        turn: &impl Serialize,
        limit: Option<Duration>,
    ) -> Result<(Said<Action>, Took), Over> {
        let alone = self.most() == 1;
        let pid = self.pid();
        let cpu = self.cpu.get().filter(|_| alone).map(|(_, cpu)| cpu);
        self.turns.borrow_mut().add(id);
        let open = Asked { process: self, id };
        let limit = limit.map(|limit| limit * u32::try_from(self.turns.borrow().open.len()).unwrap_or(u32::MAX));
        self.pipes.borrow_mut().push(turn);
        if !alone {
            // The lines of all matches that go on at this moment leave together.
            pause().await;
        }
        let (began, computed) = (Instant::now(), cpu.and_then(Cpu::read));
        let before = self.pipes.borrow().came();
        let said = match within(limit, pid, poll_fn(|cx| open.poll(cx))).await {
            Ok(said) => said,
            Err(Over::Late) if self.pipes.borrow().is_stuck() => {
                let detail = format!("did not read what it was sent for {} ms", limit.map_or(0, millis));
                Said::failed(Fault { cause: Cause::Time, detail })
            }
            Err(Over::Late) => Said { reply: Reply::Late, note: None, hint: None },
            Err(void) => return Err(void),
        };
        let computed = computed.and_then(|before| Some(cpu?.read()?.saturating_sub(before)));
        let took = Took { wall: began.elapsed(), cpu: computed };
        let hint = matches!(said.reply, Reply::Late).then(|| {
            let busy = computed.zip(limit).is_some_and(|(computed, limit)| computed * 2 > limit);
            self.pipes.borrow().why_late(before, busy).to_owned()
        });
        Ok((Said { hint, ..said }, took))
    }

    /// The bot's main process. In a sandbox it is known only some time after the start.
    fn pid(&self) -> Option<u32> {
        let pid = self.pipes.borrow().pid();
        if self.cpu.get().map(|(of, _)| of) != pid {
            self.cpu.set(pid.and_then(|pid| Some((pid, Cpu::of(pid)?))));
        }
        pid
    }

    /// A match begins: what is sent from now on belongs to it.
    pub fn begin(&self) {
        self.pipes.borrow_mut().begin();
    }

    /// Whether the bot has read nothing of what belongs to the match.
    pub fn has_read_nothing(&self) -> bool {
        self.pipes.borrow().has_read_nothing()
    }

    /// Whether nothing more can be had from the process.
    pub fn broken(&self) -> bool {
        self.pipes.borrow().broken().is_some()
    }

    /// What shows why it failed, as far as it is known while it goes on.
    pub fn evidence(&self) -> Evidence {
        self.pipes.borrow().evidence()
    }

    /// Tells the bot why it forfeited a match.
    pub fn refuse(&self, r#match: Option<u64>, message: String) {
        self.tell(&Plain::Error(Refusal { r#match, message }));
    }

    /// Ends the process, and returns what shows how that went.
    pub async fn kill(self) -> Evidence {
        self.pipes.into_inner().end().await
    }

    /// Tells the bot to exit, and sees to it.
    pub async fn quit(self) {
        self.pipes.into_inner().quit().await;
    }

    /// Sends and reads what can be sent and read now, and hands out the answers.
    fn drive(&self, cx: &mut Context<'_>) {
        let _ = self.pipes.borrow_mut().poll_send(cx);
        for _ in 0..LINES_AT_ONCE {
            let line = self.pipes.borrow_mut().poll_line(cx);
            match line {
                Poll::Pending => return,
                Poll::Ready(Ok(line)) => self.hand_out(&line),
                Poll::Ready(Err(fault)) => return self.turns.borrow_mut().fail_all(&fault),
            }
        }
        // A flood of lines must not keep the clock from being looked at.
        cx.waker().wake_by_ref();
    }

    /// Gives a line to the turn that it answers.
    fn hand_out(&self, line: &str) {
        let heard = message::hear(line, &self.turns.borrow().open, self.ids.borrow().last);
        let failed = |why: message::NotAnAnswer| Fault { cause: Cause::Protocol, detail: why.to_string() };
        match heard {
            Ok(Heard::Stale) => {}
            Ok(Heard::Answer(answer)) => {
                let said = Said { reply: Reply::Act(answer.action), note: answer.note, hint: None };
                self.turns.borrow_mut().answer(answer.id, said);
            }
            Ok(Heard::Unfit(id, why)) => self.turns.borrow_mut().answer(id, Said::failed(failed(why))),
            Err(why) => {
                self.retired.set(true);
                self.turns.borrow_mut().fail_all(&failed(why));
            }
        }
    }
}

/// The turns that a process has been sent and that somebody waits for.
struct Turns<Action> {
    waiting: Vec<Waiting<Action>>,
    /// The ids of those without an answer.
    open: Vec<u64>,
}

/// Somebody who waits for the answer to a turn.
struct Waiting<Action> {
    id: u64,
    answer: Option<Said<Action>>,
    waker: Waker,
}

impl<Action> Turns<Action> {
    fn add(&mut self, id: u64) {
        self.waiting.push(Waiting { id, answer: None, waker: Waker::noop().clone() });
        self.open.push(id);
    }

    /// Takes the answer to a turn, if it is there; otherwise the waker is called when it is.
    fn poll_take(&mut self, id: u64, cx: &Context<'_>) -> Poll<Said<Action>> {
        let waiting = self.waiting.iter_mut().find(|waiting| waiting.id == id).expect("the turn was asked");
        match waiting.answer.take() {
            Some(said) => Poll::Ready(said),
            None => {
                waiting.waker.clone_from(cx.waker());
                Poll::Pending
            }
        }
    }

    fn answer(&mut self, id: u64, said: Said<Action>) {
        self.open.retain(|open| *open != id);
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.id == id) {
            waiting.answer = Some(said);
            waiting.waker.wake_by_ref();
        }
    }

    /// Lets all turns fail that have no answer.
    fn fail_all(&mut self, fault: &Fault) {
        for id in std::mem::take(&mut self.open) {
            self.answer(id, Said::failed(fault.clone()));
        }
    }

    /// Nobody waits for this turn any more. Whoever else waits must read from now on.
    fn remove(&mut self, id: u64) {
        self.waiting.retain(|waiting| waiting.id != id);
        self.open.retain(|open| *open != id);
        if let Some(other) = self.waiting.first() {
            other.waker.wake_by_ref();
        }
    }
}

/// A turn that is being waited for, until this is dropped.
struct Asked<'a, Action: DeserializeOwned> {
    process: &'a Process<Action>,
    id: u64,
}

impl<Action: DeserializeOwned> Asked<'_, Action> {
    fn poll(&self, cx: &mut Context<'_>) -> Poll<Said<Action>> {
        if let Poll::Ready(said) = self.process.turns.borrow_mut().poll_take(self.id, cx) {
            return Poll::Ready(said);
        }
        self.process.drive(cx);
        self.process.turns.borrow_mut().poll_take(self.id, cx)
    }
}

impl<Action: DeserializeOwned> Drop for Asked<'_, Action> {
    fn drop(&mut self) {
        self.process.turns.borrow_mut().remove(self.id);
    }
}

/// Lets everything else go on that can go on now.
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

/// The ids of a process's turns: they rise by steps that a bot cannot foresee, and too wide to try all ids in between, so
/// that it cannot answer in advance.
pub struct Ids {
    /// The last one given out.
    pub last: u64,
    steps: Chance,
}

impl Ids {
    /// None given out yet.
    pub fn new() -> Self {
        // Nothing that a bot could find out; no result depends on it.
        let random = RandomState::new().build_hasher().finish();
        let seed = Seed::try_from(random & Seed::MAX).expect("it was cut to the greatest seed");
        Self { last: 0, steps: seed.stream("ids", 0) }
    }

    /// The next one.
    pub fn next(&mut self) -> u64 {
        self.last += 1 + u64::from(self.steps.below(STEP));
        self.last
    }
}
