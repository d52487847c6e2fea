//! Checks whether a bot's processes exceed their limits.

use std::fs;
use std::time::{Duration, Instant};

use arena_protocol::fault::Excess;
use arena_tournament::spec::Limits;

use super::disk::Disk;
use crate::cgroup::Cgroup;
use crate::instructions::Instructions;
use crate::process_dir::ProcessDir;
use crate::process_tree::{self, Stat, field, numbers};

/// Interval between checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Minimum ratio of the interval to the duration of a check, because checks take CPU time from bots.
const MIN_CHECK_RATIO: u32 = 50;
/// Maximum interval between checks, even with many threads.
const MAX_CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Interval between checks until the bot's own process has been found.
const START_INTERVAL: Duration = Duration::from_millis(5);
/// Kernel memory per thread, in KiB.
const STACK_KIB: u64 = 16;

/// Periodic checks of a bot's processes.
pub struct Monitor {
    limits: Limits,
    group: Option<Cgroup>,
    /// Number of processes around the bot, parents first, whose memory does not count as the bot's.
    around: usize,
    /// Number of out-of-memory kills on this machine when the bot started.
    killed: u64,
    /// Disk usage.
    pub disk: Disk,
    /// Peak memory use found so far, in bytes.
    pub peak: u64,
    /// Time of the next check.
    pub next: Instant,
}

impl Monitor {
    /// Creates a monitor of the descendants of this process.
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
            around: instructions.backend.around(),
            killed: killed_for_memory(),
            disk,
            peak: 0,
            next: Instant::now() + START_INTERVAL,
        }
    }

    /// Returns the memory limit if the kernel has killed one of the bot's processes for exceeding it.
    pub fn held_to_memory(&self) -> Option<Excess> {
        self.group
            .as_ref()
            .filter(|group| group.is_out_of_memory())
            .map(|_| Excess::Memory(self.limits.memory_mb))
    }

    /// Returns true if the kernel may have killed the bot because other programs used up the memory.
    pub fn lost_to_memory_of_others(&self) -> bool {
        killed_for_memory() > self.killed && self.held_to_memory().is_none()
    }

    /// Checks all descendants of this process, and returns the limit that they exceed, if any.
    pub fn check(&mut self, is_found: impl FnOnce(&[Stat]) -> bool) -> Option<Excess> {
        let began = Instant::now();
        let tree = process_tree::below_quickly(std::process::id());
        let exceeded = self.exceeded(&tree);
        let pace = if is_found(&tree) {
            CHECK_INTERVAL.min(self.disk.pace()).max(START_INTERVAL)
        } else {
            START_INTERVAL
        };
        self.next =
            Instant::now() + pace.max((began.elapsed() * MIN_CHECK_RATIO).min(MAX_CHECK_INTERVAL));
        exceeded
    }

    fn exceeded(&mut self, tree: &[Stat]) -> Option<Excess> {
        let Limits {
            memory_mb,
            processes,
            ..
        } = self.limits;
        let alive = || tree.iter().filter(|stat| !stat.ended);
        // Count zombies until they are reaped. Children of this process do not count, because this process reaps them soon.
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
        let own = || tree.iter().skip(self.around).filter(|stat| !stat.ended);
        let mut used = own().map(|stat| memory(stat, resident)).sum::<u64>();
        if used > most {
            // Shared pages were counted once per process, so count them again in proportion.
            used = own().map(|stat| memory(stat, share)).sum::<u64>();
        }
        self.peak = self.peak.max(used);
        if used > most {
            return Some(Excess::Memory(memory_mb));
        }
        self.held_to_memory().or_else(|| self.disk.exceeded(pids()))
    }
}

/// Returns the number of out-of-memory kills on this machine.
fn killed_for_memory() -> u64 {
    field(
        &fs::read_to_string("/proc/vmstat").unwrap_or_default(),
        "oom_kill ",
    )
    .unwrap_or(0)
}

/// Returns the memory of a process, including kernel memory, in bytes. After the exit of its first thread, only other threads report the
/// memory.
fn memory(stat: &Stat, pages: impl Fn(u32, &str) -> Option<u64>) -> u64 {
    let tasks = numbers(&format!("/proc/{}/task", stat.pid)).into_iter();
    let mut statuses =
        tasks.filter_map(|task| fs::read_to_string(format!("/proc/{task}/status")).ok());
    let Some(status) = statuses.find(|status| status.contains("VmRSS:")) else {
        return 0;
    };
    let tables = field(&status, "VmPTE:").unwrap_or(0);
    (pages(stat.pid, &status).unwrap_or(0) + tables + stat.threads * STACK_KIB) << 10
}

/// Returns the resident and swapped memory of a process, in KiB.
fn resident(_: u32, status: &str) -> Option<u64> {
    Some(field(status, "VmRSS:")? + field(status, "VmSwap:").unwrap_or(0))
}

/// Returns the memory of a process in KiB, with shared pages counted in proportion.
fn share(pid: u32, status: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let (share, swapped) = (field(&text, "Pss:"), field(&text, "SwapPss:").unwrap_or(0));
    share
        .map(|share| share + swapped)
        .or_else(|| resident(pid, status))
}
