//! Bots on Linux: three processes cooperate for each.
//!
//! The arena (`child.rs`) starts `arena supervise` (`supervisor.rs`), which stands between it and the bot: it adopts orphaned
//! processes of the bot, enforces limits, and ends all of them on request or when the arena is gone. It starts `arena launch`
//! (`launcher.rs`), which isolates itself. The last stage (`last_stage.rs`), within bubblewrap as `arena become`, drops rights
//! and becomes the bot. Lines pass directly between the arena and the bot.

mod bubblewrap;
mod child;
mod disk;
mod landlock;
pub(crate) mod last_stage;
mod launcher;
mod monitor;
mod orphans;
mod reaper;
mod seccomp;
mod supervisor;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use nix::sys::prctl;

pub use self::child::SandboxedChild;
use crate::choice::Available;
use crate::process_dir::ProcessDir;
use crate::scratch::Scratch;
use crate::users::{Users, is_root};

/// Prepares the arena for starting bots: it adopts orphans of supervisors, and hides its memory and environment from other
/// processes of its user, which may be bots.
pub fn prepare() {
    let _ = prctl::set_child_subreaper(true);
    // If the kernel refuses, bots can read no more than without isolation.
    let _ = prctl::set_dumpable(false);
}

/// Runs this process as a stage of a bot's start if the arena started it as one.
pub fn stage(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let (stage, what) = (arguments.nth(1)?, arguments.next()?);
    let mut descriptor = || arguments.next()?.to_str()?.parse().ok();
    match stage.to_str()? {
        "supervise" => Some(supervisor::run(&ProcessDir(what.into()))),
        "launch" => Some(launcher::run(&ProcessDir(what.into()), descriptor())),
        "become" => Some(last_stage::run(what.to_str()?.parse().ok()?, descriptor()?)),
        _ => None,
    }
}

/// Tests which features this machine offers.
pub fn probe(scratch: &Scratch) -> Available {
    let users = if is_root() {
        Users::reserve().map(|users| Some(Arc::new(users)))
    } else {
        Ok(None)
    };
    if let Err(why) = seccomp::probe() {
        return Available {
            users,
            bubblewrap: Err(why.clone()),
            landlock: Err(why),
        };
    }
    let user = users
        .as_ref()
        .ok()
        .and_then(Option::as_deref)
        .map(|users| users.user(0, true));
    Available {
        users,
        bubblewrap: bubblewrap::probe(scratch, user),
        landlock: landlock::probe(),
    }
}
