//! Reaping the children of this process, and ending all processes below it.

use std::collections::BTreeSet;
use std::process::Child;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::wait::{Id, WaitPidFlag, waitid, waitpid};

use crate::process_tree::{Stat, id, kill_below};

/// The time that it may take until the last process is gone; only one that hangs in the kernel takes that long.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks for a child that has ended, and leaves it to be reaped.
const ENDED: WaitPidFlag = WaitPidFlag::WEXITED
    .union(WaitPidFlag::WNOHANG)
    .union(WaitPidFlag::WNOWAIT);

/// True if this process has children, reaped ones excepted.
fn has_children() -> bool {
    waitid(Id::All, ENDED) != Err(Errno::ECHILD)
}

/// Reaps those of the processes that have ended and are children of this one; `main`, which is one of them, keeps its status.
pub fn reap(main: &mut Child, processes: &[Stat]) {
    let _ = main.try_wait();
    for stat in processes.iter().filter(|stat| stat.pid != main.id()) {
        // Fails for those of other parents. Nobody needs to know how the others ended.
        let _ = waitpid(id(stat.pid), Some(WaitPidFlag::WNOHANG));
    }
}

/// Ends all processes below this one, which must be a subreaper, and reaps them; `main` is the one that it has started.
/// Returns those that it has killed.
pub fn end_all(main: &mut Child) -> BTreeSet<u32> {
    let began = Instant::now();
    let mut killed = BTreeSet::new();
    while has_children() && began.elapsed() < PATIENCE {
        let tree = kill_below(std::process::id());
        std::thread::sleep(Duration::from_micros(300));
        reap(main, &tree);
        killed.extend(tree.iter().filter(|stat| !stat.ended).map(|stat| stat.pid));
    }
    killed
}
