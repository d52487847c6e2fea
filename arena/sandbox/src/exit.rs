//! Ways to end a bot, and its exit status.

use std::fmt;
use std::time::Duration;

use arena_protocol::fault::{BotFault, ProcessEnd};
use serde::{Deserialize, Serialize};

/// Exit code of a stage that could not start the bot.
pub const FAILED: u8 = 127;

/// A way to end a bot, as the arena requests it from the supervisor.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Gives the bot this time to exit, then sends SIGTERM, and finally SIGKILL.
    Quit(Duration),
    /// Sends SIGKILL immediately.
    Kill,
}

/// The end of a bot, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// Exit code or signal.
    pub status: ProcessEnd,
    /// CPU time of the bot's processes.
    pub cpu: Duration,
    /// Peak memory use, in bytes.
    pub max_rss: u64,
    /// Number of other processes that the bot left running.
    pub left: u32,
    /// True if the arena ended the bot while it was running, without knowing of anything that it did wrong.
    pub killed: bool,
    /// Names of some files that the bot wrote. They were removed with its folder.
    pub written: Vec<String>,
    /// The reason for which the bot is to blame: the limit that it exceeded, or its failure to start.
    pub why: Option<BotFault>,
    /// A reason for which the bot is not to blame: the machine could not start it, or ended it.
    pub ours: Option<String>,
}

impl Exit {
    /// Returns the fault of a bot that exited: the limit that it exceeded, or its exit status.
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

/// Converts a signal or an exit code.
pub fn process_end(signal: Option<i32>, code: Option<i32>) -> ProcessEnd {
    match (signal, code) {
        (Some(signal), _) => ProcessEnd::Signal(
            signal_name(signal).map_or_else(|| signal.to_string(), str::to_owned),
        ),
        (None, Some(code)) => ProcessEnd::Code(code),
        (None, None) => ProcessEnd::Unknown,
    }
}

/// Returns the name of a signal, such as `SEGV`.
pub fn signal_name(signal: i32) -> Option<&'static str> {
    nix::sys::signal::Signal::try_from(signal)
        .ok()?
        .as_str()
        .strip_prefix("SIG")
}
