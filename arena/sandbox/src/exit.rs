//! The end of a bot: the ways to bring it about, and what is known of it afterwards.

use std::fmt;
use std::time::Duration;

use arena_protocol::fault::{BotFault, ProcessEnd};
use serde::{Deserialize, Serialize};

/// The exit code of a stage that could not start the bot.
pub const FAILED: u8 = 127;

/// The way to end a bot: what the arena sends to its supervisor.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It may exit within this time; then it gets SIGTERM, and then SIGKILL.
    Quit(Duration),
    /// It gets SIGKILL at once.
    Kill,
}

/// A bot's end, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// Its code or the signal.
    pub status: ProcessEnd,
    /// The time that its processes have computed.
    pub cpu: Duration,
    /// The most memory that it has used at a time, in bytes.
    pub max_rss: u64,
    /// The number of other processes that it left running.
    pub left: u32,
    /// True if it had not exited when the arena ended it, and is not known to have done anything wrong.
    pub killed: bool,
    /// Some of the files that it wrote, by their names; they are gone with it.
    pub written: Vec<String>,
    /// Why it was ended, if it broke a limit or could not be started.
    pub why: Option<BotFault>,
    /// Why it ended though the bot is not to blame, if the machine could not start it or ended it.
    pub ours: Option<String>,
}

impl Exit {
    /// The fault of a bot that ended: the limit that it broke, or its status.
    pub fn fault(&self) -> BotFault {
        self.why
            .clone()
            .unwrap_or_else(|| BotFault::Exited(self.status.clone()))
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.status.fmt(f)?;
        if let Some(why) = &self.why {
            write!(f, "; {why}")?;
        }
        match self.left {
            0 => {}
            1 => f.write_str(
                "; left a process running, which was ended (a wrapper script should exec the bot)",
            )?,
            left => write!(f, "; left {left} processes running, which were ended")?,
        }
        write!(
            f,
            "; computed for {:.2} s, used {} MiB at most",
            self.cpu.as_secs_f64(),
            self.max_rss >> 20
        )
    }
}

/// The end of a process: by a signal, or with a code.
pub fn process_end(signal: Option<i32>, code: Option<i32>) -> ProcessEnd {
    match (signal, code) {
        (Some(signal), _) => ProcessEnd::Signal(
            signal_name(signal).map_or_else(|| signal.to_string(), str::to_owned),
        ),
        (None, Some(code)) => ProcessEnd::Code(code),
        (None, None) => ProcessEnd::Unknown,
    }
}

/// The name of a signal, such as SEGV.
pub fn signal_name(signal: i32) -> Option<&'static str> {
    nix::sys::signal::Signal::try_from(signal)
        .ok()?
        .as_str()
        .strip_prefix("SIG")
}
