//! Reaping the children of this process, and ending all processes below it.

use std::collections::BTreeSet;
use std::process::Child;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::Signal;
use nix::sys::wait::{Id, WaitPidFlag, waitid, waitpid};
use nix::unistd::Pid;

use crate::process_tree::{below, freeze, id, send};

/// The time that it may take until the last process is gone; only one that hangs in the kernel takes that long.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks for a child that has ended, and leaves it to be reaped.
const ENDED: WaitPidFlag = WaitPidFlag::WEXITED
    .union(WaitPidFlag::WNOHANG)
    .union(WaitPidFlag::WNOWAIT);

/// True if this process has children, reaped ones excepted.
pub fn has_children() -> bool {
    waitid(Id::All, ENDED) != Err(Errno::ECHILD)
}

/// Reaps all children that have ended; `main`, which is one of them, keeps its status.
pub fn reap(main: &mut Child) {
    let mut reap = |child: Pid| {
        if child == id(main.id()) {
            let _ = main.try_wait();
        } else {
            // Nobody needs to know how it ended.
            let _ = waitpid(child, Some(WaitPidFlag::WNOHANG));
        }
    };
    loop {
        match waitid(Id::All, ENDED).map(|status| status.pid()) {
            Ok(Some(child)) => reap(child),
            // One was ended by a real-time signal, for which nix has no name: it does not say which.
            Err(Errno::EINVAL) => {
                let me = std::process::id();
                let ended = below(me)
                    .into_iter()
                    .filter(|stat| stat.ended && stat.parent == me);
                return ended.for_each(|stat| reap(id(stat.pid)));
            }
            _ => return,
        }
    }
}

/// Ends all processes below this one, which must be a subreaper, and reaps them; `main` is the one that it has started.
/// Returns those that it has killed.
pub fn end_all(main: &mut Child) -> BTreeSet<u32> {
    let (me, began) = (std::process::id(), Instant::now());
    let mut killed = BTreeSet::new();
    while has_children() && began.elapsed() < PATIENCE {
        let tree = freeze(|| below(me));
        for stat in tree.iter().filter(|stat| !stat.ended) {
            send(Signal::SIGKILL, stat.pid);
            killed.insert(stat.pid);
        }
        std::thread::sleep(Duration::from_micros(300));
        reap(main);
    }
    killed
}
