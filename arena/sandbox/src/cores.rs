//! The cores of the machine, and keeping a thread on one of them.

use std::sync::{OnceLock, RwLock};
use std::thread;
use std::time::Duration;

use arena_tournament::spec::{Local, Spec};

/// The most jobs for each core. Even bots that only wait for others, such as over a network, gain nothing beyond that.
const MOST_JOBS: usize = 256;
/// The stack of a thread that does nothing.
const STACK: usize = 64 << 10;

/// The unit of times in `/proc/stat`.
pub const TICK: Duration = Duration::from_millis(10);

/// The number of matches that run at the same time by default: one a core. Read once, before any thread stays on a core.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The warning that more jobs than cores make nothing faster, unless that was allowed; programs are refused before.
pub fn warning(spec: &Spec) -> Option<String> {
    let (Local { jobs, oversubscribe, .. }, cores) = (&spec.local, count());
    (*jobs > cores && !oversubscribe).then(|| {
        format!("warning: {jobs} jobs on {cores} cores are no faster than {cores} jobs; results stay the same, since all bots are built in")
    })
}

/// The reason why no machine with these cores runs so many jobs, if that is so.
pub fn too_many(jobs: usize) -> Option<String> {
    let (cores, most) = (count(), count() * MOST_JOBS);
    (jobs > most).then(|| {
        format!(
            "{jobs} jobs are too many for {cores} cores and could make the machine unusable: use {cores}, or at most {most} \
             with --oversubscribe"
        )
    })
}

/// The number of these threads that the system starts at the same time.
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

/// Keeps this thread, and the processes that it starts, on a core if possible: waking a process on the same core is many times
/// cheaper than on another.
pub fn stay_on(core: usize) {
    let _ = bind(&[core]);
}

/// The time for which these cores have had nothing to do, all together, to about 10 ms each. Not known where a quota lets all
/// of them rest together, or if the system does not tell (Linux: the fields `idle` and `iowait` of `/proc/stat`).
pub fn idle(cores: &[usize]) -> Option<Duration> {
    if count() < allowed().len() {
        return None;
    }
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let idle = |core: &usize| {
        let line = stat.lines().find_map(|line| line.strip_prefix(&format!("cpu{core} ")))?;
        let ticks = line.split_whitespace().skip(3).take(2).map(str::parse::<u32>).sum::<Result<u32, _>>().ok()?;
        Some(TICK * ticks)
    };
    cores.iter().map(idle).sum()
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

/// Not supported here.
#[cfg(not(target_os = "linux"))]
pub fn bind(_: &[usize]) -> std::io::Result<()> {
    Ok(())
}
