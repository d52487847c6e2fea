//! The last stage of a bot's start, which drops rights permanently and becomes the bot. Within bubblewrap, it is `arena become`, which
//! starts the bot as its child.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};

use super::init::{self, Ended};
use super::seccomp::{self, Refused};
use crate::exit::FAILED;
use crate::users::User;
use crate::{access, executable, machine};

/// Instructions for the last stage.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastStage {
    /// User as which the bot runs; `None` for the current one.
    pub user: Option<User>,
    /// Working directory.
    pub dir: PathBuf,
    /// Refused system calls, if any.
    pub refused: Option<Refused>,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Complete environment of the bot, which must stay hidden from other programs.
    pub env: BTreeMap<String, String>,
    /// File descriptor of the inherited pipe through which the progress of the start is reported to the supervisor.
    pub started: Option<i32>,
}

/// The report that everything is prepared, and only the bot's own program is still to be executed.
pub const READY: &str = "1";
/// The report that the machine could not start the bot, followed by the reason. No other reason begins like this, because reasons contain
/// no null bytes.
pub const SHORTAGE: &str = "\0";
/// The report that the bot has exited, followed by the number of processes that it left running.
pub const LEFT: &str = "\0left ";
/// Errors that are caused by a lack of machine resources rather than by the program.
const SHORTAGES: [Errno; 7] = [
    Errno::EAGAIN,
    Errno::ENOMEM,
    Errno::ENFILE,
    Errno::EMFILE,
    Errno::ENOSPC,
    Errno::EIO,
    Errno::EDQUOT,
];

/// Maximum number of timers and queued signals. All bots of a user share this quota. In a user namespace, it applies to each bot if it is
/// set from within.
const MAX_TIMERS: u64 = 1_024;

/// A bot about to start.
pub struct Launch {
    /// The command that starts the bot.
    pub command: Command,
    /// True if the command is the bot itself, without bubblewrap around it.
    pub is_last: bool,
    /// Files that the first program inherits.
    pub _inherited: Vec<File>,
}

/// Starts the bot as described by the instructions in an inherited file, and returns its exit code. The inherited executable of the arena
/// is closed, because it contains the strongest bots.
pub fn run(instructions: i32, program: i32) -> ExitCode {
    let stage = LastStage::read(instructions, program);
    let pipe = stage
        .as_ref()
        .ok()
        .and_then(|stage| claim_pipe(stage.started?));
    start(stage.and_then(|stage| stage.enter()), pipe, init::run)
}

/// Starts the bot, or its isolation. Returns if that fails, or when the bot has ended. Both are reported to the supervisor's pipe if there
/// is one.
pub fn start(
    how: Result<Launch, Box<dyn Error>>,
    mut pipe: Option<File>,
    run: impl FnOnce(&mut Command) -> io::Result<Ended>,
) -> ExitCode {
    let mut report = |text: &str| match &mut pipe {
        Some(pipe) => _ = pipe.write_all(text.as_bytes()),
        None => eprint!("{text}"),
    };
    let why = match how {
        Ok(Launch {
            mut command,
            is_last,
            ..
        }) => {
            if is_last {
                report(READY);
            }
            let error = match run(&mut command) {
                Ok(Ended { code, left }) => {
                    if left > 0 {
                        report(&format!("{LEFT}{left}"));
                    }
                    return ExitCode::from(code);
                }
                Err(error) => error,
            };
            let errno = error.raw_os_error().map(Errno::from_raw);
            if is_last && errno.is_some_and(|errno| SHORTAGES.contains(&errno)) {
                report(SHORTAGE);
            }
            describe(&command, &error)
        }
        Err(why) => why.to_string(),
    };
    report(&why);
    ExitCode::from(FAILED)
}

impl LastStage {
    /// Returns an inheritable file with these instructions. Other processes could see arguments and environment variables.
    pub fn file(&self) -> io::Result<File> {
        let mut file = File::from(memfd_create("stage", MFdFlags::MFD_CLOEXEC)?);
        file.write_all(&serde_json::to_vec(self)?)?;
        file.rewind()?;
        Ok(file)
    }

    fn read(instructions: i32, program: i32) -> Result<Self, Box<dyn Error>> {
        nix::unistd::close(program)?;
        Ok(serde_json::from_reader(claim(
            instructions,
            File::options().read(true),
        )?)?)
    }

    /// Drops all rights that the bot may not have, and returns the start of the bot.
    pub fn enter(&self) -> Result<Launch, Box<dyn Error>> {
        let (program, arguments) = self.command.split_first().ok_or("the bot has no command")?;
        if let Some(user) = self.user {
            user.enter()?;
        }
        std::env::set_current_dir(&self.dir)
            .map_err(|error| format!("{}: {error}", self.dir.display()))?;
        // A safety net in case the supervisor is killed. The supervisor is single-threaded, so the end of its thread is its own end. A
        // change of users resets this setting.
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        prctl::set_no_new_privs()?;
        let timers = getrlimit(Resource::RLIMIT_SIGPENDING)
            .map_or(MAX_TIMERS, |(_, hard)| hard.min(MAX_TIMERS));
        let _ = setrlimit(Resource::RLIMIT_SIGPENDING, timers, timers);
        if let Some(refused) = self.refused {
            seccomp::restrict(refused)?;
        }
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(&self.env);
        Ok(Launch {
            command,
            is_last: true,
            _inherited: Vec::new(),
        })
    }
}

/// Lets future child programs inherit a file, and returns its descriptor.
pub fn bequeath(file: &(impl AsFd + AsRawFd)) -> io::Result<i32> {
    fcntl(file, FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(file.as_raw_fd())
}

/// Takes over the supervisor's pipe, so that child programs do not inherit it.
pub fn claim_pipe(descriptor: i32) -> Option<File> {
    claim(descriptor, File::options().write(true)).ok()
}

/// Reopens an inherited file, so that child programs do not inherit it. The file belongs to the current user.
fn claim(descriptor: i32, how: &mut OpenOptions) -> io::Result<File> {
    let file = how.open(format!("/proc/self/fd/{descriptor}"))?;
    nix::unistd::close(descriptor)?;
    Ok(file)
}

/// Describes why a command could not be started.
fn describe(command: &Command, error: &io::Error) -> String {
    // The text must not depend on the location of the bot's folder.
    let path = Path::new(command.get_program());
    let program = path.file_name().unwrap_or_default().to_string_lossy();
    match error.kind() {
        io::ErrorKind::NotFound => match access::interpreter(path) {
            Some(named) => {
                let named = named.escape_debug();
                format!("{program}: its first line names {named}, and there is no such program")
            }
            None => format!("{program}: there is no such program"),
        },
        io::ErrorKind::PermissionDenied if !executable::is_executable(path) => {
            format!("{program} is not executable: chmod +x {program}")
        }
        _ => match machine::of_file(path)
            .filter(|_| error.raw_os_error() == Some(Errno::ENOEXEC as i32))
        {
            Some(machine) => format!("{program} is not a program for this machine ({machine})"),
            None => format!("{program}: {error}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Returns the description of a failed start of a program with this content.
    fn described(content: &[u8], errno: Errno) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        fs::write(&path, content).unwrap();
        describe(&Command::new(path), &io::Error::from(errno))
    }

    #[test]
    fn a_program_that_cannot_start_is_told_why() {
        let mut arm = b"\x7fELF\x02\x01".to_vec();
        arm.resize(18, 0);
        arm.extend([183, 0]);
        assert_eq!(
            described(&arm, Errno::ENOEXEC),
            "run is not a program for this machine (aarch64)"
        );
        assert_eq!(
            described(b"print(1)", Errno::EACCES),
            "run is not executable: chmod +x run"
        );
        assert_eq!(
            described(b"#!/bin/pyton3\n", Errno::ENOENT),
            "run: its first line names /bin/pyton3, and there is no such program"
        );
        assert!(described(b"", Errno::ENOEXEC).starts_with("run: Exec format error"));
    }
}
