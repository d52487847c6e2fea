//! Counts starts and exits of a run's processes. Programs that never get ready are given up, and crashes that cost no match are counted.

use std::collections::BTreeMap;
use std::sync::Mutex;

use arena_protocol::fault::{BotFault, ProcessEnd};
use arena_sandbox::{Exit, lock};
use arena_tournament::played::Evidence;
use serde::{Deserialize, Serialize};

/// Number of consecutive failed starts after which a bot that has never been ready is given up.
pub const FAILED_STARTS: u32 = 3;

/// Failed starts and crashes of each bot's program, over all workers of a run.
#[derive(Debug, Default)]
pub struct Starts {
    /// Number of consecutive failed starts, with the last failure. `None` once the bot has been ready, because later failures may be
    /// transient.
    failed: Mutex<BTreeMap<usize, Option<(u32, Failure)>>>,
    crashes: Mutex<BTreeMap<usize, Crashes>>,
}

/// Crashes of a bot outside of its turns, after a match or on exit. They cost the bot no match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crashes {
    /// Number of crashes.
    pub times: u64,
    /// Description of how the process exited at the last crash.
    pub last: String,
    /// End of the bot's log at the last crash.
    pub log: String,
}

impl Crashes {
    /// Adds later crashes.
    pub fn add(&mut self, later: Self) {
        let times = self.times + later.times;
        *self = Self { times, ..later };
    }
}

/// A bot that never got ready and is not restarted in this run.
#[derive(Clone, Debug)]
pub struct GivenUp {
    pub bot: String,
    pub fault: BotFault,
    pub evidence: Box<Evidence>,
}

/// Failure of a start, with its evidence.
type Failure = (BotFault, Box<Evidence>);

impl Starts {
    /// Returns the last failed start of a bot that is given up. It is used in place of further starts. `None` for other bots.
    pub fn given_up(&self, bot: usize) -> Option<Failure> {
        match lock(&self.failed).get(&bot) {
            Some(Some((FAILED_STARTS.., (fault, evidence)))) => {
                let mut evidence = evidence.clone();
                evidence.is_unplayed = true;
                Some((fault.clone(), evidence))
            }
            _ => None,
        }
    }

    /// Counts the exit of an idle process as a crash, unless it was clean. `log` is the end of its standard error.
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

    /// Takes the crashes that cost no match, by bot index.
    pub fn take_crashes(&self) -> BTreeMap<usize, Crashes> {
        std::mem::take(&mut *lock(&self.crashes))
    }

    /// Records that a bot got ready.
    pub fn ready(&self, bot: usize) {
        lock(&self.failed).insert(bot, None);
    }

    /// Records a failed start. Returns the bot if it is given up now.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_matches_after_the_last_start_are_unplayed() {
        let (starts, evidence) = (Starts::default(), Evidence::default());
        let fault = BotFault::ClosedOutput;
        for start in 1..=FAILED_STARTS {
            assert!(starts.given_up(0).is_none(), "before start {start}");
            let given_up = starts.unready(0, "slow", &fault, &evidence);
            assert_eq!(given_up.is_some(), start == FAILED_STARTS);
            assert!(given_up.is_none_or(|last| !last.evidence.is_unplayed));
        }
        let (_, evidence) = starts.given_up(0).unwrap();
        assert!(evidence.is_unplayed);
    }
}
