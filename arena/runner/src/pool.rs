//! The programs that a worker has running, and which of them may play a match.

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
use super::run::{Run, Startup};
use super::starts::GivenUp;
use arena_tournament::entrant::Restart;
use arena_tournament::schedule::Planned;

/// The processes of one worker, by their bot's index.
pub struct ProcessPool<'a> {
    run: Run<'a>,
    gate: Gate,
    processes: RefCell<BTreeMap<usize, Rc<Process>>>,
    /// Bots that are not started again.
    gone: RefCell<BTreeSet<usize>>,
    /// What there is to say of bots that are not started any more.
    given_up: RefCell<Vec<GivenUp>>,
}

/// A process; the pool and each match that it is in hold it.
pub struct Process {
    conversation: Conversation,
    /// It is given no other match.
    retired: Cell<bool>,
    /// The deals that it has met.
    deals: RefCell<HashSet<u32>>,
}

impl Deref for Process {
    type Target = Conversation;

    fn deref(&self) -> &Self::Target {
        &self.conversation
    }
}

impl Process {
    /// True if it is to be given no other match.
    fn is_retired(&self) -> bool {
        self.retired.get() || !self.is_sound()
    }

    /// True if it may be given a match of this deal: it is sound and has not met the deal, of which it could remember what
    /// was hidden from others.
    fn may_play(&self, deal: u32) -> bool {
        !self.is_retired() && !self.deals.borrow().contains(&deal)
    }

    /// Gives it no other match.
    pub fn retire(&self) {
        self.retired.set(true);
    }
}

impl<'a> ProcessPool<'a> {
    /// Nothing started yet.
    pub fn new(run: Run<'a>, gate: Gate) -> Self {
        Self {
            run,
            gate,
            processes: RefCell::default(),
            gone: RefCell::default(),
            given_up: RefCell::default(),
        }
    }

    /// True if the programs of a match can play it beside those that they are in already.
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

    /// True if a bot is never started anew.
    pub fn lives_once(&self, bot: usize) -> bool {
        self.run.spec.bots[bot].restart == Restart::Never
    }

    /// The process of a bot, for a seat in one match on a deal; started if none runs that may play it. Also returns whether it was
    /// running already.
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
        // Boxed, as all is that is rare and large: each turn may come to need it, and would carry it about.
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
        }))
    }

    /// What has come up since this was called before: the bots that are not started any more.
    pub fn given_up(&self) -> Vec<GivenUp> {
        self.given_up.take()
    }

    /// Gives a process no other match, and ends it in order once it is in none.
    async fn retire(&self, bot: usize, process: Rc<Process>) {
        process.retire();
        self.forget(bot, &process);
        Box::pin(self.end(bot, process)).await;
    }

    /// Takes a process back from a match that it has finished in order.
    pub async fn give_back(&self, bot: usize, process: Rc<Process>) {
        if self.run.spec.bots[bot].restart == Restart::Match || process.is_retired() {
            self.retire(bot, process).await;
        }
    }

    /// Takes a process back from a match that it has forfeited, and returns what shows why. It is ended once it is in no
    /// other match, unless it is to live on after a fault that is not fatal.
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

    /// Lets no process play any further match.
    pub fn retire_all(&self) {
        self.processes
            .borrow()
            .values()
            .for_each(|process| process.retire());
    }

    /// Ends all.
    pub async fn quit(&self) {
        let all = std::mem::take(&mut *self.processes.borrow_mut());
        let all = all.into_iter();
        join_all(all.map(|(bot, process)| self.end(bot, process))).await;
    }

    /// Ends a process in order, unless it is in a match, and notes a crash.
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
