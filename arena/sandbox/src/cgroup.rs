//! Control groups (version 2): where they are available, each process tree of a bot runs in a group. The group knows the CPU time
//! of all its processes, freezes and kills them at once, and limits their memory where the kernel lets it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use arena_tournament::spec::Limits;
use serde::{Deserialize, Serialize};

/// The prefix of the groups of all runs, before the arena's process id.
const NAME: &str = "coda-arena-";
/// The subgroup that the arena itself moves to, where a group with processes may not have groups below it.
const ARENA: &str = "arena";
/// The controllers that are used if available.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];
/// What a process writes to enter a group.
const MYSELF: &str = "0";

/// The group of this run, which holds those of its bots.
#[derive(Debug)]
pub struct Cgroups {
    path: PathBuf,
    made: AtomicU32,
    limits_memory: bool,
}

/// The group of one process tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cgroup {
    path: PathBuf,
}

impl Cgroups {
    /// Makes a group within that of the arena, or says why it cannot.
    pub fn new() -> Result<Self, String> {
        let base = own_group()?;
        sweep(&base);
        let path = base.join(format!("{NAME}{}", std::process::id()));
        // Moving a process into a group needs the right to move it out of the one above.
        File::options().write(true).open(base.join("cgroup.procs")).map_err(|error| failed(&base, &error))?;
        fs::create_dir(&path).map_err(|error| failed(&base, &error))?;
        disable_pressure(&path);
        let limits_memory = delegate(&base, &path).is_ok();
        let groups = Self { path, made: AtomicU32::new(0), limits_memory };
        let counted = Cgroup { path: groups.path.clone() }.open_usage().ok().and_then(|usage| usage.read());
        if counted.is_none() || !groups.path.join("cgroup.freeze").exists() {
            return Err("the kernel's control groups neither count nor freeze".into());
        }
        Ok(groups)
    }

    /// What they do.
    pub fn describe(&self) -> &'static str {
        if self.limits_memory { "count, freeze and limit the memory of" } else { "count and freeze" }
    }

    /// The group for a process tree; to be removed with the last process in it.
    pub fn make(&self, limits: &Limits) -> io::Result<Cgroup> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let group = Cgroup { path: self.path.join(number.to_string()) };
        fs::create_dir(&group.path)?;
        disable_pressure(&group.path);
        if self.limits_memory {
            // Limits that the kernel does not take are still checked by the supervisor.
            let _ = group.set("memory.max", &limits.memory_mb.saturating_mul(1 << 20).to_string());
            let _ = group.set("memory.swap.max", "0");
            let _ = group.set("memory.oom.group", "1");
            let _ = group.set("pids.max", &limits.threads().to_string());
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
    /// Moves this process into the group, and so all that it starts from now on.
    pub fn enter(&self) -> io::Result<()> {
        self.set("cgroup.procs", MYSELF)
    }

    /// Opens the file with the CPU time of its processes.
    pub fn open_usage(&self) -> io::Result<Usage> {
        File::open(self.path.join("cpu.stat")).map(Usage)
    }

    /// The ids of all threads in it.
    pub fn threads(&self) -> Vec<u32> {
        self.list("cgroup.threads")
    }

    /// The ids of all processes in it.
    pub fn processes(&self) -> Vec<u32> {
        self.list("cgroup.procs")
    }

    fn list(&self, file: &str) -> Vec<u32> {
        let ids = fs::read_to_string(self.path.join(file)).unwrap_or_default();
        ids.lines().filter_map(|id| id.parse().ok()).collect()
    }

    /// Stops all its processes.
    pub fn freeze(&self) {
        let _ = self.set("cgroup.freeze", "1");
    }

    /// Lets them go on.
    pub fn thaw(&self) {
        let _ = self.set("cgroup.freeze", "0");
    }

    /// True if the kernel has ended something in it that used too much memory.
    pub fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.path.join("memory.events")).unwrap_or_default();
        events.lines().any(|line| line.strip_prefix("oom_kill ").is_some_and(|count| count != "0"))
    }

    /// Kills all its processes.
    pub fn kill(&self) {
        let _ = self.set("cgroup.kill", "1");
    }

    /// Removes it, if it is empty.
    pub fn remove(&self) {
        let _ = fs::remove_dir(&self.path);
    }

    fn set(&self, file: &str, value: &str) -> io::Result<()> {
        fs::write(self.path.join(file), value)
    }
}

/// An open `cpu.stat`.
#[derive(Debug)]
pub struct Usage(File);

impl Usage {
    /// The CPU time of all processes of the group, including those that have ended.
    pub fn read(&self) -> Option<Duration> {
        let mut text = [0; 64];
        let count = self.0.read_at(&mut text, 0).ok()?;
        let first = text[..count].strip_prefix(b"usage_usec ")?.split(|byte| *byte == b'\n').next()?;
        std::str::from_utf8(first).ok()?.parse().ok().map(Duration::from_micros)
    }
}

fn failed(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be used: {error}", path.display())
}

/// Turns off the kernel's pressure figures, which cost time at every context switch.
fn disable_pressure(path: &Path) {
    let _ = fs::write(path.join("cgroup.pressure"), "0");
}

/// The folder of the group that this process is in.
fn own_group() -> Result<PathBuf, String> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mount = mounts.lines().find(|line| line.contains(" - cgroup2 ")).and_then(|line| line.split(' ').nth(4));
    let mount = mount.ok_or("no control groups of version 2 are mounted")?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group =
        groups.lines().find_map(|line| line.strip_prefix("0::/")).ok_or("this process is in no control group")?;
    Ok(Path::new(mount).join(group))
}

/// Enables the controllers in the groups of a run.
fn delegate(base: &Path, path: &Path) -> io::Result<()> {
    let all: String = CONTROLLERS.map(|name| format!("+{name} ")).concat();
    let enable = |path: &Path| fs::write(path.join("cgroup.subtree_control"), &all);
    if enable(base).is_err() {
        let arena = path.join(ARENA);
        fs::create_dir(&arena)?;
        let moved = fs::write(arena.join("cgroup.procs"), MYSELF).and_then(|()| enable(base));
        if moved.is_err() {
            let _ = fs::write(base.join("cgroup.procs"), MYSELF);
            let _ = fs::remove_dir(&arena);
            return moved;
        }
    }
    enable(path)
}

/// Removes the empty groups of arenas that have ended.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let arena = name.to_str().and_then(|name| name.strip_prefix(NAME));
        if arena.is_some_and(|arena| !Path::new("/proc").join(arena).exists()) {
            for inner in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                let _ = fs::remove_dir(inner.path());
            }
            let _ = fs::remove_dir(entry.path());
        }
    }
}
