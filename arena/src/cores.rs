//! The cores of the machine, and keeping a thread on one of them.

use std::sync::RwLock;
use std::thread;

/// The stack of a thread that does nothing.
const STACK: usize = 64 << 10;

/// The number of matches that run at the same time by default: one a core.
pub fn count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How many of so many threads the system starts at the same time.
pub fn startable(threads: usize) -> usize {
    let gate = RwLock::new(());
    let closed = gate.write();
    thread::scope(|scope| {
        let start = || thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || drop(gate.read()));
        let started = (0..threads).take_while(|_| start().is_ok()).count();
        drop(closed);
        started
    })
}

/// The cores that this process may use, whatever this thread may.
pub fn allowed() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    {
        use nix::sched::{CpuSet, sched_getaffinity};
        use nix::unistd::getpid;
        let allowed = sched_getaffinity(getpid()).unwrap_or_default();
        (0..CpuSet::count()).filter(|core| allowed.is_set(*core) == Ok(true)).collect()
    }
    #[cfg(not(target_os = "linux"))]
    (0..count()).collect()
}

/// Keeps this thread, and the processes that it starts, on one of the cores that this process may use: waking a process on
/// the same core is many times cheaper than on another. Where that cannot be had, things go on without.
pub fn stay_on(number: usize) {
    let cores = allowed();
    if !cores.is_empty() {
        let _ = bind(&[cores[number % cores.len()]]);
    }
}

/// Binds this thread, and the processes that it starts, to some cores.
#[cfg(target_os = "linux")]
pub fn bind(cores: &[usize]) -> std::io::Result<()> {
    use nix::sched::{CpuSet, sched_setaffinity};
    let mut set = CpuSet::new();
    // A number that is too great is of no core here.
    cores.iter().for_each(|core| _ = set.set(*core));
    Ok(sched_setaffinity(nix::unistd::Pid::from_raw(0), &set)?)
}

/// That cannot be had here.
#[cfg(not(target_os = "linux"))]
fn bind(_: &[usize]) -> std::io::Result<()> {
    Ok(())
}
