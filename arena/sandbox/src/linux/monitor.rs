//! Checks whether the processes of a bot exceed their limits.

use std::fs;
use std::time::{Duration, Instant};

use arena_protocol::fault::Excess;
use arena_tournament::spec::Limits;

use super::disk::Disk;
use crate::cgroup::Cgroup;
use crate::instructions::Instructions;
use crate::process_dir::ProcessDir;
use crate::process_tree::{self, Stat, field, numbers};

/// The time from one check to the next.
const PACE: Duration = Duration::from_millis(50);
/// The time between two checks is at least this many times that of a check, since checks take CPU time from bots.
const RATIO: u32 = 50;
/// The longest time from one check to the next, however many threads there are.
const LONGEST: Duration = Duration::from_millis(500);
/// The time from one check to the next at the start, until the bot's own process has been found.
const PACE_AT_START: Duration = Duration::from_millis(5);
/// The kernel memory of each thread, in KiB.
const STACK: u64 = 16;

/// Checks processes from time to time.
pub struct Monitor {
    limits: Limits,
    group: Option<Cgroup>,
    /// The number of processes that the kernel had killed for memory on this machine when it began.
    killed: u64,
    /// What it takes of the disk.
    pub disk: Disk,
    /// The most memory that was found in use, in bytes.
    pub peak: u64,
    /// When the next check is due.
    pub next: Instant,
}

impl Monitor {
    /// A monitor of the processes below this one.
    pub fn new(instructions: &Instructions, dir: &ProcessDir) -> Self {
        let limits = instructions.limits;
        let built = instructions.cache.clone().filter(|_| instructions.is_build);
        let folders = [instructions.stage.dir.clone(), dir.tmp(), dir.shm()]
            .into_iter()
            .chain(built);
        let disk = Disk::new(folders.collect(), limits.disk_mb);
        Self {
            limits,
            group: instructions.group.clone(),
            killed: killed_for_memory(),
            disk,
            peak: 0,
            next: Instant::now() + PACE_AT_START,
        }
    }

    /// The limit of memory, if the kernel has ended some of it for using more than its group may.
    pub fn held_to_memory(&self) -> Option<Excess> {
        self.group
            .as_ref()
            .filter(|group| group.is_out_of_memory())
            .map(|_| Excess::Memory(self.limits.memory_mb))
    }

    /// True if the kernel may have ended it because others used up the memory.
    pub fn lost_to_memory_of_others(&self) -> bool {
        killed_for_memory() > self.killed && self.held_to_memory().is_none()
    }

    /// Checks everything below this process, and returns the limit that it exceeds.
    pub fn check(&mut self, is_found: impl FnOnce(&[Stat]) -> bool) -> Option<Excess> {
        let began = Instant::now();
        let tree = process_tree::below_quickly(std::process::id());
        let exceeded = self.exceeded(&tree);
        let pace = if is_found(&tree) {
            PACE.min(self.disk.pace()).max(PACE_AT_START)
        } else {
            PACE_AT_START
        };
        self.next = Instant::now() + pace.max((began.elapsed() * RATIO).min(LONGEST));
        exceeded
    }

    fn exceeded(&mut self, tree: &[Stat]) -> Option<Excess> {
        let Limits {
            memory_mb,
            processes,
            ..
        } = self.limits;
        let alive = || tree.iter().filter(|stat| !stat.ended);
        // Those that have ended count until they are reaped: this process soon reaps its own.
        let me = std::process::id();
        let unreaped = tree.iter().filter(|stat| stat.ended && stat.parent != me);
        if (alive().count() + unreaped.count()) as u64 > processes {
            return Some(Excess::Processes(processes));
        }
        let threads = self.limits.threads();
        if alive().map(|stat| stat.threads).sum::<u64>() > threads {
            return Some(Excess::Threads(threads));
        }
        let most = memory_mb.saturating_mul(1 << 20);
        let pids = || alive().map(|stat| stat.pid);
        let mut used = alive().map(|stat| memory(stat, resident)).sum::<u64>();
        if used > most {
            // Pages that several processes share were counted for each of them; now their parts are.
            used = alive().map(|stat| memory(stat, share)).sum::<u64>();
        }
        self.peak = self.peak.max(used);
        if used > most {
            return Some(Excess::Memory(memory_mb));
        }
        self.held_to_memory().or_else(|| self.disk.exceeded(pids()))
    }
}

/// The number of processes that the kernel has killed for memory on this machine.
fn killed_for_memory() -> u64 {
    field(
        &fs::read_to_string("/proc/vmstat").unwrap_or_default(),
        "oom_kill ",
    )
    .unwrap_or(0)
}

/// The memory of a process with its kernel memory, in bytes. A process whose first thread has ended shows it at its
/// others only.
fn memory(stat: &Stat, pages: impl Fn(u32, &str) -> Option<u64>) -> u64 {
    let tasks = numbers(&format!("/proc/{}/task", stat.pid)).into_iter();
    let mut statuses =
        tasks.filter_map(|task| fs::read_to_string(format!("/proc/{task}/status")).ok());
    let Some(status) = statuses.find(|status| status.contains("VmRSS:")) else {
        return 0;
    };
    let tables = field(&status, "VmPTE:").unwrap_or(0);
    (pages(stat.pid, &status).unwrap_or(0) + tables + stat.threads * STACK) << 10
}

/// The memory of a process by its status, and what of it is swapped out, in KiB.
fn resident(_: u32, status: &str) -> Option<u64> {
    Some(field(status, "VmRSS:")? + field(status, "VmSwap:").unwrap_or(0))
}

/// The memory of a process, each page that others share counted in part, in KiB.
fn share(pid: u32, status: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let (share, swapped) = (field(&text, "Pss:"), field(&text, "SwapPss:").unwrap_or(0));
    share
        .map(|share| share + swapped)
        .or_else(|| resident(pid, status))
}
