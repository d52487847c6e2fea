//! Control groups: under cgroup v2, the process tree of each bot runs in its own group. The group measures the CPU time of all its
//! processes, and can kill them at once. With the kernel's memory controller, it also enforces the memory limit.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use arena_tournament::spec::Limits;
use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::process_tree::field;

/// Prefix of the groups of all runs, followed by the arena's process id.
const GROUP_PREFIX: &str = "coda-arena-";
/// Subgroup for the arena itself, because a group with processes may not have child groups with controllers.
const ARENA_GROUP: &str = "arena";
/// Controllers that are used where they are available.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];
/// File of the memory limit.
const MEMORY_LIMIT: &str = "memory.max";
/// The text that a process writes to enter a group itself.
const MYSELF: &str = "0";

/// The group of this run, which is the parent of its bots' groups.
#[derive(Debug)]
pub struct Cgroups {
    path: PathBuf,
    made: AtomicU32,
    /// True if the groups enforce memory limits.
    enforces_memory: bool,
}

/// The group of one process tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cgroup {
    path: PathBuf,
}

impl Cgroups {
    /// Creates a group within the arena's own group. The error is the reason why that is impossible.
    pub fn new() -> Result<Self, String> {
        let base = own_group()?;
        let path = make_in(&base)?;
        disable_pressure(&path);
        for name in CONTROLLERS {
            let _ = delegate(&base, &path, name);
        }
        let mut groups = Self {
            path,
            made: AtomicU32::new(0),
            enforces_memory: false,
        };
        let trial = groups
            .make(&Limits::default())
            .map_err(|error| error.to_string())?;
        let counted = trial.cpu_time();
        groups.enforces_memory = trial.set(MEMORY_LIMIT, &memory(&Limits::default())).is_ok();
        trial.remove();
        if counted.is_none() {
            return Err("the kernel's control groups do not count processor time".into());
        }
        Ok(groups)
    }

    /// Describes what the groups are used for.
    pub fn describe(&self) -> &'static str {
        if self.enforces_memory {
            "count the processor time and limit the memory of"
        } else {
            "count the processor time of"
        }
    }

    /// Fails with the reason if the groups do not enforce memory limits.
    pub fn check_held(groups: &Result<Self, String>) -> Result<(), String> {
        if groups.as_ref().map_err(Clone::clone)?.enforces_memory {
            Ok(())
        } else {
            Err("the kernel's control groups do not limit memory here".into())
        }
    }

    /// Creates a group for a process tree. The caller must remove the group after the last process has ended.
    pub fn make(&self, limits: &Limits) -> io::Result<Cgroup> {
        let number = self.made.fetch_add(1, Ordering::Relaxed).to_string();
        let group = Cgroup {
            path: self.path.join(&number),
        };
        fs::create_dir(&group.path)?;
        disable_pressure(&group.path);
        if group.set(MEMORY_LIMIT, &memory(limits)).is_err() && self.enforces_memory {
            return Err(io::Error::other(
                "the kernel does not accept its memory limit",
            ));
        }
        for (file, value) in [
            ("memory.swap.max", "0"),
            ("memory.oom.group", "1"),
            ("pids.max", &limits.threads().to_string()),
        ] {
            let _ = group.set(file, value);
        }
        Ok(group)
    }
}

impl Drop for Cgroups {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.path);
    }
}

impl Cgroup {
    /// Moves this process, and thus all its future children, into the group.
    pub fn enter(&self) -> io::Result<()> {
        self.set("cgroup.procs", MYSELF)
    }

    /// Returns the CPU time of all processes of the group, including exited ones.
    pub fn cpu_time(&self) -> Option<Duration> {
        let text = fs::read_to_string(self.path.join("cpu.stat")).ok()?;
        field(&text, "usage_usec ").map(Duration::from_micros)
    }

    /// Returns the ids of all threads in the group.
    pub fn threads(&self) -> Vec<u32> {
        let ids = fs::read_to_string(self.path.join("cgroup.threads")).unwrap_or_default();
        ids.lines().filter_map(|id| id.parse().ok()).collect()
    }

    /// Returns `true` if the kernel killed a process because the group exceeded its memory limit. The counter also includes kills for other
    /// limits.
    pub fn is_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.path.join("memory.events")).unwrap_or_default();
        let counts = |name: &str| field(&events, name).is_some_and(|count| count > 0);
        counts("oom ") && counts("oom_kill ")
    }

    /// Kills all processes of the group.
    pub fn kill(&self) {
        let _ = self.set("cgroup.kill", "1");
    }

    /// Removes the group if it is empty.
    pub fn remove(&self) {
        let _ = fs::remove_dir(&self.path);
    }

    fn set(&self, file: &str, value: &str) -> io::Result<()> {
        let mut file = File::options().write(true).open(self.path.join(file))?;
        file.write_all(value.as_bytes())
    }
}

/// Returns the memory limit in bytes, in the form that the kernel reads.
fn memory(limits: &Limits) -> String {
    limits.memory_mb.saturating_mul(1 << 20).to_string()
}

/// Returns the memory that processes can use here, in MiB: the machine's memory, or the lowest limit of the arena's control group and its
/// parents.
pub fn memory_mb() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let machine = field(&machine, "MemTotal:").map(|kib| kib << 10);
    let group = own_group().ok();
    let above = group.iter().flat_map(|group| group.ancestors());
    let files = above.map(|path| path.join(MEMORY_LIMIT));
    let limits = files.filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok());
    machine.into_iter().chain(limits).min().unwrap_or(u64::MAX) >> 20
}

/// Disables pressure stall information, which costs time at every context switch.
fn disable_pressure(path: &Path) {
    let _ = fs::write(path.join("cgroup.pressure"), "0");
}

/// Returns the folder of this process's group.
fn own_group() -> Result<PathBuf, String> {
    let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let mounts = read("/proc/self/mountinfo")?;
    let mut mounts = mounts
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>());
    let mount = mounts.find(|mount| matches!(mount[..], [.., "cgroup2", _, _]));
    let Some([_, _, _, root, place, ..]) = mount.as_deref() else {
        return Err("no control groups of version 2 are mounted".into());
    };
    let groups = read("/proc/self/cgroup")?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"));
    let group = Path::new(group.ok_or("this process is in no control group of version 2")?);
    let within = group
        .strip_prefix(root)
        .or_else(|_| group.strip_prefix("/"))
        .unwrap_or(group);
    Ok(Path::new(place).join(within))
}

/// Creates the group of this run, and removes groups of arenas that have ended.
fn make_in(base: &Path) -> Result<PathBuf, String> {
    let failed = |error: io::Error| format!("{} cannot be used: {error}", base.display());
    sweep(base);
    let path = base.join(format!("{GROUP_PREFIX}{}", std::process::id()));
    // Moving a process into a group requires write access to the parent group.
    File::options()
        .write(true)
        .open(base.join("cgroup.procs"))
        .map_err(failed)?;
    fs::create_dir(&path).map_err(failed)?;
    Ok(path)
}

/// Enables a controller in the groups of a run.
fn delegate(base: &Path, path: &Path, controller: &str) -> io::Result<()> {
    let enable = |path: &Path| {
        fs::write(
            path.join("cgroup.subtree_control"),
            format!("+{controller}"),
        )
    };
    if enable(base).is_err() {
        let arena = path.join(ARENA_GROUP);
        fs::create_dir_all(&arena)?;
        let moved = fs::write(arena.join("cgroup.procs"), MYSELF).and_then(|()| enable(base));
        if moved.is_err() {
            let _ = fs::write(base.join("cgroup.procs"), MYSELF);
            let _ = fs::remove_dir(&arena);
            return moved;
        }
    }
    enable(path)
}

/// Returns true if there is no process with this id, of any user.
fn has_ended(pid: i32) -> bool {
    kill(Pid::from_raw(pid), None) == Err(Errno::ESRCH)
}

/// Removes the empty groups of arenas that have ended.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let arena = name
            .to_str()
            .and_then(|name| name.strip_prefix(GROUP_PREFIX)?.parse().ok());
        if arena.is_some_and(has_ended) {
            for inner in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                let _ = fs::remove_dir(inner.path());
            }
            let _ = fs::remove_dir(entry.path());
        }
    }
}
