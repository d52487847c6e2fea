//! The cores of the machine, and keeping a thread on one of them.

/// How many matches run at the same time unless told otherwise: one a core.
pub fn count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The cores that this process may use, whatever this thread may.
pub fn allowed() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::getpid;
        use rustix::thread::{CpuSet, sched_getaffinity};
        let allowed = sched_getaffinity(Some(getpid())).unwrap_or_else(|_| CpuSet::new());
        (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).collect()
    }
    #[cfg(not(target_os = "linux"))]
    (0..count()).collect()
}

/// Keeps this thread, and the processes that it starts, on one of the cores that this process may use: waking a process on
/// the same core is many times cheaper than on another. Where that cannot be had, things go on without.
pub fn stay_on(number: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_setaffinity};
        let cores = allowed();
        if cores.is_empty() {
            return;
        }
        let mut one = CpuSet::new();
        one.set(cores[number % cores.len()]);
        let _ = sched_setaffinity(None, &one);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = number;
}
