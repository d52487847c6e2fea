//! Programs that never get ready: after a few starts they are not started in vain again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use arena_engine::fault::{Clues, Fault};
use arena_tournament::played::Evidence;
use arena_tournament::printable::clean;

/// The number of starts in a row after which a bot that never was ready is not started again.
const IN_VAIN: u32 = 3;

/// How the starts of each bot's program went so far, by all workers of a run.
#[derive(Debug, Default)]
pub struct Starts(Mutex<BTreeMap<usize, State>>);

/// How the starts of one bot went.
#[derive(Debug)]
enum State {
    /// It was ready once, so what keeps it from that later may pass.
    Ready,
    /// It has not been ready so many times, and the last failure is this.
    Unready { times: u32, last: Failure },
}

/// Why a start failed, and what shows it.
type Failure = (Fault, Box<Evidence>);

impl Starts {
    /// How the next start of a bot would end, if it is not to be started any more.
    pub fn given_up(&self, bot: usize) -> Option<Failure> {
        match self.states().get(&bot) {
            Some(State::Unready { times: IN_VAIN.., last }) => Some(last.clone()),
            _ => None,
        }
    }

    /// A bot was ready.
    pub fn ready(&self, bot: usize) {
        self.states().insert(bot, State::Ready);
    }

    /// A bot was not ready in time. Returns what there is to say if it is given up now.
    pub fn unready(&self, bot: usize, name: &str, fault: &Fault, evidence: &Evidence) -> Option<String> {
        let mut states = self.states();
        let times = match states.get(&bot) {
            Some(State::Ready) => return None,
            Some(State::Unready { times, .. }) => times + 1,
            None => 1,
        };
        states.insert(bot, State::Unready { times, last: (fault.clone(), Box::new(evidence.clone())) });
        (times == IN_VAIN).then(|| describe(name, fault, evidence))
    }

    fn states(&self) -> std::sync::MutexGuard<'_, BTreeMap<usize, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// That a bot is given up, why, and what it should do.
fn describe(name: &str, fault: &Fault, evidence: &Evidence) -> String {
    let mut text = format!(
        "warning: {} was started {IN_VAIN} times and never got ready: it {fault}. Its other matches in this run are forfeited \
         the same way, without starting it again",
        clean(name)
    );
    let help = fault.help(&Clues { log: &evidence.stderr, ..Clues::default() });
    help.into_iter().for_each(|help| text += &format!("\n         {help}"));
    let log = evidence.stderr.lines().rev().find(|line| !line.trim().is_empty());
    log.into_iter().for_each(|line| text += &format!("\n         the last line of its log: {}", clean(line)));
    text
}
