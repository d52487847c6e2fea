//! What is left when a bot has killed its keeper: the arena adopts it and ends it.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, WaitOptions, waitpid};
use tokio::process::{Child, Command};

use super::tree::{self, Stat};

/// The keepers that were started and not waited for yet.
static KEEPERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
/// How often is looked again for what has been orphaned by the last look.
const ROUNDS: u32 = 100;

fn keepers() -> MutexGuard<'static, BTreeSet<u32>> {
    KEEPERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the arena adopt what keepers leave behind.
pub fn adopt() {
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Starts a keeper.
pub fn start(command: &mut Command) -> io::Result<Child> {
    let mut keepers = keepers();
    let child = command.spawn()?;
    keepers.extend(child.id());
    Ok(child)
}

/// Forgets a keeper that is gone.
pub fn forget(keeper: u32) {
    keepers().remove(&keeper);
}

/// Ends all children of the arena, with all below them, that it has not started itself: those of other sessions that are
/// no keepers.
pub fn end() {
    let me = std::process::id();
    let session = tree::stat(me).map_or(0, |stat| stat.session);
    for _ in 0..ROUNDS {
        let keepers = keepers();
        let is_stray = |stat: &Stat| stat.parent == me && stat.session != session && !keepers.contains(&stat.pid);
        let below = tree::below(me);
        let strays: Vec<Stat> = below.iter().filter(|stat| is_stray(stat)).copied().collect();
        if strays.is_empty() {
            return;
        }
        for stray in strays {
            for stat in tree::frozen(|| tree::below(stray.pid)) {
                tree::signal(stat.pid, Signal::KILL);
            }
            tree::signal(stray.pid, Signal::KILL);
            if let Some(pid) = Pid::from_raw(stray.pid.cast_signed()) {
                let _ = waitpid(Some(pid), WaitOptions::empty());
            }
        }
    }
}
