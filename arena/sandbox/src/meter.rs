//! Measures the CPU time of a bot's processes, and the run and wait times of their threads.

use std::collections::HashMap;
use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use nix::time::ClockId;

use crate::cgroup::Cgroup;
use crate::lock;
use crate::process_tree;

/// The meter of one bot's processes, which the arena reads.
#[derive(Debug)]
pub struct Meter {
    supervisor: u32,
    group: Option<Cgroup>,
    /// CPU clock of the main process.
    main: Mutex<Option<ClockId>>,
}

/// A thread of a bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// True if the thread is running or waiting for a core.
    pub is_runnable: bool,
    /// CPU time so far.
    pub computed: Duration,
    /// Time spent waiting for a core. The kernel adds a wait only once it is over.
    pub waited: Duration,
}

impl Meter {
    /// Creates a meter of all processes below a supervisor.
    pub fn new(supervisor: u32, group: Option<Cgroup>) -> Self {
        Self {
            supervisor,
            group,
            main: Mutex::default(),
        }
    }

    /// Sets the bot's main process.
    pub fn set_main(&self, pid: u32) {
        *lock(&self.main) = ClockId::pid_cpu_clock_id(process_tree::id(pid)).ok();
    }

    /// Returns the CPU time so far, if known. With a control group it covers all processes, without one only the main process.
    pub fn read(&self) -> Option<Duration> {
        match &self.group {
            Some(group) => group.cpu_time(),
            None => self.read_main(),
        }
    }

    /// Returns the CPU time of the main process so far, if known. The call takes about a microsecond.
    pub fn read_main(&self) -> Option<Duration> {
        let clock = (*lock(&self.main))?;
        Some(clock.now().ok()?.into())
    }

    /// Returns the threads of all processes, by id.
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

/// Returns the thread with this id, if it exists. The state is read before the counters, so that a wait that begins in between still counts
/// as a wait.
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
