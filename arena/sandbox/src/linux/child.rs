//! The arena's end of a sandboxed bot: its pipes, its supervisor's reports, and its termination.

use std::fs;
use std::future::poll_fn;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use arena_protocol::fault::ProcessEnd;
use nix::fcntl::OFlag;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::orphans;
use super::supervisor::Notice;
use crate::cgroup::Cgroup;
use crate::exit::{Ending, Exit};
use crate::instructions::{Instructions, StartError};
use crate::meter::Meter;
use crate::process_dir::ProcessDir;

/// Timeout for requests to the supervisor that should complete immediately.
const SUPERVISOR_TIMEOUT: Duration = Duration::from_secs(15);

/// A bot running in a sandbox.
pub struct SandboxedChild {
    /// Standard input, while it is open.
    pub stdin: Option<ChildStdin>,
    /// Standard output, until it is taken.
    pub stdout: Option<ChildStdout>,
    /// Standard error, until it is taken.
    pub stderr: Option<ChildStderr>,
    /// Id of the bot's own process.
    pub pid: Option<u32>,
    /// Meter of the bot's processes.
    pub meter: Arc<Meter>,
    supervisor: Child,
    reports: Lines<BufReader<OwnedReadHalf>>,
    requests: OwnedWriteHalf,
    dir: ProcessDir,
    group: Option<Cgroup>,
    exit: Option<Exit>,
}

impl SandboxedChild {
    /// Starts a bot.
    pub async fn start(dir: ProcessDir, instructions: Instructions) -> Result<Self, StartError> {
        let failed = |error: io::Error| {
            StartError::Arena(format!(
                "the supervisor of a bot cannot be started: {error}"
            ))
        };
        instructions.write(&dir).map_err(failed)?;
        let listener = UnixListener::bind(dir.socket()).map_err(failed)?;
        let mut supervisor = orphans::start(&mut command(&dir)).map_err(failed)?;
        // Take the input before any wait for the exit, which would close it.
        let stdin = supervisor.stdin.take();
        let stream = timeout(SUPERVISOR_TIMEOUT, connected(&listener, &mut supervisor)).await;
        let stream = stream
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
            .map_err(failed)?;
        let _ = fs::remove_file(dir.socket());
        let (reports, requests) = stream.into_split();
        let reports = BufReader::new(reports).lines();
        let group = instructions.group;
        let supervisor_id = supervisor.id().unwrap_or_default();
        let meter = Arc::new(Meter::new(supervisor_id, group.clone()));
        let mut child = Self {
            stdin,
            stdout: supervisor.stdout.take(),
            stderr: supervisor.stderr.take(),
            supervisor,
            reports,
            requests,
            dir,
            pid: None,
            meter,
            group,
            exit: None,
        };
        let first = timeout(SUPERVISOR_TIMEOUT, poll_fn(|cx| child.poll_report(cx))).await;
        let why = match first {
            Ok(Some(Notice::Running(pid))) => {
                child.set_pid(pid);
                return Ok(child);
            }
            Ok(Some(Notice::Failed(why))) => why,
            _ => "the supervisor of a bot does not answer".into(),
        };
        child.dispose().await;
        Err(StartError::Arena(why))
    }

    /// Returns the number of unread bytes in the bot's standard input. Call it only once, after the bot has ended, because it drains the
    /// pipe.
    pub fn unread(&self) -> usize {
        let Some(stdin) = &self.stdin else { return 0 };
        let pipe = fs::File::options()
            .read(true)
            .custom_flags(OFlag::O_NONBLOCK.bits())
            .open(format!("/proc/self/fd/{}", stdin.as_raw_fd()));
        let mut rest = Vec::new();
        // Reading ends with an error, because this end of the pipe is still open.
        let _ = pipe.and_then(|mut pipe| pipe.read_to_end(&mut rest));
        rest.len()
    }

    fn set_pid(&mut self, pid: u32) {
        self.pid = Some(pid);
        self.meter.set_main(pid);
    }

    /// Returns the id of the bot's own process once it is running; `None` if the bot has ended. Call it right after the start.
    pub async fn own_pid(&mut self) -> Option<u32> {
        let report = poll_fn(|cx| self.poll_report(cx)).await?;
        let is_found = matches!(report, Notice::Running(_));
        self.receive(report);
        self.pid.filter(|_| is_found)
    }

    /// Polls the next report of the supervisor; `None` if the supervisor is gone.
    fn poll_report(&mut self, cx: &mut Context<'_>) -> Poll<Option<Notice>> {
        let line = ready!(Pin::new(&mut self.reports).poll_next_line(cx));
        Poll::Ready(
            line.ok()
                .flatten()
                .and_then(|line| serde_json::from_str(&line).ok()),
        )
    }

    fn receive(&mut self, report: Notice) {
        match report {
            Notice::Running(pid) => self.set_pid(pid),
            Notice::Exited(exit) => self.exit = Some(exit),
            Notice::Failed(_) => {}
        }
    }

    /// Polls the exit of the bot's own process, regardless of its other processes. The waker is woken at the exit.
    pub fn poll_exited(&mut self, cx: &mut Context<'_>) -> Poll<&Exit> {
        while self.exit.is_none() {
            match ready!(self.poll_report(cx)) {
                Some(report) => self.receive(report),
                None => self.exit = Some(lost()),
            }
        }
        Poll::Ready(self.exit.get_or_insert_default())
    }

    /// Requests the supervisor to kill the bot; the exit is then reported as usual.
    pub fn kill(&mut self) {
        let _ = self.requests.try_write(&request(Ending::Kill));
    }

    /// Ends the bot. On return, none of its processes is left.
    pub async fn end(&mut self, ending: Ending) -> Exit {
        self.stdin = None;
        let limit = match ending {
            Ending::Quit(grace) => grace + SUPERVISOR_TIMEOUT,
            Ending::Kill => SUPERVISOR_TIMEOUT,
        };
        let _ = timeout(
            SUPERVISOR_TIMEOUT,
            self.requests.write_all(&request(ending)),
        )
        .await;
        let last = async {
            while let Some(report) = poll_fn(|cx| self.poll_report(cx)).await {
                self.receive(report);
            }
        };
        if timeout(limit, last).await.is_err() {
            let _ = self.supervisor.start_kill();
        }
        self.dispose().await;
        self.exit.get_or_insert_with(lost).clone()
    }

    /// Waits for the supervisor to end, and ends any process that the supervisor could not.
    async fn dispose(&mut self) {
        let id = self.supervisor.id();
        let _ = self.requests.shutdown().await;
        let ended = timeout(SUPERVISOR_TIMEOUT, self.supervisor.wait()).await;
        let is_clean = matches!(ended, Ok(Ok(status)) if status.success());
        if !is_clean {
            let _ = self.supervisor.kill().await;
        }
        id.into_iter().for_each(orphans::forget);
        if !is_clean {
            self.group.iter().for_each(Cgroup::kill);
            orphans::end();
            self.dir.remove();
        }
        self.group.iter().for_each(Cgroup::remove);
    }
}

fn request(ending: Ending) -> Vec<u8> {
    serde_json::to_vec(&ending).expect("there is nothing in it but a time")
}

/// Returns the exit of a bot whose supervisor is gone.
fn lost() -> Exit {
    Exit {
        status: ProcessEnd::Lost,
        ..Exit::default()
    }
}

fn command(dir: &ProcessDir) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command
        .arg("supervise")
        .arg(&dir.0)
        .env_clear()
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Waits until the supervisor has connected. At every isolation level, bots cannot reach the socket.
async fn connected(listener: &UnixListener, supervisor: &mut Child) -> io::Result<UnixStream> {
    tokio::select! {
        accepted = listener.accept() => Ok(accepted?.0),
        ended = supervisor.wait() => Err(io::Error::other(format!("it ended: {}", ended?))),
    }
}
