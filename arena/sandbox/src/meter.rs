//! The CPU time of a bot's processes, the state of its threads, and stopping them for a while. Only on Linux is any of it known.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use arena_engine::fault::Excess;
use nix::sys::signal::Signal;
use nix::time::ClockId;

use crate::cgroup::{Cgroup, CpuStat};
use crate::lock;
use crate::process_tree::{self, State};

/// Measures the processes of one bot, from the arena.
#[derive(Debug)]
pub struct Meter {
    supervisor: u32,
    group: Option<(Cgroup, CpuStat)>,
    main: Mutex<Option<(u32, ClockId)>>,
    /// The last reading by which turns began.
    last: Mutex<Option<(Instant, Reading)>>,
    /// The most memory that it may give back when it ends, in bytes, and the limit that it exceeds otherwise; none if the kernel
    /// holds it to that.
    pub may_give_back: Option<(u64, Excess)>,
    /// What was found when it was ended for memory, if it was: the limit that it exceeded, if it did.
    pub reclaimed: Mutex<Option<Result<(), Excess>>>,
}

/// What a bot has computed so far: with a control group all of its processes, else its main one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The main process, or none if all are counted.
    pub of: Option<u32>,
    /// What it has computed.
    pub computed: Duration,
}

/// What a process has computed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Process {
    /// Its threads, with those that have ended.
    pub own: Duration,
    /// The children that it has waited for.
    pub reaped: Duration,
}

/// A thread of a bot.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    /// Its id.
    pub id: u32,
    /// What it does.
    pub state: State,
    /// What it has done in its life.
    pub usage: Usage,
}

/// What a thread has computed, and how long it has waited for a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// What it has computed.
    pub computed: Duration,
    /// How long it has waited, as far as the kernel has booked that: it does when the wait is over.
    pub waited: Duration,
}

impl Reading {
    /// What was computed since an earlier reading of the same.
    pub fn since(self, before: Self) -> Option<Duration> {
        (self.of == before.of).then(|| self.computed.saturating_sub(before.computed))
    }
}

impl Meter {
    /// Measures all below a supervisor.
    pub fn new(
        supervisor: u32,
        group: Option<Cgroup>,
        may_give_back: Option<(u64, Excess)>,
    ) -> Self {
        let cpu_stat = group.as_ref().and_then(|group| group.open_cpu_stat().ok());
        let (main, last, reclaimed) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self {
            supervisor,
            group: group.zip(cpu_stat),
            main,
            last,
            may_give_back,
            reclaimed,
        }
    }

    /// Measures this process as the bot's main one.
    pub fn set_main(&self, pid: u32) {
        *lock(&self.main) = clock(pid).map(|clock| (pid, clock));
    }

    /// True if all processes are counted, and not the main one alone.
    pub fn counts_all(&self) -> bool {
        self.group.is_some()
    }

    /// What has been computed so far, if that is known; takes about a microsecond.
    pub fn read(&self) -> Option<Reading> {
        match &self.group {
            Some((_, cpu_stat)) => Some(Reading {
                of: None,
                computed: cpu_stat.read()?,
            }),
            None => self.read_main(),
        }
    }

    /// What all processes had computed at most so long ago, where that is counted: turns follow each other more quickly than it could be
    /// read for each.
    pub fn read_recent(&self, age: Duration) -> Option<Reading> {
        self.group.as_ref()?;
        let mut last = lock(&self.last);
        if last.is_none_or(|(at, _)| at.elapsed() > age) {
            *last = self.read().map(|reading| (Instant::now(), reading));
        }
        last.map(|(_, reading)| reading)
    }

    /// What the main process has computed so far, if that is known.
    pub fn read_main(&self) -> Option<Reading> {
        let (pid, clock) = (*lock(&self.main))?;
        Some(Reading {
            of: Some(pid),
            computed: clock.now().ok()?.into(),
        })
    }

    /// The threads of all processes.
    pub fn threads(&self) -> Vec<Thread> {
        let ids = match &self.group {
            Some((group, _)) => group.threads(),
            None => process_tree::threads_below(self.supervisor),
        };
        ids.into_iter().filter_map(thread).collect()
    }

    /// All processes one by one, and the supervisor, whose own computing does not count.
    pub fn processes(&self) -> BTreeMap<u32, Process> {
        let own = |pid| {
            clock(pid)
                .and_then(|clock| clock.now().ok())
                .map_or(Duration::ZERO, Duration::from)
        };
        let found = process_tree::below_quickly(self.supervisor);
        let found = found.iter().map(|stat| {
            (
                stat.pid,
                Process {
                    own: own(stat.pid),
                    reaped: stat.reaped,
                },
            )
        });
        let mut processes: BTreeMap<u32, Process> = found.collect();
        let supervisor = process_tree::stat(self.supervisor);
        processes.extend(supervisor.map(|stat| {
            (
                stat.pid,
                Process {
                    own: Duration::ZERO,
                    reaped: stat.reaped,
                },
            )
        }));
        processes
    }

    /// What all processes hold: their number, the files that they have open, and their memory in MiB.
    pub fn held(&self) -> [u64; 3] {
        let tree = process_tree::below(self.supervisor);
        let open = |pid: u32| process_tree::numbers(&format!("/proc/{pid}/fd")).len() as u64;
        let status = |pid: u32| fs::read_to_string(format!("/proc/{pid}/status")).ok();
        let resident = |pid: u32| process_tree::field(&status(pid)?, "VmRSS:");
        let memory: u64 = tree.iter().filter_map(|stat| resident(stat.pid)).sum();
        [
            tree.len() as u64,
            tree.iter().map(|stat| open(stat.pid)).sum(),
            memory >> 10,
        ]
    }

    /// What all processes but the main one have computed, as far as they still live, where there is no control group.
    pub fn read_others(&self) -> Duration {
        let main = lock(&self.main).map(|(pid, _)| pid);
        let others = process_tree::below_by_lists(self.supervisor).unwrap_or_default();
        let clocks = others
            .iter()
            .filter(|stat| Some(stat.pid) != main)
            .filter_map(|stat| clock(stat.pid));
        clocks
            .filter_map(|clock| clock.now().ok())
            .map(Duration::from)
            .sum()
    }

    /// Stops all processes, until they are thawed.
    pub fn freeze(&self) {
        match &self.group {
            Some((group, _)) => group.freeze(),
            None => drop(process_tree::freeze(|| {
                process_tree::below(self.supervisor)
            })),
        }
    }

    /// Kills all processes.
    pub fn kill(&self) {
        process_tree::below(self.supervisor)
            .iter()
            .for_each(|stat| process_tree::send(Signal::SIGKILL, stat.pid));
    }

    /// True if nothing is left of them, and the supervisor is done.
    pub fn is_gone(&self) -> bool {
        process_tree::stat(self.supervisor).is_none_or(|stat| stat.ended)
    }

    /// What was found when it was ended for memory, if it was; waits while that is being done.
    pub fn reclaimed(&self) -> Option<Result<(), Excess>> {
        *lock(&self.reclaimed)
    }

    /// Lets all processes go on, but not while bots are ended for memory.
    pub fn thaw(&self) {
        let _done = lock(&self.reclaimed);
        match &self.group {
            Some((group, _)) => group.thaw(),
            None => {
                let all = process_tree::below(self.supervisor);
                all.iter()
                    .for_each(|stat| process_tree::send(Signal::SIGCONT, stat.pid));
            }
        }
    }
}

/// The clock of the CPU time of a process.
fn clock(pid: u32) -> Option<ClockId> {
    #[cfg(target_os = "linux")]
    return ClockId::pid_cpu_clock_id(process_tree::id(pid)).ok();
    #[cfg(not(target_os = "linux"))]
    return Some(pid).and(None);
}

/// The thread of that id, if there is one: its state first, so that what it waits for after that is seen as its waiting.
fn thread(id: u32) -> Option<Thread> {
    let state = process_tree::stat(id)?.state;
    let usage = fs::read_to_string(format!("/proc/{id}/schedstat")).ok()?;
    let mut fields = usage
        .split_whitespace()
        .map(|field| field.parse().ok().map(Duration::from_nanos));
    Some(Thread {
        id,
        state,
        usage: Usage {
            computed: fields.next()??,
            waited: fields.next()??,
        },
    })
}
