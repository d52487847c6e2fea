//! The arena's end of a bot that is kept: its pipes, what its keeper says of it, and how it is ended.

use std::future::poll_fn;
use std::path::PathBuf;
use std::process::Stdio;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::words::{Down, Room, Up};
use super::{Ending, Exit, Launch, StartError, scratch, strays};
use crate::setup::millis;

/// How long a keeper may take for what it does at once.
const PATIENCE: Duration = Duration::from_secs(15);
/// The most that a keeper says in one line.
const LINE: usize = 64 << 10;

/// A bot that was started.
pub struct Kept {
    /// What it reads.
    pub stdin: Option<ChildStdin>,
    /// What it writes, until somebody takes it.
    pub stdout: Option<ChildStdout>,
    /// Its log, until somebody takes it.
    pub stderr: Option<ChildStderr>,
    keeper: Child,
    link: Link,
    room: PathBuf,
    pid: Option<u32>,
    exit: Option<Exit>,
    is_gone: bool,
}

/// Makes the arena fit for keeping bots: to be called once, before any is started.
pub fn prepare() {
    strays::adopt();
}

impl Kept {
    /// Starts a bot.
    pub async fn start(launch: &Launch<'_>) -> Result<Self, StartError> {
        let (room, order) = launch.cage.order(launch)?;
        let said = |error: std::io::Error| StartError::Arena(format!("a keeper cannot be started: {error}"));
        let order = serde_json::to_vec(&order).map_err(|error| StartError::Arena(error.to_string()))?;
        std::fs::write(Room(&room).order(), order).map_err(said)?;
        let listener = UnixListener::bind(Room(&room).link()).map_err(said)?;
        let mut keeper = strays::start(&mut command(&room)).map_err(said)?;
        let stdin = keeper.stdin.take();
        let stdout = keeper.stdout.take();
        let stderr = keeper.stderr.take();
        let link = timeout(PATIENCE, connected(&listener, &mut keeper)).await;
        let link = link.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into())).map_err(said)?;
        let _ = std::fs::remove_file(Room(&room).link());
        let link = Link { stream: link, heard: Vec::new() };
        let mut kept = Self { stdin, stdout, stderr, keeper, link, room, pid: None, exit: None, is_gone: false };
        match timeout(PATIENCE, poll_fn(|cx| kept.link.poll_next(cx))).await {
            Ok(Some(Up::Started(pid))) => {
                kept.pid = Some(pid);
                Ok(kept)
            }
            failed => {
                kept.dispose().await;
                Err(match failed {
                    Ok(Some(Up::Failed(why))) => StartError::Arena(why),
                    _ => StartError::Arena("a keeper does not answer".into()),
                })
            }
        }
    }

    /// The id of the bot's own process.
    #[allow(dead_code, reason = "for those who account its computing time")]
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// How the bot's own process ended, whatever others of its processes do; otherwise the waker is called when it has.
    pub fn poll_exited(&mut self, cx: &mut Context<'_>) -> Poll<&Exit> {
        while self.exit.is_none() {
            let said = ready!(self.link.poll_next(cx));
            self.take_in(said);
        }
        Poll::Ready(self.exit.get_or_insert_default())
    }

    /// Ends the bot. When this returns, nothing is left of it.
    pub async fn end(&mut self, ending: Ending) -> Exit {
        self.stdin = None;
        let (word, limit) = match ending {
            Ending::Quit(grace) => (Down::Quit(millis(grace)), grace + PATIENCE),
            Ending::Kill => (Down::Kill, PATIENCE),
        };
        self.link.say(&word).await;
        let gone = async {
            while !self.is_gone {
                let said = poll_fn(|cx| self.link.poll_next(cx)).await;
                self.take_in(said);
            }
        };
        let is_lost = timeout(limit, gone).await.is_err();
        if is_lost {
            self.lost();
        }
        self.dispose().await;
        self.exit.clone().unwrap_or_default()
    }

    /// Takes in what the keeper has said.
    fn take_in(&mut self, said: Option<Up>) {
        match said {
            Some(Up::Bot(pid)) => self.pid = Some(pid),
            Some(Up::Exited(exit)) => self.exit = Some(exit),
            Some(Up::Gone(gone)) => {
                self.exit = Some(gone);
                self.is_gone = true;
            }
            Some(Up::Started(_) | Up::Failed(_)) => {}
            None => self.lost(),
        }
    }

    /// The keeper is gone, or as good as gone.
    fn lost(&mut self) {
        self.is_gone = true;
        let status = "was ended together with its keeper, from outside or by itself".into();
        self.exit.get_or_insert(Exit { status, ..Exit::default() });
        let _ = self.keeper.start_kill();
    }

    /// Waits for the keeper's end, and ends what it could not.
    async fn dispose(&mut self) {
        let id = self.keeper.id();
        self.link.close();
        let ended = match timeout(PATIENCE, self.keeper.wait()).await {
            Ok(status) => status,
            Err(_) => self.keeper.kill().await.map(|()| std::process::ExitStatus::default()),
        };
        id.into_iter().for_each(strays::forget);
        if !ended.is_ok_and(|status| status.success()) {
            strays::end();
            scratch::remove(&self.room);
        }
    }
}

fn command(room: &std::path::Path) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg("keep").arg(room).env_clear().process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits until the keeper, and nobody else, has connected.
async fn connected(listener: &UnixListener, keeper: &mut Child) -> std::io::Result<UnixStream> {
    let id = keeper.id().map(u32::cast_signed);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted?.0,
            ended = keeper.wait() => return Err(std::io::Error::other(format!("it ended: {}", ended?))),
        };
        if stream.peer_cred()?.pid() == id {
            return Ok(stream);
        }
    }
}

/// Lines to and from the keeper.
struct Link {
    stream: UnixStream,
    heard: Vec<u8>,
}

impl Link {
    /// The next thing that the keeper says; nothing more if it is gone.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Up>> {
        loop {
            if let Some(end) = self.heard.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.heard.drain(..=end).collect();
                return Poll::Ready(serde_json::from_slice(&line).ok());
            }
            if ready!(self.stream.poll_read_ready(cx)).is_err() {
                return Poll::Ready(None);
            }
            match self.stream.try_read_buf(&mut self.heard) {
                Ok(0) => return Poll::Ready(None),
                Ok(_) if self.heard.len() > LINE => return Poll::Ready(None),
                Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => return Poll::Ready(None),
                _ => {}
            }
        }
    }

    /// Says something to the keeper. That it is gone shows when it is listened to.
    async fn say(&mut self, what: &Down) {
        let mut line = serde_json::to_vec(what).unwrap_or_default();
        line.push(b'\n');
        let _ = timeout(PATIENCE, self.stream.writable()).await;
        let _ = self.stream.try_write(&line);
    }

    fn close(&mut self) {
        let _ = rustix::net::shutdown(&self.stream, rustix::net::Shutdown::Both);
    }
}
