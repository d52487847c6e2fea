//! The pool of a worker's running programs. It decides which process may play a match.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Deref;
use std::rc::Rc;
use std::time::Duration;

use arena_protocol::fault::BotFault;
use arena_tournament::played::Evidence;
use futures_util::future::join_all;

use super::conversation::Conversation;
use super::conversation::greeting::Unready;
use super::gate::Gate;
use super::logs::Logs;
use super::room::Room;
use super::run::{Run, Startup};
use super::starts::GivenUp;
use arena_tournament::entrant::Restart;
use arena_tournament::schedule::Planned;

/// Processes of one worker, by bot index.
pub struct ProcessPool<'a> {
    run: Run<'a>,
    gate: Gate,
    processes: RefCell<BTreeMap<usize, Rc<Process>>>,
    /// Maximum number of processes, unless a match needs more.
    most: usize,
    /// Number of processes that are starting or running.
    alive: Rc<Cell<usize>>,
    /// Number of times that a process was needed.
    uses: Cell<u64>,
    /// Bots that are not restarted.
    gone: RefCell<BTreeSet<usize>>,
    /// Bots given up since the last report.
    given_up: RefCell<Vec<GivenUp>>,
}

/// A process, shared by the pool and the matches that use it.
pub struct Process {
    conversation: Conversation,
    /// True if the process gets no further matches.
    retired: Cell<bool>,
    /// The deals that the process has played.
    deals: RefCell<HashSet<u32>>,
    /// The value of the pool's `uses` when the process was last needed.
    used: Cell<u64>,
    _alive: Alive,
}

/// A guard that counts a process until it is dropped.
struct Alive(Rc<Cell<usize>>);

impl Alive {
    fn new(count: &Rc<Cell<usize>>) -> Self {
        count.set(count.get() + 1);
        Self(Rc::clone(count))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Deref for Process {
    type Target = Conversation;

    fn deref(&self) -> &Self::Target {
        &self.conversation
    }
}

impl Process {
    /// Returns `true` if the process gets no further matches.
    fn is_retired(&self) -> bool {
        self.retired.get() || !self.is_sound()
    }

    /// Returns `true` if the process may play a match of this deal: it is sound, and has not seen the deal, whose hidden information it
    /// might remember.
    fn may_play(&self, deal: u32) -> bool {
        !self.is_retired() && !self.deals.borrow().contains(&deal)
    }

    /// Excludes the process from further matches.
    pub fn retire(&self) {
        self.retired.set(true);
    }
}

impl<'a> ProcessPool<'a> {
    /// Creates an empty pool.
    pub fn new(run: Run<'a>, gate: Gate) -> Self {
        Self {
            run,
            gate,
            processes: RefCell::default(),
            most: Room::new(run.spec).per_job() as usize,
            alive: Rc::default(),
            uses: Cell::default(),
            gone: RefCell::default(),
            given_up: RefCell::default(),
        }
    }

    /// Returns `true` if the programs of a match can play it at the same time as their current matches.
    pub fn has_room(&self, planned: &Planned) -> bool {
        let processes = self.processes.borrow();
        let mut programs = planned
            .seats
            .iter()
            .filter(|bot| self.run.startup(**bot).is_some());
        programs.all(|bot| {
            let fits = |process: &Rc<Process>| {
                let capacity = process.capacity();
                capacity > 1
                    && Rc::strong_count(process) <= capacity as usize
                    && process.may_play(planned.deal)
            };
            self.run.spec.bots[*bot].restart != Restart::Match
                && processes.get(bot).is_some_and(fits)
        })
    }

    /// Returns true if a bot is never restarted.
    pub fn lives_once(&self, bot: usize) -> bool {
        self.run.spec.bots[bot].restart == Restart::Never
    }

    /// Records that a match needs the processes of its bots, so that other processes are ended first.
    pub fn need(&self, planned: &Planned) {
        self.uses.set(self.uses.get() + 1);
        let processes = self.processes.borrow();
        let needed = planned.seats.iter().filter_map(|bot| processes.get(bot));
        needed.for_each(|process| process.used.set(self.uses.get()));
    }

    /// Ends idle processes, the least recently used first, until there is room for one more. Processes that are never restarted are kept.
    async fn make_room(&self) {
        while self.alive.get() >= self.most
            && let Some((bot, process)) = self.idle()
        {
            self.retire(bot, process).await;
        }
    }

    /// Returns the process that has been idle longest, among those that can be restarted.
    fn idle(&self) -> Option<(usize, Rc<Process>)> {
        let processes = self.processes.borrow();
        let idle = processes
            .iter()
            .filter(|(bot, process)| Rc::strong_count(process) == 1 && !self.lives_once(**bot));
        let (bot, process) = idle.min_by_key(|(_, process)| process.used.get())?;
        Some((*bot, Rc::clone(process)))
    }

    /// Returns a process of the bot for a seat in a match of this deal, and whether it was already running. If none is available, a new one
    /// is started.
    pub async fn take(
        &self,
        bot: usize,
        deal: u32,
        seat: &str,
    ) -> Result<(Rc<Process>, bool), Unready> {
        if self.gone.borrow().contains(&bot) {
            return Err(Unready::Failed(BotFault::NotRestarted, Box::default()));
        }
        let never = self.lives_once(bot);
        let kept = self.processes.borrow().get(&bot).cloned();
        if let Some(process) = kept {
            if process.may_play(deal) || never && !process.pipes().is_broken() {
                process.deals.borrow_mut().insert(deal);
                return Ok((process, true));
            }
            self.retire(bot, process).await;
        }
        // Boxed, because this future is large and rarely needed, and would be part of every turn's future.
        let process = Box::pin(self.start(bot, deal, seat)).await?;
        self.processes.borrow_mut().insert(bot, Rc::clone(&process));
        Ok((process, false))
    }

    /// Starts a process of a bot for a deal.
    async fn start(&self, bot: usize, deal: u32, seat: &str) -> Result<Rc<Process>, Unready> {
        if let Some((fault, evidence)) = self.run.starts.given_up(bot) {
            return Err(Unready::Failed(fault, evidence));
        }
        let startup = self.run.startup(bot).expect("only programs have processes");
        let startup = Startup {
            logs: Logs {
                seat,
                ..startup.logs
            },
            ..startup
        };
        self.make_room().await;
        let alive = Alive::new(&self.alive);
        let limit = Duration::from_millis(self.run.spec.clock(bot).start_ms);
        let conversation = Conversation::start(&startup, &self.gate, limit).await;
        match &conversation {
            Ok(_) => self.run.starts.ready(bot),
            Err(Unready::Failed(fault @ BotFault::NotReady { .. }, evidence)) => {
                self.given_up.borrow_mut().extend(self.run.starts.unready(
                    bot,
                    startup.name,
                    fault,
                    evidence,
                ));
            }
            Err(_) => {}
        }
        if matches!(conversation, Err(Unready::Failed(..))) && self.lives_once(bot) {
            self.gone.borrow_mut().insert(bot);
        }
        let deals = RefCell::new([deal].into());
        Ok(Rc::new(Process {
            conversation: conversation?,
            retired: Cell::new(false),
            deals,
            used: Cell::new(self.uses.get()),
            _alive: alive,
        }))
    }

    /// Returns the bots given up since the last call.
    pub fn given_up(&self) -> Vec<GivenUp> {
        self.given_up.take()
    }

    /// Retires a process, and ends it cleanly once no match uses it.
    async fn retire(&self, bot: usize, process: Rc<Process>) {
        process.retire();
        self.forget(bot, &process);
        Box::pin(self.end(bot, process)).await;
    }

    /// Returns a process to the pool after a match without faults.
    pub async fn give_back(&self, bot: usize, process: Rc<Process>) {
        if self.run.spec.bots[bot].restart == Restart::Match || process.is_retired() {
            self.retire(bot, process).await;
        }
    }

    /// Returns a process to the pool after a forfeit, and returns its evidence. The process is ended once no other match uses it. If the
    /// fault is not fatal and the bot is never restarted, the process is kept.
    pub async fn dismiss(&self, bot: usize, process: Rc<Process>, fatal: bool) -> Evidence {
        let never = self.lives_once(bot);
        if never && !fatal && !process.is_retired() {
            return process.pipes().evidence();
        }
        if never {
            self.gone.borrow_mut().insert(bot);
        }
        process.retire();
        self.forget(bot, &process);
        let kill = async move {
            match Rc::try_unwrap(process) {
                Ok(process) => process.conversation.kill().await.evidence,
                Err(process) => process.pipes().evidence(),
            }
        };
        Box::pin(kill).await
    }

    /// Retires all processes.
    pub fn retire_all(&self) {
        self.processes
            .borrow()
            .values()
            .for_each(|process| process.retire());
    }

    /// Ends all processes.
    pub async fn quit(&self) {
        let all = std::mem::take(&mut *self.processes.borrow_mut());
        let all = all.into_iter();
        join_all(all.map(|(bot, process)| self.end(bot, process))).await;
    }

    /// Ends a process cleanly, unless a match uses it, and records a crash if there was one.
    async fn end(&self, bot: usize, process: Rc<Process>) {
        if let Some(process) = Rc::into_inner(process) {
            let ended = process.conversation.quit().await;
            let log = &ended.evidence.stderr;
            self.run.starts.note_end(bot, &ended.exit, log);
        }
    }

    fn forget(&self, bot: usize, process: &Rc<Process>) {
        let mut processes = self.processes.borrow_mut();
        if processes
            .get(&bot)
            .is_some_and(|kept| Rc::ptr_eq(kept, process))
        {
            processes.remove(&bot);
        }
    }
}
