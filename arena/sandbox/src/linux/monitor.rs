//! Checks whether the processes of a bot exceed their limits.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use arena_engine::fault::Excess;
use arena_tournament::spec::Limits;

use super::disk::Disk;
use crate::cgroup::{Cgroup, Held, Hoarder};
use crate::instructions::Instructions;
use crate::process_dir::ProcessDir;
use crate::process_tree::{self, Stat, field};

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
/// The most that a pipe holds, in bytes.
const PIPE: u64 = 64 << 10;
/// The file with the most that a socket holds in each direction unless it asks for more, in bytes; and what that is if none
/// can be read.
const SOCKET: (&str, u64) = ("/proc/sys/net/core/wmem_default", 212_992);

/// A list of a process's mappings so long, in bytes, counts as the most that mappings take of the kernel's memory, in bytes.
const MAPPINGS: (u64, u64) = (256 << 10, 13 << 20);

/// Checks processes from time to time.
pub struct Monitor {
    limits: Limits,
    group: Option<Cgroup>,
    held: Option<Held>,
    /// What a socket may hold, in bytes.
    socket: u64,
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
        let (limits, group, held) = (
            instructions.limits,
            instructions.group.clone(),
            instructions.held,
        );
        let socket = fs::read_to_string(SOCKET.0)
            .ok()
            .and_then(|size| size.trim().parse().ok());
        let built = instructions.cache.clone().filter(|_| instructions.is_build);
        let folders = [instructions.work(dir), dir.tmp(), dir.shm()]
            .into_iter()
            .chain(built);
        let disk = Disk::new(folders.collect(), limits.disk_mb);
        let (socket, next) = (
            2 * socket.unwrap_or(SOCKET.1),
            Instant::now() + PACE_AT_START,
        );
        Self {
            limits,
            group,
            held,
            socket,
            killed: killed_for_memory(),
            disk,
            peak: 0,
            next,
        }
    }

    /// That the kernel has ended some of it for using more memory than its group may, if it has.
    pub fn held_to_memory(&self) -> Option<Excess> {
        let hoarder = self.group.as_ref().and_then(Cgroup::out_of_memory);
        (hoarder == Some(Hoarder::Group)).then_some(Excess::Memory(self.limits.memory_mb))
    }

    /// True if the kernel may have ended it because others used up the memory.
    pub fn lost_to_memory_of_others(&self) -> bool {
        match self.held.and(self.group.as_ref()) {
            Some(group) => group.out_of_memory() == Some(Hoarder::Others),
            None => killed_for_memory() > self.killed,
        }
    }

    /// Checks everything below this process, and returns the limit that it exceeds.
    pub fn check(&mut self, is_found: impl FnOnce(&[Stat]) -> bool) -> Option<Excess> {
        let began = Instant::now();
        let tree = self.tree();
        let exceeded = self.exceeded(&tree);
        let pace = if is_found(&tree) {
            PACE.min(self.disk.pace()).max(PACE_AT_START)
        } else {
            PACE_AT_START
        };
        self.next = Instant::now() + pace.max((began.elapsed() * RATIO).min(LONGEST));
        exceeded
    }

    fn tree(&self) -> Vec<Stat> {
        let listed = process_tree::below_quickly(std::process::id());
        let Some(group) = &self.group else {
            return listed;
        };
        // A group does not list those that have ended.
        let ended = listed.into_iter().filter(|stat| stat.ended);
        group
            .processes()
            .into_iter()
            .filter_map(process_tree::stat)
            .chain(ended)
            .collect()
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
        let hidden = if self.held.is_some() {
            0
        } else {
            self.buffers(pids()) + pids().map(mappings).sum::<u64>()
        };
        let mut used = hidden + alive().map(|stat| memory(stat, resident)).sum::<u64>();
        if used > most {
            // Pages that several processes share were counted for each of them; now their parts are.
            used = hidden + alive().map(|stat| memory(stat, share)).sum::<u64>();
        }
        self.peak = self.peak.max(used);
        if used > most {
            return Some(Excess::Memory(memory_mb));
        }
        self.held_to_memory().or_else(|| self.disk.exceeded(pids()))
    }

    /// The most that the open pipes and sockets of processes can hold, in bytes. A process that does not show what it has open
    /// is taken to have as many sockets as it may.
    fn buffers(&self, processes: impl Iterator<Item = u32>) -> u64 {
        let (mut open, mut hidden) = (BTreeSet::<PathBuf>::new(), 0);
        for process in processes {
            match fs::read_dir(format!("/proc/{process}/fd")) {
                Ok(entries) => open.extend(
                    entries
                        .flatten()
                        .filter_map(|entry| fs::read_link(entry.path()).ok()),
                ),
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    hidden += self.limits.open_files;
                }
                Err(_) => {}
            }
        }
        let count = |kind| {
            open.iter()
                .filter(|path| path.to_string_lossy().starts_with(kind))
                .count() as u64
        };
        (count("socket:") + hidden) * self.socket + count("pipe:") * PIPE
    }
}

/// The memory that the kernel needs for a process's mappings, in bytes, if they are many.
fn mappings(pid: u32) -> u64 {
    let list = File::open(format!("/proc/{pid}/maps"))
        .map(|list| io::copy(&mut list.take(MAPPINGS.0), &mut io::sink()));
    if matches!(list, Ok(Ok(length)) if length == MAPPINGS.0) {
        MAPPINGS.1
    } else {
        0
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
    let status = |path: String| {
        fs::read_to_string(path)
            .ok()
            .filter(|text| text.contains("VmRSS:"))
    };
    let tasks = || {
        fs::read_dir(format!("/proc/{}/task", stat.pid))
            .into_iter()
            .flatten()
            .flatten()
    };
    let status = status(format!("/proc/{}/status", stat.pid)).or_else(|| {
        tasks().find_map(|task| status(task.path().join("status").display().to_string()))
    });
    let Some(status) = status else { return 0 };
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
