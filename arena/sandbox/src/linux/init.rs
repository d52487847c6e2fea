//! The first process within bubblewrap: starts the bot, reaps orphans, and ends everything once the bot has exited.

use std::io;
use std::process::Command;

use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustix::io::Errno;
use rustix::process::{WaitOptions, WaitStatus, wait};

use crate::exit::FAILED;

/// Target of `kill` that sends a signal to every process of the namespace except this first one.
const ALL: i32 = -1;

/// The end of a bot, as reported by its init process.
pub struct Ended {
    /// Exit code; 128 plus the number of the signal if one killed the bot.
    pub code: u8,
    /// Number of other processes that the bot left running.
    pub left: usize,
}

/// Starts the bot as a child of this process, with the same filter of system calls, and waits until no process of the bot is left. Fails if
/// the bot cannot be started.
pub fn run(command: &mut Command) -> io::Result<Ended> {
    // The bot runs as the same user, so protect this process from it. A change of users resets this setting, and so does the bot's own
    // exec.
    prctl::set_dumpable(false)?;
    let bot = Some(command.spawn()?.id().cast_signed());
    let mut code = None;
    let mut left = 0;
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if Some(pid.as_raw_pid()) == bot => {
                code = Some(code_of(status));
                let _ = kill(Pid::from_raw(ALL), Signal::SIGKILL);
            }
            Ok(Some((_, status))) => {
                let is_killed = status.terminating_signal() == Some(Signal::SIGKILL as i32);
                left += usize::from(code.is_some() && is_killed);
            }
            Ok(None) | Err(Errno::INTR) => {}
            Err(_) => {
                let code = code.unwrap_or(FAILED);
                return Ok(Ended { code, left });
            }
        }
    }
}

/// Returns the exit code for a status, encoded as by a shell.
fn code_of(status: WaitStatus) -> u8 {
    let signal = status.terminating_signal().map(|signal| 128 + signal);
    let code = status.exit_status().or(signal);
    code.and_then(|code| u8::try_from(code).ok())
        .unwrap_or(FAILED)
}
