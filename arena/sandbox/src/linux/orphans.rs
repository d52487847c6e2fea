//! Adopts and ends the processes of bots that have killed their supervisors.

use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;

use nix::sys::signal::Signal;
use nix::sys::wait::waitpid;
use tokio::process::{Child, Command};

use crate::lock;
use crate::process_tree::{self, Stat};

/// The supervisors that have been started and not yet waited for.
static SUPERVISORS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
/// Maximum number of rounds in which newly orphaned processes are ended.
const MAX_ROUNDS: u32 = 100;

/// Starts a supervisor.
pub fn start(command: &mut Command) -> io::Result<Child> {
    let mut supervisors = lock(&SUPERVISORS);
    let child = command.spawn()?;
    supervisors.extend(child.id());
    Ok(child)
}

/// Removes a supervisor that is gone from the list.
pub fn forget(supervisor: u32) {
    lock(&SUPERVISORS).remove(&supervisor);
}

/// Ends all adopted children and their descendants. A child counts as adopted if it is in another session and is not a supervisor.
pub fn end() {
    let me = std::process::id();
    let session = process_tree::stat(me).map_or(0, |stat| stat.session);
    for _ in 0..MAX_ROUNDS {
        let supervisors = lock(&SUPERVISORS);
        let mut orphans = process_tree::below(me);
        orphans.retain(|stat: &Stat| {
            stat.parent == me && stat.session != session && !supervisors.contains(&stat.pid)
        });
        if orphans.is_empty() {
            return;
        }
        for orphan in orphans {
            process_tree::kill_below(orphan.pid);
            process_tree::send(Signal::SIGKILL, orphan.pid);
            let _ = waitpid(process_tree::id(orphan.pid), None);
        }
    }
}
