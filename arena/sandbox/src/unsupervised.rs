//! The arena's end of a bot where there is no supervisor: the bot is a child of the arena, ended with its process group if
//! there is such a thing.

use std::future::poll_fn;
use std::io;
use std::path::Path;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use arena_engine::fault::ProcessEnd;
use arena_tournament::spec::Limits;
use serde::{Deserialize, Serialize};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::choice::Available;
use super::exit::{Ending, Exit, process_end};
use super::instructions::{Instructions, StartError};
use super::process_dir::ProcessDir;
use super::scratch::Scratch;
use super::usage::{Reading, Thread};

/// A bot that was started.
pub struct SandboxedChild {
    /// Its standard input, as long as that is open.
    pub stdin: Option<ChildStdin>,
    /// Its standard output, until somebody takes it.
    pub stdout: Option<ChildStdout>,
    /// Its log, until somebody takes it.
    pub stderr: Option<ChildStderr>,
    child: Child,
    pid: Option<u32>,
    dir: ProcessDir,
    exit: Option<Exit>,
}

/// Measures the processes of one bot: not here.
#[derive(Debug, Default)]
pub struct Meter;

impl Meter {
    /// True if all processes are counted.
    pub fn counts_all(&self) -> bool {
        false
    }

    /// What has been computed so far.
    pub fn read(&self) -> Option<Reading> {
        None
    }

    /// The same of the main process.
    pub fn read_main(&self) -> Option<Reading> {
        None
    }

    /// What the others have computed.
    pub fn read_others(&self) -> Duration {
        Duration::ZERO
    }

    /// The threads of all processes.
    pub fn threads(&self) -> Vec<Thread> {
        Vec::new()
    }

    /// Nothing can be frozen here.
    pub fn freeze(&self) {}

    /// Nothing is frozen.
    pub fn thaw(&self) {}
}

/// A control group; there are none here.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Cgroup {}

/// The control groups of a run; there are none here.
#[derive(Debug)]
pub enum Cgroups {}

impl Cgroups {
    /// What they do.
    pub fn describe(&self) -> &'static str {
        match *self {}
    }

    /// The group for a process tree.
    pub fn make(&self, _: &Limits) -> io::Result<Cgroup> {
        match *self {}
    }
}

/// There are no control groups here.
pub fn groups() -> Result<Cgroups, String> {
    Err("control groups are for Linux only".into())
}

/// Makes the arena fit for starting bots: nothing is needed here.
pub fn prepare() {}

/// The users that bots run as, which are others than the arena's on Linux only.
#[derive(Debug)]
pub enum Users {}

/// The user of one process.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum User {}

impl Users {
    /// The first and the last of them.
    pub fn range(&self) -> [u32; 2] {
        match *self {}
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        match *self {}
    }

    /// One of them.
    pub fn user(&self, _: u32, _: bool) -> User {
        match *self {}
    }
}

impl User {
    /// Gives it a folder.
    pub fn give(&self, _: &Path) -> io::Result<()> {
        match *self {}
    }
}

/// True if bots need users other than that of the arena.
pub fn is_root() -> bool {
    #[cfg(unix)]
    return nix::unistd::geteuid().is_root();
    #[cfg(not(unix))]
    false
}

/// There is nothing to try here.
pub fn probe(_: &Scratch) -> Available {
    let why = |name: &str| format!("{name} is for Linux only");
    Available { users: Ok(None), bubblewrap: Err(why("bubblewrap")), landlock: Err(why("landlock")) }
}

impl SandboxedChild {
    /// Starts a bot.
    pub async fn start(dir: ProcessDir, instructions: Instructions) -> Result<Self, StartError> {
        let (program, arguments) = instructions.command.split_first().expect("a program has a command");
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(&instructions.env).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        {
            instructions.create_dirs(&dir).map_err(StartError::Arena)?;
            command.current_dir(instructions.work(&dir)).process_group(0);
        }
        // Links need rights on Windows.
        #[cfg(not(unix))]
        {
            let created = dir.create_writable(&instructions.dir, None);
            created.map_err(|error: io::Error| StartError::Arena(error.to_string()))?;
            command.current_dir(&instructions.dir);
        }
        let mut child = command.spawn().map_err(|error| StartError::Bot(format!("{program}: {error}")))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        Ok(Self { stdin, stdout, stderr, pid: child.id(), child, dir, exit: None })
    }

    /// The id of the bot's own process.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// What measures its processes.
    pub fn meter(&self) -> Arc<Meter> {
        Arc::default()
    }

    /// The number of bytes in its standard input that it has not read, which is not known here.
    pub fn unread(&self) -> usize {
        0
    }

    /// The end of the bot's own process; before that, the waker is called then.
    pub fn poll_exited(&mut self, cx: &mut Context<'_>) -> Poll<&Exit> {
        if self.exit.is_none() {
            let status = ready!(pin!(self.child.wait()).poll(cx)).map_or(ProcessEnd::Unknown, process_end_of);
            self.exit = Some(Exit { status, ..Exit::default() });
        }
        Poll::Ready(self.exit.get_or_insert_default())
    }

    /// Ends the bot.
    pub async fn end(&mut self, ending: Ending) -> Exit {
        self.stdin = None;
        let grace = match ending {
            Ending::Quit(grace) => grace,
            Ending::Kill => Duration::ZERO,
        };
        let _ = timeout(grace, poll_fn(|cx| self.poll_exited(cx).map(drop))).await;
        #[cfg(unix)]
        if let Some(pid) = self.pid {
            let group = nix::unistd::Pid::from_raw(pid.cast_signed());
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
        }
        let _ = self.child.start_kill();
        let exit = poll_fn(|cx| self.poll_exited(cx).map(Exit::clone)).await;
        self.dir.remove();
        exit
    }
}

fn process_end_of(status: ExitStatus) -> ProcessEnd {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    process_end(signal, status.code())
}
