//! `arena become`: the last stage of a bot's start, within what isolates it: gives up rights for good, and becomes the bot.

use std::error::Error;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use nix::sys::prctl;
use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};

use super::seccomp::{self, Refused};
use crate::exit::{FAILED, NOT_STARTED};
use crate::users::User;

/// The instructions for the last stage.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastStage {
    /// The user that it runs as, if that is another.
    pub user: Option<User>,
    /// The folder that it runs in.
    pub dir: PathBuf,
    /// The system calls that are refused, if any.
    pub refused: Option<Refused>,
    /// The program and its arguments.
    pub command: Vec<String>,
}

/// Becomes the bot. Returns only if that fails.
pub fn run(stage: &str) -> ExitCode {
    let entered = serde_json::from_str::<LastStage>(stage).map_err(Into::into).and_then(|stage| stage.enter());
    let why = entered.map_or_else(|why| why.to_string(), exec);
    eprintln!("{NOT_STARTED}{why}");
    ExitCode::from(FAILED)
}

impl LastStage {
    /// Drops all rights that the bot may not have. Returns the command that starts it.
    pub fn enter(&self) -> Result<Command, Box<dyn Error>> {
        let (program, arguments) = self.command.split_first().ok_or("there is no command")?;
        if let Some(user) = self.user {
            user.enter()?;
        }
        std::env::set_current_dir(&self.dir).map_err(|error| format!("{}: {error}", self.dir.display()))?;
        // A safety net for when the supervisor is killed. It has a single thread, so this means its end. It does not outlast
        // a change of users.
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        prctl::set_no_new_privs()?;
        if let Some(refused) = self.refused {
            seccomp::restrict(refused)?;
        }
        let mut command = Command::new(program);
        // Bubblewrap sets it.
        command.args(arguments).env_remove("PWD");
        Ok(command)
    }
}

/// Becomes another program. Returns only with the reason why not.
pub fn exec(mut command: Command) -> String {
    let error = command.exec();
    // The same wherever the bot's folder lies.
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy();
    match error.kind() {
        io::ErrorKind::NotFound => format!("{program}: there is no such program, or its interpreter is missing"),
        _ => format!("{program}: {error}"),
    }
}
