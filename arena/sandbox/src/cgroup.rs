//! Control groups: under cgroup v2, each bot's process tree runs in its own group. The group measures the CPU time of all its
//! processes, kills them at once, and enforces the memory limit where the kernel supports it, by itself or through a parallel
//! group of version 1.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use arena_tournament::spec::Limits;
use serde::{Deserialize, Serialize};

use crate::process_tree::field;

/// Prefix of the groups of all runs, followed by the arena's process id.
const GROUP_PREFIX: &str = "coda-arena-";
/// Subgroup that the arena moves into, since a group with processes may not have child groups with controllers.
const ARENA_GROUP: &str = "arena";
/// Controllers used if available.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];
/// Remaining bytes at which a version 1 group counts as full: less than the kernel allocates at once.
const SLACK_BYTES: u64 = 64 << 10;
/// Files of the memory limit in versions 2 and 1.
const MEMORY_LIMITS: [&str; 2] = ["memory.max", "memory.limit_in_bytes"];
/// Text that a process writes to enter a group.
const MYSELF: &str = "0";

/// Group of this run, parent of its bots' groups.
#[derive(Debug)]
pub struct Cgroups {
    path: PathBuf,
    /// Its counterparts in version 1.
    legacy: Vec<PathBuf>,
    made: AtomicU32,
    /// True if the groups enforce memory limits.
    is_held: bool,
}

/// Group of one process tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cgroup {
    path: PathBuf,
    /// Its counterparts in version 1.
    legacy: Vec<PathBuf>,
}

impl Cgroups {
    /// Creates a group within the arena's own, or returns the reason why that is impossible.
    pub fn new() -> Result<Self, String> {
        let base = own_group(None)?;
        let path = make_in(&base)?;
        disable_pressure(&path);
        let missing: Vec<&str> = CONTROLLERS
            .into_iter()
            .filter(|name| delegate(&base, &path, name).is_err())
            .collect();
        let legacy = missing
            .iter()
            .filter_map(|name| make_in(&own_group(Some(name)).ok()?).ok())
            .collect();
        let mut groups = Self {
            path,
            legacy,
            made: AtomicU32::new(0),
            is_held: false,
        };
        let trial = groups
            .make(&Limits::default())
            .map_err(|error| error.to_string())?;
        let counted = trial.cpu_time();
        groups.is_held = MEMORY_LIMITS.iter().any(|file| trial.find(file).is_some());
        trial.remove();
        if counted.is_none() {
            return Err("the kernel's control groups do not count processor time".into());
        }
        Ok(groups)
    }

    /// Describes the use of the groups.
    pub fn describe(&self) -> &'static str {
        if self.is_held {
            "count the processor time and limit the memory of"
        } else {
            "count the processor time of"
        }
    }

    /// Fails with the reason if the groups do not enforce memory limits.
    pub fn check_held(groups: &Result<Self, String>) -> Result<(), String> {
        if groups.as_ref().map_err(Clone::clone)?.is_held {
            Ok(())
        } else {
            Err("the kernel's control groups do not limit memory here".into())
        }
    }

    /// Creates a group for a process tree. The caller removes it with the last process.
    pub fn make(&self, limits: &Limits) -> io::Result<Cgroup> {
        let number = self.made.fetch_add(1, Ordering::Relaxed).to_string();
        let legacy = self.legacy.iter().map(|path| path.join(&number)).collect();
        let group = Cgroup {
            path: self.path.join(&number),
            legacy,
        };
        group.paths().try_for_each(fs::create_dir)?;
        disable_pressure(&group.path);
        let memory = limits.memory_mb.saturating_mul(1 << 20).to_string();
        // Each file exists in at most one of the groups.
        let taken = MEMORY_LIMITS.map(|file| group.set(file, &memory));
        if self.is_held && taken.iter().all(Result::is_err) {
            return Err(io::Error::other(
                "the kernel does not accept its memory limit",
            ));
        }
        for (file, value) in [
            ("memory.swap.max", "0"),
            ("memory.memsw.limit_in_bytes", &memory),
            ("memory.swappiness", "0"),
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
        for path in self.legacy.iter().chain([&self.path]) {
            let _ = fs::remove_dir(path);
        }
    }
}

impl Cgroup {
    /// Moves this process, and thus all its future children, into the group.
    pub fn enter(&self) -> io::Result<()> {
        self.paths()
            .try_for_each(|path| fs::write(path.join("cgroup.procs"), MYSELF))
    }

    fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.path].into_iter().chain(&self.legacy)
    }

    /// Returns the CPU time of all its processes, including exited ones.
    pub fn cpu_time(&self) -> Option<Duration> {
        let text = fs::read_to_string(self.path.join("cpu.stat")).ok()?;
        field(&text, "usage_usec ").map(Duration::from_micros)
    }

    /// Returns the ids of all its threads.
    pub fn threads(&self) -> Vec<u32> {
        let ids = fs::read_to_string(self.path.join("cgroup.threads")).unwrap_or_default();
        ids.lines().filter_map(|id| id.parse().ok()).collect()
    }

    /// Returns true if the kernel killed a process for exceeding the group's memory limit. The counter includes kills for any
    /// limit.
    pub fn is_out_of_memory(&self) -> bool {
        let read = |file: &str| {
            self.paths()
                .find_map(|path| fs::read_to_string(path.join(file)).ok())
        };
        let (events, legacy) = (read("memory.events"), read("memory.oom_control"));
        let counts = |name: &str| {
            let mut lines = [&events, &legacy]
                .into_iter()
                .flatten()
                .flat_map(|text| text.lines());
            lines.any(|line| line.strip_prefix(name).is_some_and(|count| count != "0"))
        };
        let bytes = |file: &str| read(file)?.trim().parse::<u64>().ok();
        let most = bytes("memory.max_usage_in_bytes").zip(bytes("memory.limit_in_bytes"));
        let is_full =
            counts("oom ") || most.is_some_and(|(most, limit)| most + SLACK_BYTES > limit);
        is_full && counts("oom_kill ")
    }

    /// Kills all its processes.
    pub fn kill(&self) {
        let _ = self.set("cgroup.kill", "1");
    }

    /// Removes it if it is empty.
    pub fn remove(&self) {
        self.paths().for_each(|path| _ = fs::remove_dir(path));
    }

    /// Returns the file of this name in the first of its groups that has one.
    fn find(&self, file: &str) -> Option<PathBuf> {
        self.paths()
            .map(|path| path.join(file))
            .find(|path| path.exists())
    }

    fn set(&self, file: &str, value: &str) -> io::Result<()> {
        fs::write(self.find(file).ok_or(io::ErrorKind::NotFound)?, value)
    }
}

/// Disables pressure stall information, which costs time at every context switch.
fn disable_pressure(path: &Path) {
    let _ = fs::write(path.join("cgroup.pressure"), "0");
}

/// Returns the folder of this process's group: in version 2, or for a controller of version 1.
fn own_group(controller: Option<&str>) -> Result<PathBuf, String> {
    let (kind, what) = match controller {
        Some(name) => ("cgroup", format!("for {name}")),
        None => ("cgroup2", "of version 2".to_owned()),
    };
    let is_named = |list: &str| list.split(',').any(|name| Some(name) == controller);
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut mounts = mounts
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>());
    let mount = mounts.find(|mount| match mount[..] {
        [.., is, _, options] => is == kind && (controller.is_none() || is_named(options)),
        _ => false,
    });
    let Some([_, _, _, root, place, ..]) = mount.as_deref() else {
        return Err(format!("no control groups {what} are mounted"));
    };
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut groups = groups
        .lines()
        .map(|line| line.splitn(3, ':').collect::<Vec<_>>());
    let group = groups.find_map(|group| match group[..] {
        [id, list, path] => (controller.map_or(id == "0", |_| is_named(list))).then_some(path),
        _ => None,
    });
    let group =
        Path::new(group.ok_or_else(|| format!("this process is in no control group {what}"))?);
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

/// Removes the empty groups of arenas that have ended.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let arena = name
            .to_str()
            .and_then(|name| name.strip_prefix(GROUP_PREFIX));
        if arena.is_some_and(|arena| !Path::new("/proc").join(arena).exists()) {
            for inner in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                let _ = fs::remove_dir(inner.path());
            }
            let _ = fs::remove_dir(entry.path());
        }
    }
}
