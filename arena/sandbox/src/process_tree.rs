//! Processes and their descendants, read from `/proc`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A process, from `/proc/PID/stat`.
#[derive(Clone, Copy, Debug)]
pub struct Stat {
    /// Process id.
    pub pid: u32,
    /// Id of the parent process.
    pub parent: u32,
    /// Session id.
    pub session: u32,
    /// True if the first thread of the process is running or waiting for a core.
    pub is_runnable: bool,
    /// Number of threads.
    pub threads: u64,
    /// True if the process has exited but has not been reaped.
    pub ended: bool,
}

/// Maximum number of rounds in which processes are stopped while new ones are being started.
const MAX_ROUNDS: u32 = 100;

/// Returns the numeric entries of a folder in `/proc`: processes, threads or open files.
pub fn numbers(folder: &str) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect()
}

/// Returns the process or thread with this id, if it exists.
pub fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything.
    let end = text.iter().rposition(|byte| *byte == b')')?;
    let fields: Vec<&str> = std::str::from_utf8(text.get(end + 1..)?)
        .ok()?
        .split_ascii_whitespace()
        .collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
    let id = |at: usize| number(at).and_then(|id| u32::try_from(id).ok());
    let threads = number(17)?;
    let state = *fields.first()?;
    Some(Stat {
        pid,
        parent: id(1)?,
        session: id(3)?,
        is_runnable: state == "R",
        threads,
        // A process whose first thread has exited looks like a process that has exited entirely.
        ended: matches!(state, "Z" | "X") && threads < 2,
    })
}

/// Returns the number after a name in a file of `/proc`.
pub fn field(text: &str, name: &str) -> Option<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix(name))?
        .split_ascii_whitespace()
        .next()?
        .parse()
        .ok()
}

/// Returns all descendants of a process, parents first.
pub fn below(root: u32) -> Vec<Stat> {
    let mut children: BTreeMap<u32, Vec<Stat>> = BTreeMap::new();
    for stat in numbers("/proc").into_iter().filter_map(stat) {
        children.entry(stat.parent).or_default().push(stat);
    }
    let first = children.remove(&root).unwrap_or_default();
    descend(first, |parent| children.remove(&parent).unwrap_or_default())
}

/// Returns processes with all their descendants.
fn descend(mut found: Vec<Stat>, mut children: impl FnMut(u32) -> Vec<Stat>) -> Vec<Stat> {
    let mut at = 0;
    while at < found.len() {
        found.extend(children(found[at].pid));
        at += 1;
    }
    found
}

fn children(pid: u32) -> Option<Vec<Stat>> {
    let mut found = Vec::new();
    for task in numbers(&format!("/proc/{pid}/task")) {
        let list = fs::read_to_string(format!("/proc/{pid}/task/{task}/children")).ok()?;
        found.extend(
            list.split_ascii_whitespace()
                .filter_map(|id| id.parse().ok().and_then(stat)),
        );
    }
    Some(found)
}

/// Returns all descendants of a process. On kernels that keep lists of children this is cheap, but may miss processes that start or lose
/// their parent meanwhile.
pub fn below_quickly(root: u32) -> Vec<Stat> {
    let Some(first) = children(root) else {
        return below(root);
    };
    descend(first, |parent| children(parent).unwrap_or_default())
}

/// Returns the threads of all descendants of a process.
pub fn threads_below(root: u32) -> Vec<u32> {
    below_quickly(root)
        .iter()
        .flat_map(|stat| numbers(&format!("/proc/{}/task", stat.pid)))
        .collect()
}

/// Sends a signal to a process. Ignores the error if the process is gone.
pub fn send(signal: Signal, pid: u32) {
    let _ = kill(id(pid), signal);
}

/// Converts a process id for system calls.
pub fn id(pid: u32) -> Pid {
    Pid::from_raw(pid.cast_signed())
}

/// Kills all descendants of a process, and returns their last state. Stops all of them first, until no new ones appear, so that none can
/// start others while they are being killed.
pub fn kill_below(root: u32) -> Vec<Stat> {
    let mut stopped = BTreeSet::new();
    let mut found = Vec::new();
    for _ in 0..MAX_ROUNDS {
        found = below(root);
        let alive = found.iter().filter(|stat| !stat.ended);
        let new: Vec<u32> = alive
            .map(|stat| stat.pid)
            .filter(|pid| stopped.insert(*pid))
            .collect();
        if new.is_empty() {
            break;
        }
        new.iter().for_each(|pid| send(Signal::SIGSTOP, *pid));
    }
    stopped.iter().for_each(|pid| send(Signal::SIGKILL, *pid));
    found
}
