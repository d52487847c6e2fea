//! The cores of the machine, and keeping a thread on one of them.

use std::io;
use std::sync::OnceLock;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::{Pid, getpid};

/// The most jobs for each core. Even bots that only wait for others, such as over a network, gain nothing beyond that.
pub const MAX_JOBS: usize = 256;

/// The number of matches that run at the same time by default: one a core. Read once, before any thread stays on a core.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The cores that this process may use, whatever this thread may.
pub fn allowed() -> Vec<usize> {
    let allowed = sched_getaffinity(getpid()).unwrap_or_default();
    (0..CpuSet::count())
        .filter(|core| allowed.is_set(*core) == Ok(true))
        .collect()
}

/// Keeps this thread, and the processes that it starts, on a core if possible: waking a process on the same core is many times
/// cheaper than on another.
pub fn stay_on(core: usize) {
    let _ = bind(&[core]);
}

/// Binds this thread, and the processes that it starts, to some cores.
pub fn bind(cores: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    // A number that is too great is of no core here.
    cores.iter().for_each(|core| _ = set.set(*core));
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}
