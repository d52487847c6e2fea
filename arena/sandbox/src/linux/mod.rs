//! Bots on Linux. Three processes cooperate to run each bot.
//!
//! The arena (`child.rs`) starts the supervisor, `arena supervise` (`supervisor.rs`). The supervisor adopts orphaned processes of the bot,
//! enforces limits, and ends all processes on request, or when the arena is gone. It starts the launcher, `arena launch` (`launcher.rs`),
//! which isolates itself. The last stage (`last_stage.rs`) drops rights and becomes the bot. Within bubblewrap, the last stage is `arena
//! become`, the first process there (`init.rs`), and the bot is its child. Lines pass directly between the arena and the bot.

mod bubblewrap;
mod child;
mod disk;
mod init;
mod landlock;
pub(crate) mod last_stage;
mod launcher;
mod monitor;
mod orphans;
mod reach;
mod reaper;
mod seccomp;
mod supervisor;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use nix::errno::Errno;
use nix::sys::prctl;

pub use self::child::SandboxedChild;
use crate::choice::Available;
use crate::process_dir::ProcessDir;
use crate::scratch::Scratch;
use crate::users::{Users, is_root};

/// Prepares the arena for starting bots. It adopts orphans of supervisors, and hides its memory and environment from other processes of its
/// user, which may be bots.
pub fn prepare() {
    let _ = prctl::set_child_subreaper(true);
    // If the kernel refuses, a bot can read this process at most as it could without isolation.
    let _ = prctl::set_dumpable(false);
}

/// Runs this process as a stage of a bot's start if the arena started it as one.
pub fn stage(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let (stage, what) = (arguments.nth(1)?, arguments.next()?);
    let mut descriptor = || arguments.next()?.to_str()?.parse().ok();
    match stage.to_str()? {
        "supervise" => Some(supervisor::run(&ProcessDir(what.into()))),
        "launch" => Some(launcher::run(&ProcessDir(what.into()), descriptor())),
        "reach" => Some(reach::run()),
        "become" => Some(last_stage::run(what.to_str()?.parse().ok()?, descriptor()?)),
        _ => None,
    }
}

/// Tries to restrict a separate thread, and returns the result. The restriction ends with the thread.
fn tried<T: Send + 'static>(restrict: fn() -> Result<T, String>) -> Result<T, String> {
    let thread = thread::Builder::new().spawn(restrict);
    let ended = thread.map_err(|error| format!("no thread can be started: {error}"))?;
    ended
        .join()
        .unwrap_or_else(|_| Err("its trial failed".into()))
}

/// Describes why a feature of the kernel cannot be used, from the error of its system call.
fn missing(what: &str, error: &io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ENOSYS) => format!("this kernel has no {what} (ENOSYS)"),
        Some(Errno::EOPNOTSUPP) => format!("this kernel was booted without {what} (EOPNOTSUPP)"),
        Some(errno @ (Errno::EPERM | Errno::EACCES)) => {
            format!("{what} is forbidden here, perhaps by a container ({errno:?})")
        }
        Some(errno) => format!("{what}: {} ({errno:?})", errno.desc()),
        None => format!("{what}: {error}"),
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
