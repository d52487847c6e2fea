//! Reaps children of this process, and ends all its descendants.

use std::collections::BTreeSet;
use std::process::Child;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::wait::{Id, WaitPidFlag, waitid, waitpid};

use crate::process_tree::{Stat, id, kill_below};

/// Timeout for the last process to end. Only a process that hangs in the kernel takes that long.
const REAP_TIMEOUT: Duration = Duration::from_secs(10);

/// Flags of a poll for a child that has exited, without reaping it.
const ENDED_CHILD: WaitPidFlag = WaitPidFlag::WEXITED
    .union(WaitPidFlag::WNOHANG)
    .union(WaitPidFlag::WNOWAIT);

/// Returns true if this process has children that are not reaped.
fn has_children() -> bool {
    waitid(Id::All, ENDED_CHILD) != Err(Errno::ECHILD)
}

/// Reaps the exited children among these processes. `main`, which is one of them, keeps its status.
pub fn reap(main: &mut Child, processes: &[Stat]) {
    let _ = main.try_wait();
    for stat in processes.iter().filter(|stat| stat.pid != main.id()) {
        // This fails for children of other parents. Their status does not matter.
        let _ = waitpid(id(stat.pid), Some(WaitPidFlag::WNOHANG));
    }
}

/// Ends all descendants of this process, which must be a subreaper, and reaps them. `main` is a direct child of this process. Returns the
/// killed processes.
pub fn end_all(main: &mut Child) -> BTreeSet<u32> {
    let began = Instant::now();
    let mut killed = BTreeSet::new();
    while has_children() && began.elapsed() < REAP_TIMEOUT {
        let tree = kill_below(std::process::id());
        std::thread::sleep(Duration::from_micros(300));
        reap(main, &tree);
        killed.extend(tree.iter().filter(|stat| !stat.ended).map(|stat| stat.pid));
    }
    killed
}
