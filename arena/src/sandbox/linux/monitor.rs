//! Holds the processes of a bot to their limits.

use std::fs;
use std::time::{Duration, Instant};

use arena_engine::fault::Excess;
use nix::unistd::{SysconfVar, sysconf};

use super::process_tree::{self, Stat};
use arena_tournament::spec::Limits;

/// The time from one look to the next.
const PACE: Duration = Duration::from_millis(50);
/// The time between two looks is at least this many times that of a look, since looking takes computing time from bots.
const RESPITE: u32 = 50;
/// The time from one look to the next in the beginning, until the bot's own process has been found.
const HASTE: Duration = Duration::from_millis(5);
/// The most threads that a process may have on average.
const THREADS: u64 = 32;

/// The most threads that all processes may have together.
pub fn most_threads(limits: &Limits) -> u64 {
    limits.processes.saturating_mul(THREADS)
}

/// Looks at processes from time to time.
pub struct Monitor {
    limits: Limits,
    page: u64,
    peak: u64,
    next: Instant,
}

impl Monitor {
    /// Begins to look.
    pub fn new(limits: Limits) -> Self {
        let page = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().map_or(4_096, i64::unsigned_abs);
        Self { limits, page, peak: 0, next: Instant::now() + HASTE }
    }

    /// When to look next.
    pub fn next(&self) -> Instant {
        self.next
    }

    /// The most memory that was seen in use, in bytes.
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// Looks at everything below this process, and returns which limit it breaks.
    pub fn look(&mut self, is_found: impl FnOnce(&[Stat]) -> bool) -> Option<Excess> {
        let began = Instant::now();
        let me = std::process::id();
        let tree = process_tree::below_at_a_glance(me).unwrap_or_else(|| process_tree::below(me));
        let broken = self.judge(&tree);
        let pace = if is_found(&tree) { PACE } else { HASTE };
        self.next = Instant::now() + pace.max(began.elapsed() * RESPITE);
        broken
    }

    fn judge(&mut self, tree: &[Stat]) -> Option<Excess> {
        let Limits { memory_mb, processes, .. } = self.limits;
        let alive = || tree.iter().filter(|stat| !stat.ended);
        if alive().count() as u64 > processes {
            return Some(Excess::Processes(processes));
        }
        let threads = most_threads(&self.limits);
        if alive().map(|stat| stat.threads).sum::<u64>() > threads {
            return Some(Excess::Threads(threads));
        }
        let mut used = alive().map(|stat| stat.pages).sum::<u64>() * self.page;
        if used > memory_mb << 20 {
            // Pages that several processes share were counted for each of them; now their parts are.
            used = alive().map(|stat| share(stat.pid).unwrap_or(stat.pages * self.page)).sum();
        }
        self.peak = self.peak.max(used);
        (used > memory_mb << 20).then_some(Excess::Memory(memory_mb))
    }
}

/// The memory of a process, each page that others share counted in part, in bytes.
fn share(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.split_ascii_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
}
