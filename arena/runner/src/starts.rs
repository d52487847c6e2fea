//! Starts and ends of a run's processes: gives up programs that never get ready, and counts crashes that cost no match.

use std::collections::BTreeMap;
use std::sync::Mutex;

use arena_protocol::fault::{BotFault, ProcessEnd};
use arena_sandbox::{Exit, lock};
use arena_tournament::played::Evidence;
use serde::{Deserialize, Serialize};

/// The number of starts in a row after which a bot that never was ready is not started again.
pub const FAILED_STARTS: u32 = 3;

/// Failed starts and crashes of each bot's program, over all workers of a run.
#[derive(Debug, Default)]
pub struct Starts {
    /// How often it failed to get ready in a row, with the last failure; none once it was ready, since what keeps it from that later
    /// may pass.
    failed: Mutex<BTreeMap<usize, Option<(u32, Failure)>>>,
    crashes: Mutex<BTreeMap<usize, Crashes>>,
}

/// The crashes of a bot outside of its turns: after a match, or when it was to exit. They cost it no match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crashes {
    /// How often.
    pub times: u64,
    /// How its process ended the last time, in words.
    pub last: String,
    /// The end of its log then.
    pub log: String,
}

impl Crashes {
    /// Adds later ones.
    pub fn add(&mut self, later: Self) {
        let times = self.times + later.times;
        *self = Self { times, ..later };
    }
}

/// A bot that is not started again in this run, since it never got ready.
#[derive(Clone, Debug)]
pub struct GivenUp {
    pub bot: String,
    pub fault: BotFault,
    pub evidence: Box<Evidence>,
}

/// Why a start failed, and what shows it.
type Failure = (BotFault, Box<Evidence>);

impl Starts {
    /// How the next start of a bot would end, if it is not to be started any more.
    pub fn given_up(&self, bot: usize) -> Option<Failure> {
        match lock(&self.failed).get(&bot) {
            Some(Some((FAILED_STARTS.., last))) => Some(last.clone()),
            _ => None,
        }
    }

    /// Counts the end of a process that was in no match as a crash, if it was one. `log` is the end of what it wrote to stderr.
    pub fn note_end(&self, bot: usize, exit: &Exit, log: &str) {
        let fault = exit.fault();
        let is_crash = !exit.killed
            && exit.ours.is_none()
            && !matches!(
                fault,
                BotFault::Exited(ProcessEnd::Code(0) | ProcessEnd::Stopped | ProcessEnd::Unknown)
            );
        if is_crash {
            lock(&self.crashes).entry(bot).or_default().add(Crashes {
                times: 1,
                last: fault.to_string(),
                log: log.to_owned(),
            });
        }
    }

    /// Takes the crashes that cost no match out, by the bots' indexes.
    pub fn take_crashes(&self) -> BTreeMap<usize, Crashes> {
        std::mem::take(&mut *lock(&self.crashes))
    }

    /// A bot was ready.
    pub fn ready(&self, bot: usize) {
        lock(&self.failed).insert(bot, None);
    }

    /// A bot was not ready in time. Returns that it is given up, if it is now.
    pub fn unready(
        &self,
        bot: usize,
        name: &str,
        fault: &BotFault,
        evidence: &Evidence,
    ) -> Option<GivenUp> {
        let mut starts = lock(&self.failed);
        let times = match starts.get(&bot) {
            Some(None) => return None,
            Some(Some((times, _))) => times + 1,
            None => 1,
        };
        let (fault, evidence) = (fault.clone(), Box::new(evidence.clone()));
        let last = (fault.clone(), evidence.clone());
        starts.insert(bot, Some((times, last)));
        (times == FAILED_STARTS).then(|| GivenUp {
            bot: name.into(),
            fault,
            evidence,
        })
    }
}
