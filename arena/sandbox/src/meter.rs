//! The processor time of a bot's processes, and what its threads computed and waited.

use std::collections::HashMap;
use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use nix::time::ClockId;

use crate::cgroup::Cgroup;
use crate::lock;
use crate::process_tree;

/// Measures the processes of one bot, from the arena.
#[derive(Debug)]
pub struct Meter {
    supervisor: u32,
    group: Option<Cgroup>,
    /// The clock of the main process.
    main: Mutex<Option<ClockId>>,
}

/// A thread of a bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// True if it computes, or waits for a core.
    pub is_runnable: bool,
    /// What it has computed in its life.
    pub computed: Duration,
    /// How long it has waited for a core, as far as the kernel has booked that: it does when the wait is over.
    pub waited: Duration,
}

impl Meter {
    /// Measures all below a supervisor.
    pub fn new(supervisor: u32, group: Option<Cgroup>) -> Self {
        Self {
            supervisor,
            group,
            main: Mutex::default(),
        }
    }

    /// Measures this process as the bot's main one.
    pub fn set_main(&self, pid: u32) {
        *lock(&self.main) = ClockId::pid_cpu_clock_id(process_tree::id(pid)).ok();
    }

    /// Returns what has been computed so far, if that is known: with a control group by all processes, else by the main one.
    pub fn read(&self) -> Option<Duration> {
        match &self.group {
            Some(group) => group.cpu_time(),
            None => self.read_main(),
        }
    }

    /// Returns what the main process has computed so far, if that is known. Takes about a microsecond.
    pub fn read_main(&self) -> Option<Duration> {
        let clock = (*lock(&self.main))?;
        Some(clock.now().ok()?.into())
    }

    /// The threads of all processes, by their ids.
    pub fn threads(&self) -> HashMap<u32, Thread> {
        let ids = match &self.group {
            Some(group) => group.threads(),
            None => process_tree::threads_below(self.supervisor),
        };
        ids.into_iter()
            .filter_map(|id| Some((id, thread(id)?)))
            .collect()
    }
}

/// The thread of that id, if there is one: its state first, so that what it waits for after that is seen as its waiting.
fn thread(id: u32) -> Option<Thread> {
    let is_runnable = process_tree::stat(id)?.is_runnable;
    let usage = fs::read_to_string(format!("/proc/{id}/schedstat")).ok()?;
    let mut fields = usage
        .split_whitespace()
        .map(|field| field.parse().ok().map(Duration::from_nanos));
    Some(Thread {
        is_runnable,
        computed: fields.next()??,
        waited: fields.next()??,
    })
}
