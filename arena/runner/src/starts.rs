//! Programs that never get ready: after a few failed starts they are not started again.

use std::collections::BTreeMap;
use std::sync::Mutex;

use arena_protocol::fault::BotFault;
use arena_sandbox::lock;
use arena_tournament::played::Evidence;

/// The number of starts in a row after which a bot that never was ready is not started again.
pub const FAILED_STARTS: u32 = 3;

/// How the starts of each bot's program went so far, by all workers of a run: how often it failed to get ready in a row, with the
/// last failure; none once it was ready, since what keeps it from that later may pass.
#[derive(Debug, Default)]
pub struct Starts(Mutex<BTreeMap<usize, Option<(u32, Failure)>>>);

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
        match lock(&self.0).get(&bot) {
            Some(Some((FAILED_STARTS.., last))) => Some(last.clone()),
            _ => None,
        }
    }

    /// A bot was ready.
    pub fn ready(&self, bot: usize) {
        lock(&self.0).insert(bot, None);
    }

    /// A bot was not ready in time. Returns that it is given up, if it is now.
    pub fn unready(
        &self,
        bot: usize,
        name: &str,
        fault: &BotFault,
        evidence: &Evidence,
    ) -> Option<GivenUp> {
        let mut starts = lock(&self.0);
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
