//! The arena's end of a sandboxed bot: its pipes, what its supervisor reports of it, and how it is ended.

use std::fs;
use std::future::poll_fn;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use arena_engine::fault::ProcessEnd;
use nix::fcntl::OFlag;
use tokio::io::AsyncWriteExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::cgroup::Cgroup;
use super::messages::{self, ToArena, ToSupervisor};
use super::meter::Meter;
use super::orphans;
use crate::exit::{Ending, Exit};
use crate::instructions::{Instructions, StartError};
use crate::process_dir::ProcessDir;

/// The time that a supervisor may take for what it does at once.
const PATIENCE: Duration = Duration::from_secs(15);
/// The longest line that a supervisor sends.
const LINE: usize = 64 << 10;

/// A bot that was started in a sandbox.
pub struct SandboxedChild {
    /// Its standard input, as long as that is open.
    pub stdin: Option<ChildStdin>,
    /// Its standard output, until somebody takes it.
    pub stdout: Option<ChildStdout>,
    /// Its log, until somebody takes it.
    pub stderr: Option<ChildStderr>,
    supervisor: Child,
    link: Link,
    dir: ProcessDir,
    pid: Option<u32>,
    meter: Arc<Meter>,
    group: Option<Cgroup>,
    exit: Option<Exit>,
    is_gone: bool,
}

impl SandboxedChild {
    /// Starts a bot.
    pub async fn start(dir: ProcessDir, instructions: Instructions) -> Result<Self, StartError> {
        let failed =
            |error: io::Error| StartError::Arena(format!("the supervisor of a bot cannot be started: {error}"));
        instructions.write(&dir).map_err(failed)?;
        let listener = UnixListener::bind(dir.socket()).map_err(failed)?;
        let mut supervisor = orphans::start(&mut command(&dir)).map_err(failed)?;
        let (stdin, stdout, stderr) = (supervisor.stdin.take(), supervisor.stdout.take(), supervisor.stderr.take());
        let stream = timeout(PATIENCE, connected(&listener, &mut supervisor)).await;
        let stream = stream.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(failed)?;
        let _ = fs::remove_file(dir.socket());
        let link = Link { stream, received: Vec::new() };
        let (group, exit) = (instructions.group, None);
        let meter = Arc::new(Meter::new(supervisor.id().unwrap_or_default(), group.clone()));
        let mut child =
            Self { stdin, stdout, stderr, supervisor, link, dir, pid: None, meter, group, exit, is_gone: false };
        match timeout(PATIENCE, poll_fn(|cx| child.link.poll_receive(cx))).await {
            Ok(Some(ToArena::Started(pid))) => {
                child.pid = Some(pid);
                child.meter.set_main(pid);
                Ok(child)
            }
            other => {
                child.dispose().await;
                Err(StartError::Arena(match other {
                    Ok(Some(ToArena::Failed(why))) => why,
                    _ => "the supervisor of a bot does not answer".into(),
                }))
            }
        }
    }

    /// The id of the bot's own process.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// What measures its processes.
    pub fn meter(&self) -> Arc<Meter> {
        Arc::clone(&self.meter)
    }

    /// The number of bytes in its standard input that it has not read. To be called once it has ended, since nobody can
    /// read them afterwards.
    pub fn unread(&self) -> usize {
        let read = |stdin: &ChildStdin| {
            let path = format!("/proc/self/fd/{}", stdin.as_raw_fd());
            let mut pipe = fs::File::options().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path).ok()?;
            let mut rest = Vec::new();
            // It ends with an error, since this end of the pipe is still open.
            let _ = pipe.read_to_end(&mut rest);
            Some(rest.len())
        };
        self.stdin.as_ref().and_then(read).unwrap_or(0)
    }

    /// The end of the bot's own process, whatever others of its processes do; before that, the waker is called then.
    pub fn poll_exited(&mut self, cx: &mut Context<'_>) -> Poll<&Exit> {
        while self.exit.is_none() {
            let message = ready!(self.link.poll_receive(cx));
            self.take_in(message);
        }
        Poll::Ready(self.exit.get_or_insert_default())
    }

    /// Ends the bot. When this returns, nothing is left of it.
    pub async fn end(&mut self, ending: Ending) -> Exit {
        self.stdin = None;
        let (message, limit) = match ending {
            Ending::Quit(grace) => (ToSupervisor::Quit(grace), grace + PATIENCE),
            Ending::Kill => (ToSupervisor::Kill, PATIENCE),
        };
        self.link.send(&message).await;
        let gone = async {
            while !self.is_gone {
                let message = poll_fn(|cx| self.link.poll_receive(cx)).await;
                self.take_in(message);
            }
        };
        if timeout(limit, gone).await.is_err() {
            self.lose();
        }
        self.dispose().await;
        self.exit.clone().unwrap_or_default()
    }

    /// Takes in what the supervisor has sent; nothing if it is gone.
    fn take_in(&mut self, message: Option<ToArena>) {
        match message {
            Some(ToArena::Bot(pid)) => {
                self.pid = Some(pid);
                self.meter.set_main(pid);
            }
            Some(ToArena::Exited(exit)) => self.exit = Some(exit),
            Some(ToArena::Gone(exit)) => {
                self.exit = Some(exit);
                self.is_gone = true;
            }
            Some(ToArena::Started(_) | ToArena::Failed(_)) => {}
            None => self.lose(),
        }
    }

    /// Gives up a supervisor that is gone, or as good as gone.
    fn lose(&mut self) {
        self.is_gone = true;
        self.exit.get_or_insert(Exit { status: ProcessEnd::Lost, ..Exit::default() });
        let _ = self.supervisor.start_kill();
    }

    /// Waits for the supervisor's end, and ends what it could not.
    async fn dispose(&mut self) {
        let id = self.supervisor.id();
        let _ = self.link.stream.shutdown().await;
        let ended = match timeout(PATIENCE, self.supervisor.wait()).await {
            Ok(status) => status,
            Err(_) => self.supervisor.kill().await.map(|()| ExitStatus::default()),
        };
        id.into_iter().for_each(orphans::forget);
        if !ended.is_ok_and(|status| status.success()) {
            self.group.iter().for_each(Cgroup::kill);
            orphans::end();
            self.dir.remove();
        }
        self.group.iter().for_each(Cgroup::remove);
    }
}

fn command(dir: &ProcessDir) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg("supervise").arg(&dir.0).env_clear().process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits until the supervisor, and nobody else, has connected.
async fn connected(listener: &UnixListener, supervisor: &mut Child) -> io::Result<UnixStream> {
    let id = supervisor.id().map(u32::cast_signed);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted?.0,
            ended = supervisor.wait() => return Err(io::Error::other(format!("it ended: {}", ended?))),
        };
        if stream.peer_cred()?.pid() == id {
            return Ok(stream);
        }
    }
}

/// The connection with the supervisor.
struct Link {
    stream: UnixStream,
    received: Vec<u8>,
}

impl Link {
    /// The next message of the supervisor; nothing more if it is gone.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Option<ToArena>> {
        loop {
            if let Some(message) = messages::take(&mut self.received) {
                return Poll::Ready(message.ok());
            }
            if ready!(self.stream.poll_read_ready(cx)).is_err() {
                return Poll::Ready(None);
            }
            match self.stream.try_read_buf(&mut self.received) {
                Ok(0) => return Poll::Ready(None),
                Ok(_) if self.received.len() > LINE => return Poll::Ready(None),
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Poll::Ready(None),
                _ => {}
            }
        }
    }

    /// Sends something to the supervisor. That it is gone shows when its next message is awaited.
    async fn send(&mut self, message: &ToSupervisor) {
        let _ = timeout(PATIENCE, self.stream.writable()).await;
        let _ = self.stream.try_write(&messages::line(message));
    }
}
