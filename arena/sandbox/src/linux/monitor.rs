//! Checks whether the processes of a bot exceed their limits.

use std::fs;
use std::time::{Duration, Instant};

use arena_engine::fault::Excess;
use arena_tournament::spec::Limits;

use super::disk::Disk;
use crate::cgroup::Cgroup;
use crate::instructions::Instructions;
use crate::process_dir::ProcessDir;
use crate::process_tree::{self, Stat};

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
    disk: Disk,
    /// The most memory that was found in use, in bytes.
    pub peak: u64,
    /// When the next check is due.
    pub next: Instant,
}

impl Monitor {
    /// A monitor of the processes below this one.
    pub fn new(instructions: &Instructions, dir: &ProcessDir) -> Self {
        let (limits, group) = (instructions.limits, instructions.group.clone());
        let disk = Disk::new(vec![instructions.work(dir), dir.tmp(), dir.shm()], limits.disk_mb);
        Self { limits, group, disk, peak: 0, next: Instant::now() + PACE_AT_START }
    }

    /// Checks everything below this process, and returns the limit that it exceeds.
    pub fn check(&mut self, is_found: impl FnOnce(&[Stat]) -> bool) -> Option<Excess> {
        let began = Instant::now();
        let tree = self.tree();
        let exceeded = self.exceeded(&tree);
        let pace = if is_found(&tree) { PACE.min(self.disk.pace()).max(PACE_AT_START) } else { PACE_AT_START };
        self.next = Instant::now() + pace.max((began.elapsed() * RATIO).min(LONGEST));
        exceeded
    }

    fn tree(&self) -> Vec<Stat> {
        if let Some(group) = &self.group {
            return group.processes().into_iter().filter_map(process_tree::stat).collect();
        }
        let me = std::process::id();
        process_tree::below_by_lists(me).unwrap_or_else(|| process_tree::below(me))
    }

    fn exceeded(&mut self, tree: &[Stat]) -> Option<Excess> {
        let Limits { memory_mb, processes, .. } = self.limits;
        let alive = || tree.iter().filter(|stat| !stat.ended);
        if alive().count() as u64 > processes {
            return Some(Excess::Processes(processes));
        }
        let threads = self.limits.threads();
        if alive().map(|stat| stat.threads).sum::<u64>() > threads {
            return Some(Excess::Threads(threads));
        }
        let mut used = alive().map(|stat| memory(stat, resident)).sum::<u64>();
        if used > memory_mb.saturating_mul(1 << 20) {
            // Pages that several processes share were counted for each of them; now their parts are.
            used = alive().map(|stat| memory(stat, share)).sum();
        }
        self.peak = self.peak.max(used);
        if used > memory_mb.saturating_mul(1 << 20) {
            return Some(Excess::Memory(memory_mb));
        }
        self.disk.exceeded(alive().map(|stat| stat.pid)).map(Excess::Disk)
    }
}

/// The memory of a process with its kernel memory, in bytes. A process whose first thread has ended shows it at its
/// others only.
fn memory(stat: &Stat, pages: impl Fn(u32, &str) -> Option<u64>) -> u64 {
    let status = |path: String| fs::read_to_string(path).ok().filter(|text| text.contains("VmRSS:"));
    let tasks = || fs::read_dir(format!("/proc/{}/task", stat.pid)).into_iter().flatten().flatten();
    let status = status(format!("/proc/{}/status", stat.pid))
        .or_else(|| tasks().find_map(|task| status(task.path().join("status").display().to_string())));
    let Some(status) = status else { return 0 };
    let tables = field(&status, "VmPTE:").unwrap_or(0);
    (pages(stat.pid, &status).unwrap_or(0) + tables + stat.threads * STACK) << 10
}

/// The memory of a process by its status, in KiB.
fn resident(_: u32, status: &str) -> Option<u64> {
    field(status, "VmRSS:")
}

/// The memory of a process, each page that others share counted in part, in KiB.
fn share(pid: u32, status: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    field(&text, "Pss:").or_else(|| resident(pid, status))
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_ascii_whitespace().next()?.parse().ok()
}
