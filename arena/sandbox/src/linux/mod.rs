//! Bots on Linux: three processes are at work for each.
//!
//! The arena (`child.rs`) starts `arena supervise` (`supervisor.rs`), which stays between it and the bot: it adopts whatever
//! the bot's processes leave behind, holds them to their limits, and ends them all when the arena asks for it or is gone. It
//! starts `arena launch` (`launcher.rs`), which isolates itself. The last stage (`last_stage.rs`), within bubblewrap as
//! `arena become`, gives up rights and becomes the bot. Lines go between the arena and the bot directly.

mod bubblewrap;
mod cgroup;
mod child;
mod disk;
mod landlock;
mod last_stage;
mod launcher;
mod messages;
mod meter;
mod monitor;
mod orphans;
mod process_tree;
mod seccomp;
mod supervisor;
mod users;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

pub use self::cgroup::{Cgroup, Cgroups};
pub use self::child::SandboxedChild;
pub use self::meter::Meter;
pub use self::users::{User, Users, is_root};
use super::choice::Available;
use super::process_dir::ProcessDir;
use super::scratch::Scratch;

/// A control group for this run, or why there is none.
pub fn groups() -> Result<Cgroups, String> {
    Cgroups::new()
}

/// Makes the arena fit for starting bots: it adopts what supervisors leave, and its memory and environment are closed to other
/// processes of its user, which may be bots.
pub fn prepare() {
    orphans::adopt();
    // Where the kernel refuses that, bots can read no more than at a level without isolation.
    let _ = nix::sys::prctl::set_dumpable(false);
}

/// Plays the part that the arena has given to this process when it started it, if that is one of these.
pub fn stage(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let (part, what) = (arguments.nth(1)?, arguments.next()?);
    match part.to_str()? {
        "supervise" => Some(supervisor::run(&ProcessDir(what.into()))),
        "launch" => Some(launcher::run(&ProcessDir(what.into()))),
        "become" => Some(last_stage::run(what.to_str()?)),
        _ => None,
    }
}

/// Tries what this machine offers.
pub fn probe(scratch: &Scratch) -> Available {
    let users = if is_root() { Users::take().map(|users| Some(Arc::new(users))) } else { Ok(None) };
    if let Err(why) = seccomp::probe() {
        return Available { users, bubblewrap: Err(why.clone()), landlock: Err(why) };
    }
    let user = users.as_ref().ok().and_then(Option::as_deref).map(|users| users.user(0, true));
    Available { users, bubblewrap: bubblewrap::probe(scratch, user), landlock: landlock::probe() }
}
