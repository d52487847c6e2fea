//! `arena become`: the last stage of a bot's start, within what isolates it: gives up rights for good, and becomes the bot.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};

use super::seccomp::{self, Refused};
use crate::exit::FAILED;
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
    /// The whole environment of the bot, which no other program may see.
    pub env: BTreeMap<String, String>,
    /// The inherited pipe, by its descriptor, that tells the supervisor how far the start has come.
    pub started: Option<i32>,
}

/// Tells the supervisor that the bot is all that is left to be started.
pub const READY: &str = "1";
/// Tells it that the machine could not start the bot, for the reason that follows.
pub const SHORT: &str = "0";
/// What the machine lacks where a program that is there cannot be started.
const SHORTAGES: [Errno; 7] = [
    Errno::EAGAIN,
    Errno::ENOMEM,
    Errno::ENFILE,
    Errno::EMFILE,
    Errno::ENOSPC,
    Errno::EIO,
    Errno::EDQUOT,
];

/// The most timers and queued signals. The bots of a user share a quota of them, unless they have a namespace of users: there this
/// holds for each, if it is set within.
const TIMERS: u64 = 1_024;

/// A bot that is about to start.
pub struct Start {
    /// The command that starts it.
    pub command: Command,
    /// True if that is the bot itself, with nothing around it.
    pub is_last: bool,
    /// The files that its first program inherits.
    pub _inherited: Vec<File>,
}

/// Becomes the bot, by instructions in an inherited file. Closes the inherited file of this program, which is the strongest bot
/// there is. Returns only if that fails.
pub fn run(instructions: i32, program: i32) -> ExitCode {
    let stage = LastStage::read(instructions, program);
    let pipe = stage
        .as_ref()
        .ok()
        .and_then(|stage| claim_pipe(stage.started?));
    start(stage.and_then(|stage| stage.enter()), pipe)
}

/// Starts the bot, or what isolates it. Returns only if that fails, and reports why to the supervisor's pipe if there is one.
pub fn start(how: Result<Start, Box<dyn Error>>, mut pipe: Option<File>) -> ExitCode {
    let mut report = |text: &str| match &mut pipe {
        Some(pipe) => _ = pipe.write_all(text.as_bytes()),
        None => eprint!("{text}"),
    };
    let why = match how {
        Ok(Start {
            mut command,
            is_last,
            ..
        }) => {
            if is_last {
                report(READY);
            }
            let error = command.exec();
            let errno = error.raw_os_error().map(Errno::from_raw);
            if is_last && errno.is_some_and(|errno| SHORTAGES.contains(&errno)) {
                report(SHORT);
            }
            describe(&command, &error)
        }
        Err(why) => why.to_string(),
    };
    report(&why);
    ExitCode::from(FAILED)
}

impl LastStage {
    /// A file with these instructions, to be inherited. They are in no argument or variable, which others could see.
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

    /// Drops all rights that the bot may not have. Returns what starts it.
    pub fn enter(&self) -> Result<Start, Box<dyn Error>> {
        let (program, arguments) = self.command.split_first().ok_or("there is no command")?;
        if let Some(user) = self.user {
            user.enter()?;
        }
        std::env::set_current_dir(&self.dir)
            .map_err(|error| format!("{}: {error}", self.dir.display()))?;
        // A safety net for when the supervisor is killed. It has a single thread, so this means its end. It does not outlast
        // a change of users.
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        prctl::set_no_new_privs()?;
        let timers =
            getrlimit(Resource::RLIMIT_SIGPENDING).map_or(TIMERS, |(_, hard)| hard.min(TIMERS));
        let _ = setrlimit(Resource::RLIMIT_SIGPENDING, timers, timers);
        if let Some(refused) = self.refused {
            seccomp::restrict(refused)?;
        }
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(&self.env);
        Ok(Start {
            command,
            is_last: true,
            _inherited: Vec::new(),
        })
    }
}

/// Lets the programs that are started from now on inherit a file. Returns its number there.
pub fn bequeath(file: &(impl AsFd + AsRawFd)) -> io::Result<i32> {
    fcntl(file, FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(file.as_raw_fd())
}

/// Takes the supervisor's pipe from those who inherit open files.
pub fn claim_pipe(descriptor: i32) -> Option<File> {
    claim(descriptor, File::options().write(true)).ok()
}

/// Takes a file from those who inherit open files. It belongs to the user that this process still is.
fn claim(descriptor: i32, how: &mut OpenOptions) -> io::Result<File> {
    let file = how.open(format!("/proc/self/fd/{descriptor}"))?;
    nix::unistd::close(descriptor)?;
    Ok(file)
}

/// Why a command could not be started.
fn describe(command: &Command, error: &io::Error) -> String {
    // The same wherever the bot's folder lies.
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    match error.kind() {
        io::ErrorKind::NotFound => {
            format!("{program}: there is no such program, or its interpreter is missing")
        }
        _ => format!("{program}: {error}"),
    }
}
