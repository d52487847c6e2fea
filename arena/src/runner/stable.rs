//! The programs that a worker has running, and which of them may play a match.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use arena_engine::outcome::{Cause, Fault};
use arena_results::played::Evidence;
use futures_util::future::join_all;
use serde::de::DeserializeOwned;

use super::Run;
use super::pipes::Unready;
use super::process::Process;
use arena_tournament::schedule::Planned;
use crate::setup::{Plays, Program, Restart};

/// The processes of one worker, by their bot's index in the setup.
pub struct Stable<'a, Rules, Action> {
    run: Run<'a, Rules>,
    processes: RefCell<BTreeMap<usize, Rc<Process<Action>>>>,
    /// Bots that are not started again.
    gone: RefCell<BTreeSet<usize>>,
}

impl<'a, Rules, Action: DeserializeOwned> Stable<'a, Rules, Action> {
    /// Nothing started yet.
    pub fn new(run: Run<'a, Rules>) -> Self {
        Self { run, processes: RefCell::default(), gone: RefCell::default() }
    }

    /// Whether the programs of a match can play it beside those that they are in already.
    pub fn has_room(&self, planned: &Planned) -> bool {
        let processes = self.processes.borrow();
        let mut programs = planned.seats.iter().filter(|bot| self.program(**bot).is_some());
        programs.all(|bot| {
            let fits = |process: &Rc<Process<Action>>| {
                process.most() > 1 && process.matches.get() < process.most() && process.may_play(planned.deal)
            };
            self.run.setup.bots[*bot].restart != Restart::Match && processes.get(bot).is_some_and(fits)
        })
    }

    /// What plays for a bot, if it is a program.
    pub fn program(&self, bot: usize) -> Option<&'a Program> {
        match &self.run.setup.bots[bot].plays {
            Plays::Builtin(_) => None,
            Plays::Program(program) => Some(program),
        }
    }

    /// Whether a bot is never started anew.
    pub fn lives_once(&self, bot: usize) -> bool {
        self.run.setup.bots[bot].restart == Restart::Never
    }

    /// The process of a bot, for one match on a deal; started if none runs that may play it. Says whether it was running
    /// already.
    pub async fn take(&self, bot: usize, deal: u32) -> Result<(Rc<Process<Action>>, bool), Unready> {
        if self.gone.borrow().contains(&bot) {
            let detail = "failed before and is not started again (restart = \"never\")".to_owned();
            return Err(Unready::Failed(Fault { cause: Cause::Crash, detail }, Box::default()));
        }
        let setup = self.run.setup;
        let never = self.lives_once(bot);
        let kept = self.processes.borrow().get(&bot).cloned();
        if let Some(process) = kept {
            if process.may_play(deal) || never && !process.broken() {
                process.enter(deal);
                return Ok((process, true));
            }
            self.retire(bot, process).await;
        }
        let program = self.program(bot).expect("only programs have processes");
        let process = Process::start(self.run, &setup.bots[bot], program).await;
        if matches!(process, Err(Unready::Failed(..))) && never {
            self.gone.borrow_mut().insert(bot);
        }
        let process = Rc::new(process?);
        process.enter(deal);
        self.processes.borrow_mut().insert(bot, Rc::clone(&process));
        Ok((process, false))
    }

    /// Gives a process no other match, and ends it in order once it is in none.
    async fn retire(&self, bot: usize, process: Rc<Process<Action>>) {
        process.retired.set(true);
        self.forget(bot, &process);
        if let Some(process) = Rc::into_inner(process) {
            process.quit().await;
        }
    }

    /// Takes a process back from a match that it has finished in order.
    pub async fn give_back(&self, bot: usize, process: Rc<Process<Action>>) {
        process.matches.set(process.matches.get() - 1);
        let fresh = self.run.setup.bots[bot].restart == Restart::Match;
        if fresh || process.retired.get() {
            self.retire(bot, process).await;
        }
    }

    /// Takes a process back from a match that it has forfeited, and says what shows why. It is ended once it is in no other
    /// match, unless it is to live on after a fault.
    pub async fn dismiss(&self, bot: usize, process: Rc<Process<Action>>, fatal: bool) -> Evidence {
        process.matches.set(process.matches.get() - 1);
        let never = self.lives_once(bot);
        if never && !fatal && !process.broken() && !process.retired.get() {
            return process.evidence();
        }
        if never {
            self.gone.borrow_mut().insert(bot);
        }
        process.retired.set(true);
        self.forget(bot, &process);
        drop_if_last(process).await
    }

    /// Lets no process play any further match.
    pub fn retire_all(&self) {
        self.processes.borrow().values().for_each(|process| process.retired.set(true));
    }

    /// Ends all.
    pub async fn quit(&self) {
        let all = std::mem::take(&mut *self.processes.borrow_mut());
        let all = all.into_values().filter_map(Rc::into_inner);
        join_all(all.map(Process::quit)).await;
    }

    fn forget(&self, bot: usize, process: &Rc<Process<Action>>) {
        let mut processes = self.processes.borrow_mut();
        if processes.get(&bot).is_some_and(|kept| Rc::ptr_eq(kept, process)) {
            processes.remove(&bot);
        }
    }
}

/// Ends a process if nobody else has it; says what shows why it failed.
async fn drop_if_last<Action: DeserializeOwned>(process: Rc<Process<Action>>) -> Evidence {
    match Rc::try_unwrap(process) {
        Ok(process) => process.kill().await,
        Err(process) => process.evidence(),
    }
}
