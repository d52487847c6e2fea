//! The arena's end of a bot where there is no keeper: the bot is a child of the arena, ended with its process group if there
//! is such a thing.

use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::words::Room;
use super::{Ending, Exit, Launch, StartError, scratch};

/// A bot that was started.
pub struct Kept {
    /// What it reads, until somebody takes it.
    pub stdin: Option<ChildStdin>,
    /// What it writes, until somebody takes it.
    pub stdout: Option<ChildStdout>,
    /// Its log, until somebody takes it.
    pub stderr: Option<ChildStderr>,
    child: Child,
    pid: Option<u32>,
    room: PathBuf,
    exit: Option<Exit>,
}

/// Makes the arena fit for keeping bots: nothing is needed here.
pub fn prepare() {}

impl Kept {
    /// Starts a bot.
    pub async fn start(launch: &Launch<'_>) -> Result<Self, StartError> {
        let (room, order) = launch.cage.order(launch)?;
        let said = |error: std::io::Error| StartError::Arena(error.to_string());
        std::fs::create_dir(Room(&room).tmp()).map_err(said)?;
        let work = work(&room, &order.dir, &order.hidden).map_err(StartError::Arena)?;
        let mut command = Command::new(&order.command[0]);
        command.args(&order.command[1..]).env_clear().envs(&order.env).current_dir(work).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| StartError::Bot(format!("{}: {error}", order.command[0])))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        Ok(Self { stdin, stdout, stderr, pid: child.id(), child, room, exit: None })
    }

    /// The id of the bot's own process.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// How the bot's own process ended; otherwise the waker is called when it has.
    pub fn poll_exited(&mut self, cx: &mut Context<'_>) -> Poll<&Exit> {
        if self.exit.is_none() {
            let status = ready!(pin!(self.child.wait()).poll(cx)).map_or_else(|_| "ended".into(), described);
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
        self.kill_group();
        let _ = self.child.start_kill();
        poll_fn(|cx| self.poll_exited(cx).map(drop)).await;
        let exit = self.exit.clone().unwrap_or_default();
        scratch::remove(&self.room);
        exit
    }

    #[cfg(unix)]
    fn kill_group(&self) {
        if let Some(group) = self.pid.and_then(|pid| rustix::process::Pid::from_raw(pid.cast_signed())) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill_group(&self) {}
}

/// The folder in which the bot runs: one of links to what is in its own.
#[cfg(unix)]
fn work(room: &std::path::Path, dir: &std::path::Path, hidden: &[PathBuf]) -> Result<PathBuf, String> {
    let work = Room(room).work();
    scratch::furnish(&work, dir, hidden)?;
    Ok(work)
}

/// The folder in which the bot runs: its own, since links need rights on Windows.
#[cfg(not(unix))]
fn work(_: &std::path::Path, dir: &std::path::Path, _: &[PathBuf]) -> Result<PathBuf, String> {
    Ok(dir.to_path_buf())
}

/// How a process ended, in words.
fn described(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let named = rustix::process::Signal::from_named_raw(signal);
        return format!(
            "was ended by signal {}",
            named.map_or_else(|| signal.to_string(), |named| format!("{named:?}"))
        );
    }
    match status.code() {
        Some(code) => format!("exited with code {code}"),
        None => "ended".into(),
    }
}
