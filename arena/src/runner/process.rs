//! A bot's process: started once, asked line by line, and ended.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use arena_engine::chance::{Chance, Seed};
use arena_engine::machine::Reply;
use arena_engine::outcome::{Cause, Fault};
use arena_engine::seat::Seat;
use arena_protocol::frame::{BOT_LINE, BadLine, Lines};
use arena_protocol::message::{self, Heard, Hello, Ready, Refusal, ToBot, Want};
use arena_results::played::Evidence;
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, timeout, timeout_at};

use super::evidence::{LastLines, Tail, drain, open_log};
use crate::setup::{Bot, Clock, Program, millis};

/// How long a process may take to exit after it was told to.
const GRACE: Duration = Duration::from_secs(1);
/// How long to wait for the exit status of a process that closed its output.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// A message without the parts that depend on the game.
type Plain = ToBot<(), (), (), ()>;

/// A running bot.
pub struct Process {
    child: Child,
    /// Its process group, which holds what it starts as well.
    group: Option<Pid>,
    exit: Option<String>,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    lines: Lines,
    ids: Ids,
    ready: Ready,
    heard: LastLines,
    said: LastLines,
    stderr: Tail,
}

/// What a bot answered, with its note.
pub struct Said<Action> {
    /// The answer, or why there is none.
    pub reply: Reply<Action>,
    /// What the bot wants kept.
    pub note: Option<String>,
}

/// A bot that failed before it was ready.
pub struct Unready {
    /// Why.
    pub fault: Fault,
    /// What shows it.
    pub evidence: Evidence,
}

impl Process {
    /// Starts the program and waits until it is ready.
    pub async fn start(bot: &Bot, program: &Program, clock: Clock, logs: Option<&Path>) -> Result<Self, Unready> {
        let log = logs.and_then(|logs| open_log(logs, &bot.name));
        let mut process = spawn(program, log).map_err(|why| {
            let fault = Fault { cause: Cause::Crash, detail: format!("could not be started: {why}") };
            let none = Vec::new;
            let evidence =
                Evidence { seat: Seat(0), turn: 0, heard: none(), said: none(), stderr: String::new(), exit: None };
            Unready { fault, evidence }
        })?;
        match process.greet(clock.start).await {
            Ok(ready) => {
                process.ready = ready;
                Ok(process)
            }
            Err(fault) => Err(Unready { evidence: process.kill(Seat(0), 0).await, fault }),
        }
    }

    /// Whether turns for this bot hold this.
    pub fn wants(&self, want: Want) -> bool {
        self.ready.wants.as_ref().is_none_or(|wants| wants.contains(&want))
    }

    /// Whether the bot says that it plays the game.
    pub fn plays(&self, game: &str) -> bool {
        self.ready.games.as_ref().is_none_or(|games| games.iter().any(|name| name == game))
    }

    /// An id for the next turn: greater than all before, and not to be guessed.
    pub fn next_id(&mut self) -> u64 {
        self.ids.next()
    }

    /// Sends a message that is not answered.
    pub async fn tell(&mut self, message: &impl Serialize) {
        // A bot that does not read it shows that when it is asked next.
        let _ = timeout(GRACE, self.write(message)).await;
    }

    /// Sends a turn and waits for its answer until the limit.
    pub async fn ask<Action: DeserializeOwned>(
        &mut self,
        id: u64,
        turn: &impl Serialize,
        limit: Duration,
    ) -> Said<Action> {
        let until = Instant::now() + limit;
        let failed = |cause, detail: String| Reply::Failed(Fault { cause, detail });
        let none = |reply| Said { reply, note: None };
        if timeout_at(until, self.write(turn)).await.is_err() {
            let detail = format!("did not read what it was sent for {} ms", millis(limit));
            return none(failed(Cause::Time, detail));
        }
        loop {
            let line = match timeout_at(until, self.read()).await {
                Err(_) => return none(Reply::Late),
                Ok(Ok(line)) => line,
                Ok(Err(fault)) => return none(Reply::Failed(fault)),
            };
            match message::hear(&line, id) {
                Ok(Heard::Stale) => {}
                Ok(Heard::Answer(answer)) => return Said { reply: Reply::Act(answer.action), note: answer.note },
                Err(why) => return none(failed(Cause::Protocol, why.to_string())),
            }
        }
    }

    /// Tells the bot why it failed, ends it, and returns what shows the failure.
    pub async fn dismiss(mut self, fault: &Fault, seat: Seat, turn: u32) -> Evidence {
        self.tell(&Plain::Error(Refusal { message: format!("{}: {}", fault.cause, fault.detail) })).await;
        self.kill(seat, turn).await
    }

    /// Tells the bot to exit, and sees to it.
    pub async fn quit(mut self) {
        self.tell(&Plain::Quit {}).await;
        self.stdin = None;
        let _ = timeout(GRACE, self.child.wait()).await;
        self.end().await;
    }

    async fn greet(&mut self, limit: Duration) -> Result<Ready, Fault> {
        let hello = Hello { protocol: message::VERSION, arena: env!("CARGO_PKG_VERSION").into() };
        let talk = async {
            self.write(&Plain::Hello(hello)).await;
            let line = self.read().await?;
            message::hear_ready(&line).map_err(|why| Fault { cause: Cause::Protocol, detail: why.to_string() })
        };
        timeout(limit, talk).await.unwrap_or_else(|_| {
            let detail = format!("did not say that it is ready within {} ms", millis(limit));
            Err(Fault { cause: Cause::Time, detail })
        })
    }

    /// Writes one line. That the bot does not read any more shows when it is read from.
    async fn write(&mut self, message: &impl Serialize) {
        let mut line = serde_json::to_string(message).expect("a message can be written as JSON");
        self.heard.push(&line);
        line.push('\n');
        if let Some(stdin) = &mut self.stdin
            && stdin.write_all(line.as_bytes()).await.is_err()
        {
            self.stdin = None;
        }
    }

    /// Reads one line.
    async fn read(&mut self) -> Result<String, Fault> {
        loop {
            match self.lines.line() {
                Ok(Some(line)) => {
                    self.said.push(line);
                    return Ok(line.to_owned());
                }
                Ok(None) => {}
                Err(bad) => {
                    if let BadLine::NotUtf8(line) = &bad {
                        self.said.push(line);
                    }
                    return Err(Fault { cause: Cause::Protocol, detail: format!("sent {bad}") });
                }
            }
            self.fill().await?;
        }
    }

    /// Reads more bytes. That the process has ended is noticed even if a child of its holds its output open.
    async fn fill(&mut self) -> Result<(), Fault> {
        let mut patience = if self.exit.is_some() { LAST_MOMENT } else { Duration::MAX };
        loop {
            let count = tokio::select! {
                biased;
                count = timeout(patience, self.stdout.read_buf(self.lines.inlet())) => count,
                status = self.child.wait(), if self.exit.is_none() => {
                    self.exit = Some(status.map_or_else(|_| "ended".into(), describe));
                    patience = LAST_MOMENT;
                    continue;
                }
            };
            return match count {
                Ok(Ok(1..)) => Ok(()),
                _ => Err(self.ended().await),
            };
        }
    }

    /// The fault of a process that has closed its output.
    async fn ended(&mut self) -> Fault {
        let rest = self.lines.rest();
        if !rest.trim().is_empty() {
            self.said.push(&rest);
        }
        if self.exit.is_none() {
            let status = timeout(LAST_MOMENT, self.child.wait()).await;
            self.exit = status.ok().and_then(Result::ok).map(describe);
        }
        let detail = self.exit.clone().unwrap_or_else(|| "closed its standard output".into());
        Fault { cause: Cause::Crash, detail }
    }

    async fn kill(mut self, seat: Seat, turn: u32) -> Evidence {
        let by_itself = self.child.try_wait().ok().flatten().map(describe);
        let exit = self.exit.take().or(by_itself);
        self.end().await;
        Evidence { seat, turn, heard: self.heard.lines(), said: self.said.lines(), stderr: self.stderr.text(), exit }
    }

    /// Ends the process, unless it has ended by itself, and those it started in its group.
    async fn end(&mut self) {
        if let Some(group) = self.group {
            // Nothing may be left of it.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait().await;
    }
}

fn spawn(program: &Program, log: Option<std::fs::File>) -> std::io::Result<Process> {
    let mut child = Command::new(&program.command[0])
        .args(&program.command[1..])
        .current_dir(&program.dir)
        .envs(&program.env)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let group = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take().expect("stdout is piped"));
    let stderr = Tail::default();
    tokio::spawn(drain(child.stderr.take().expect("stderr is piped"), stderr.clone(), log));
    Ok(Process {
        child,
        group,
        exit: None,
        stdin,
        stdout,
        lines: Lines::new(BOT_LINE),
        ids: Ids::new(),
        ready: Ready::default(),
        heard: LastLines::default(),
        said: LastLines::default(),
        stderr,
    })
}

/// How a process ended, in words.
fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = Signal::from_named_raw(signal).map_or_else(|| signal.to_string(), |named| format!("{named:?}"));
        return format!("was ended by signal {name}");
    }
    match status.code() {
        Some(code) => format!("exited with code {code}"),
        None => "ended".into(),
    }
}

/// The ids of a process's turns: they rise by steps that a bot cannot foresee, so that it cannot answer in advance.
struct Ids {
    last: u64,
    steps: Chance,
}

impl Ids {
    fn new() -> Self {
        let seed = Seed::try_from(u64::from(std::process::id())).expect("process ids are small");
        Self { last: 0, steps: seed.stream("ids", 0) }
    }

    fn next(&mut self) -> u64 {
        self.last += 1 + u64::from(self.steps.below(1_000));
        self.last
    }
}
