//! The end of a bot: how it is asked for, and what is known of it afterwards.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The way to end a bot.
#[derive(Clone, Copy, Debug)]
pub enum Ending {
    /// It may exit by itself within this time; then it is terminated, and then killed.
    Quit(Duration),
    /// It is killed at once.
    Kill,
}

/// What is known of a bot that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// Its code or the signal, in words: `exited with code 3`.
    pub status: String,
    /// How long its processes have computed.
    pub cpu: Duration,
    /// The most memory that it has used at a time, in bytes.
    pub max_rss: u64,
    /// How many other processes it left running.
    pub left: u32,
    /// Why it was ended, if it broke a limit or could not be started: `used more than 2048 MiB of memory`.
    pub why: Option<String>,
}

impl Exit {
    /// Why it ended, for its author: the limit it broke, or its status.
    pub fn reason(&self) -> &str {
        self.why.as_deref().unwrap_or(&self.status)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.status)?;
        if let Some(why) = &self.why {
            write!(f, "; {why}")?;
        }
        match self.left {
            0 => {}
            1 => f.write_str("; left a process running, which was ended (a wrapper script should exec the bot)")?,
            left => write!(f, "; left {left} processes running, which were ended")?,
        }
        write!(f, "; computed for {:.2} s, used {} MiB at most", self.cpu.as_secs_f64(), self.max_rss >> 20)
    }
}

/// Describes how a process ended: by a signal, or with a code.
pub fn describe(signal: Option<i32>, code: Option<i32>) -> String {
    match (signal, code) {
        (Some(signal), _) => match signal_name(signal) {
            Some(name) => format!("was ended by signal {name}"),
            None => format!("was ended by signal {signal}"),
        },
        (None, Some(code)) => format!("exited with code {code}"),
        (None, None) => "ended".into(),
    }
}

/// The name of a signal, such as SEGV.
#[cfg(unix)]
pub fn signal_name(signal: i32) -> Option<&'static str> {
    nix::sys::signal::Signal::try_from(signal).ok()?.as_str().strip_prefix("SIG")
}

/// There are no signals here.
#[cfg(not(unix))]
pub fn signal_name(_: i32) -> Option<&'static str> {
    None
}
