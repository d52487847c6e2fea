//! The cores of the machine, and keeping a thread on one of them.

use std::sync::{OnceLock, RwLock};
use std::thread;

use arena_tournament::spec::Spec;

use crate::platform::{self, Lock};

/// The most jobs for each core. Even bots that only wait for others, such as over a network, gain nothing beyond that.
const MOST_JOBS: usize = 256;
/// The stack of a thread that does nothing.
const STACK: usize = 64 << 10;

/// The number of matches that run at the same time by default: one a core. Read once, before any thread stays on a core.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The warning that more jobs than cores make nothing faster, unless that was allowed; programs are refused before.
pub fn warning(spec: &Spec) -> Option<String> {
    let jobs = spec.local.jobs;
    let cores = count();
    (jobs > cores && !spec.local.oversubscribe).then(|| {
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
        let start = || {
            thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, || drop(gate.read()))
        };
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
        (0..CpuSet::count())
            .filter(|core| allowed.is_set(*core) == Ok(true))
            .collect()
    }
    #[cfg(not(target_os = "linux"))]
    (0..count()).collect()
}

/// Cores that are locked, so that other arenas of this machine pin their jobs to others, as long as this is held.
#[derive(Debug)]
pub struct CoreLocks {
    /// Their numbers.
    pub cores: Vec<usize>,
    _locks: Vec<Lock>,
}

/// Locks some of the cores that this process may use: those that the fewest jobs are pinned to.
pub fn lock(most: usize) -> CoreLocks {
    let (cores, _locks) = spread(&allowed(), most, platform::hold).unzip();
    CoreLocks { cores, _locks }
}

/// Each core once before any comes a second time, except for what others hold already.
fn spread<L>(
    cores: &[usize],
    most: usize,
    hold: impl Fn(&str) -> Option<L>,
) -> impl Iterator<Item = (usize, L)> {
    let places = (0..MOST_JOBS).flat_map(|round| cores.iter().map(move |core| (round, *core)));
    places
        .filter_map(move |(round, core)| Some((core, hold(&format!("core-{core}-{round}"))?)))
        .take(most)
}

/// Restricts this process, which has a single thread, to the cores of a list such as `0-3,6`.
pub fn restrict(list: &str) -> Result<(), String> {
    let number = |text: &str| text.parse::<u16>().ok().map(usize::from);
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(number(first)?..=number(last)?)
    };
    let allowed = allowed();
    let chosen: Option<Vec<_>> = list.split(',').map(range).collect();
    let cores: Vec<usize> = chosen
        .ok_or("write numbers of cores, such as 2,3 or 0-3")?
        .into_iter()
        .flatten()
        .collect();
    let is_allowed = !cores.is_empty() && cores.iter().all(|core| allowed.contains(core));
    is_allowed
        .then_some(())
        .ok_or_else(|| format!("the arena may use only the cores {allowed:?}"))?;
    bind(&cores).map_err(|error| error.to_string())
}

/// Keeps this thread, and the processes that it starts, on a core if possible: waking a process on the same core is many times
/// cheaper than on another.
pub fn stay_on(core: usize) {
    let _ = bind(&[core]);
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn jobs_of_all_arenas_are_spread_over_the_cores() {
        let held = std::cell::RefCell::new(std::collections::BTreeSet::new());
        let take = |most| {
            let hold = |name: &str| held.borrow_mut().insert(name.to_owned()).then_some(());
            spread(&[2, 5, 7], most, hold)
                .map(|(core, ())| core)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            [take(1), take(1), take(3), take(2)],
            [vec![2], vec![5], vec![7, 2, 5], vec![7, 2]]
        );
        held.borrow_mut().remove("core-5-0");
        assert_eq!(take(2), [5, 5]);
    }

    #[test]
    fn only_cores_that_are_there_can_be_chosen() {
        let first = allowed()[0];
        for wrong in [
            "",
            "x",
            "1-",
            "3-2",
            "-1",
            "65535",
            "0-4294967296",
            &format!("{first},65535"),
        ] {
            assert!(restrict(wrong).is_err(), "{wrong}");
        }
        restrict(&format!("{first}-{first},{first}")).unwrap();
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        assert!(
            status.contains(&format!("Cpus_allowed_list:\t{first}\n")),
            "{status}"
        );
    }
}
