//! What the processes of a bot compute and wait for, and stopping them for a while.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::signal::Signal;
use nix::time::ClockId;
use nix::unistd::Pid;

use super::cgroup::{Cgroup, Usage};
use super::process_tree;
use crate::usage::{Reading, State, Thread};

/// Measures the processes of one bot, from the arena.
#[derive(Debug)]
pub struct Meter {
    supervisor: u32,
    group: Option<(Cgroup, Usage)>,
    main: Mutex<Option<(u32, ClockId)>>,
}

impl Meter {
    /// Measures all below a supervisor.
    pub fn new(supervisor: u32, group: Option<Cgroup>) -> Self {
        let usage = group.as_ref().and_then(|group| group.open_usage().ok());
        Self { supervisor, group: group.zip(usage), main: Mutex::default() }
    }

    /// The bot's main process has become known.
    pub fn set_main(&self, pid: u32) {
        *self.main() = ClockId::pid_cpu_clock_id(Pid::from_raw(pid.cast_signed())).ok().map(|clock| (pid, clock));
    }

    fn main(&self) -> MutexGuard<'_, Option<(u32, ClockId)>> {
        self.main.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if all processes are counted, and not the main one alone.
    pub fn counts_all(&self) -> bool {
        self.group.is_some()
    }

    /// What has been computed so far, if that is known; about a microsecond's work.
    pub fn read(&self) -> Option<Reading> {
        match &self.group {
            Some((_, usage)) => Some(Reading { of: None, computed: usage.read()? }),
            None => self.read_main(),
        }
    }

    /// What the main process has computed so far, if that is known.
    pub fn read_main(&self) -> Option<Reading> {
        let (pid, clock) = (*self.main())?;
        Some(Reading { of: Some(pid), computed: clock.now().ok()?.into() })
    }

    /// The threads of all processes.
    pub fn threads(&self) -> Vec<Thread> {
        let ids = match &self.group {
            Some((group, _)) => group.threads(),
            None => process_tree::threads_below(self.supervisor),
        };
        ids.into_iter().filter_map(thread).collect()
    }

    /// What all processes but the main one have computed, as far as they still live: for want of a control group.
    pub fn read_others(&self) -> Duration {
        let main = self.main().map(|(pid, _)| pid);
        let others = process_tree::below_at_a_glance(self.supervisor).unwrap_or_default();
        let others = others.iter().filter(|stat| Some(stat.pid) != main).map(|stat| stat.pid);
        let clocks = others.filter_map(|pid| ClockId::pid_cpu_clock_id(Pid::from_raw(pid.cast_signed())).ok());
        clocks.filter_map(|clock| clock.now().ok()).map(Duration::from).sum()
    }

    /// Lets no process compute, until they are thawed.
    pub fn freeze(&self) {
        match &self.group {
            Some((group, _)) => group.freeze(),
            None => drop(process_tree::freeze(|| process_tree::below(self.supervisor))),
        }
    }

    /// Lets all processes go on.
    pub fn thaw(&self) {
        match &self.group {
            Some((group, _)) => group.thaw(),
            None => {
                let all: BTreeSet<u32> = process_tree::below(self.supervisor).iter().map(|stat| stat.pid).collect();
                all.into_iter().for_each(|pid| process_tree::send(Signal::SIGCONT, pid));
            }
        }
    }
}

/// The thread of that id, if there is one: its state first, so that what it waits for after that is seen as its waiting.
fn thread(id: u32) -> Option<Thread> {
    let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
    // The name in parentheses may hold anything.
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let state = match stat.get(end + 2)? {
        b'R' => State::Runnable,
        b'T' | b't' => State::Stopped,
        _ => State::Asleep,
    };
    let usage = fs::read_to_string(format!("/proc/{id}/schedstat")).ok()?;
    let mut fields = usage.split_whitespace().map(|field| field.parse().ok().map(Duration::from_nanos));
    Some(Thread { id, state, computed: fields.next()??, waited: fields.next()?? })
}
