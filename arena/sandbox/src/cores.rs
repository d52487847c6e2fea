//! CPU cores of the machine, and pinning of threads.

use std::io;
use std::sync::OnceLock;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::{Pid, getpid};

/// Maximum number of jobs per core: more does not help even bots that only wait, such as for a network.
pub const MAX_JOBS: usize = 256;

/// Returns the default number of concurrent matches: one per core. It is computed once, before any thread is pinned.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Returns the cores that this process may use, regardless of the affinity of this thread.
pub fn allowed() -> Vec<usize> {
    let allowed = sched_getaffinity(getpid()).unwrap_or_default();
    (0..CpuSet::count())
        .filter(|core| allowed.is_set(*core) == Ok(true))
        .collect()
}

/// Pins this thread, and the processes that it starts, to a core if possible. Waking a process on the same core is many times cheaper.
pub fn stay_on(core: usize) {
    let _ = bind(&[core]);
}

/// Restricts this thread, and the processes that it starts, to some cores.
pub fn bind(cores: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    // A number that is out of range does not belong to a core of this machine.
    cores.iter().for_each(|core| _ = set.set(*core));
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}
