//! The arena's end of a bot where there is no supervisor: the bot is a child of the arena, ended with its process group.

use std::future::poll_fn;
use std::os::unix::process::ExitStatusExt;
use std::pin::pin;
use std::process::Stdio;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use arena_engine::fault::ProcessEnd;
use nix::sys::signal::{Signal, killpg};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::choice::Available;
use super::exit::{Ending, Exit, process_end};
use super::instructions::{Instructions, StartError};
use super::meter::Meter;
use super::process_dir::ProcessDir;
use super::process_tree;
use super::scratch::Scratch;

/// A bot that was started.
pub struct SandboxedChild {
    /// Its standard input, as long as that is open.
    pub stdin: Option<ChildStdin>,
    /// Its standard output, until it is taken.
    pub stdout: Option<ChildStdout>,
    /// Its log, until it is taken.
    pub stderr: Option<ChildStderr>,
    /// The id of the bot's own process.
    pub pid: Option<u32>,
    /// What measures its processes.
    pub meter: Arc<Meter>,
    child: Child,
    dir: ProcessDir,
    exit: Option<Exit>,
    killed: bool,
}

/// Nothing is held here...
pub type Lock = ();

/// ...by any name.
pub fn hold(_: &str) -> Option<Lock> {
    Some(())
}

/// Makes the arena fit for starting bots: nothing is needed here.
pub fn prepare() {}

/// There is nothing to try here.
pub fn probe(_: &Scratch) -> Available {
    let why = |name: &str| format!("{name} is for Linux only");
    Available {
        users: Ok(None),
        bubblewrap: Err(why("bubblewrap")),
        landlock: Err(why("landlock")),
    }
}

impl SandboxedChild {
    /// Starts a bot.
    pub async fn start(dir: ProcessDir, instructions: Instructions) -> Result<Self, StartError> {
        let (program, arguments) = instructions
            .command
            .split_first()
            .expect("a program has a command");
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(&instructions.env)
            .current_dir(instructions.work(&dir))
            .process_group(0)
            .kill_on_drop(true)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| StartError::Bot(format!("{program}: {error}")))?;
        Ok(Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            pid: child.id(),
            meter: Arc::new(Meter::new(0, None)),
            child,
            dir,
            exit: None,
            killed: false,
        })
    }

    /// The id of the bot's own process.
    pub async fn own_pid(&mut self) -> Option<u32> {
        self.pid
    }

    /// The number of bytes in its standard input that it has not read, which is not known here.
    pub fn unread(&self) -> usize {
        0
    }

    /// The end of the bot's own process; before that, the waker is called then.
    pub fn poll_exited(&mut self, cx: &mut Context<'_>) -> Poll<&Exit> {
        if self.exit.is_none() {
            let status = ready!(pin!(self.child.wait()).poll(cx))
                .map_or(ProcessEnd::Unknown, |status| {
                    process_end(status.signal(), status.code())
                });
            self.exit = Some(Exit {
                status,
                killed: self.killed,
                ..Exit::default()
            });
        }
        Poll::Ready(self.exit.get_or_insert_default())
    }

    /// Ends the bot's own process.
    pub fn kill(&mut self) {
        self.killed = self.exit.is_none();
        let _ = self.child.start_kill();
    }

    /// Ends the bot.
    pub async fn end(&mut self, ending: Ending) -> Exit {
        self.stdin = None;
        let grace = match ending {
            Ending::Quit(grace) => grace,
            Ending::Kill => Duration::ZERO,
        };
        let _ = timeout(grace, poll_fn(|cx| self.poll_exited(cx).map(drop))).await;
        if let Some(pid) = self.pid {
            let _ = killpg(process_tree::id(pid), Signal::SIGKILL);
        }
        self.kill();
        let exit = poll_fn(|cx| self.poll_exited(cx).map(Exit::clone)).await;
        self.dir.remove();
        exit
    }
}
