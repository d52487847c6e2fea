//! A running referee: the arena sends a line, and waits for the line that answers it.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::thread;
use std::time::{Duration, Instant};

use arena_protocol::frame::{Lines, MAX_ARENA_LINE_BYTES};
use arena_sandbox::{Ending, Exit, Sandbox, SandboxedChild, StartError};
use arena_tournament::entrant::Program;
use arena_tournament::printable::clean;
use arena_tournament::spec::Limits;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::runtime::{self, Runtime};

/// Maximum number of bytes kept of the referee's standard error.
const MAX_LOG_BYTES: usize = 8 << 10;
/// Number of last lines of the log that the text of a failure quotes.
const MAX_LOG_LINES: usize = 12;
/// Maximum length of a quoted line, in characters.
const MAX_QUOTED_CHARS: usize = 200;

/// A running referee.
pub struct RefereeProcess {
    child: SandboxedChild,
    /// The runtime of the connection to the supervisor.
    runtime: Runtime,
    input: File,
    output: File,
    errors: File,
    lines: Lines,
    /// The end of the referee's standard error.
    log: Vec<u8>,
    limit: Duration,
    /// The reason why the referee can no longer be used, if it failed.
    pub failed: Option<String>,
}

impl RefereeProcess {
    /// Starts a referee, which must answer each line within the limit.
    ///
    /// # Errors
    /// If the referee cannot be started; the error gives the reason.
    pub fn start(
        sandbox: &Sandbox,
        name: &str,
        program: &Program,
        limits: Limits,
        limit: Duration,
    ) -> Result<Self, String> {
        // The caller may be inside a runtime: use a separate thread.
        apart(|| {
            let runtime = runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            let started = runtime.block_on(async {
                let mut child = sandbox
                    .start(name, program, limits)
                    .await
                    .map_err(|error| match error {
                        StartError::Arena(why) | StartError::Bot(why) => why,
                    })?;
                let missing = || "a pipe is missing".to_owned();
                let failed = |error: std::io::Error| error.to_string();
                let stdin = child.stdin.take().ok_or_else(missing)?;
                let stdout = child.stdout.take().ok_or_else(missing)?;
                let stderr = child.stderr.take().ok_or_else(missing)?;
                let input = stdin.into_owned_fd().map_err(failed)?;
                let output = stdout.into_owned_fd().map_err(failed)?;
                let errors = stderr.into_owned_fd().map_err(failed)?;
                Ok::<_, String>((child, [input, output, errors].map(File::from)))
            });
            let (child, [input, output, errors]) = started?;
            Ok(Self {
                child,
                runtime,
                input,
                output,
                errors,
                lines: Lines::new(MAX_ARENA_LINE_BYTES),
                log: Vec::new(),
                limit,
                failed: None,
            })
        })
    }

    /// Sends a line that needs no answer. Stops early if the referee does not read it.
    pub fn send(&mut self, line: &[u8]) {
        if self.failed.is_none() {
            let _ = self.exchange(line, false, self.limit);
        }
    }

    /// Sends a line, and returns the answer.
    ///
    /// # Errors
    /// If the referee fails; the error includes the end of its log. The referee is then ended.
    pub fn ask(&mut self, line: &[u8]) -> Result<String, String> {
        self.ask_within(self.limit, line)
    }

    /// Like [`Self::ask`], but with a different limit for this answer.
    ///
    /// # Errors
    /// As for [`Self::ask`].
    pub fn ask_within(&mut self, limit: Duration, line: &[u8]) -> Result<String, String> {
        if let Some(why) = &self.failed {
            return Err(why.clone());
        }
        let answer = self.exchange(line, true, limit);
        answer.map_err(|why| self.fail(&why))
    }

    /// Ends a referee that has failed for this reason, and returns the reason with the end of its log.
    pub fn fail(&mut self, why: &str) -> String {
        let exit = self.end();
        while self.read_log() {}
        let why = match exit {
            Some(exit) if !exit.killed && exit.ours.is_none() => format!("{why} ({exit})"),
            Some(Exit {
                ours: Some(ours), ..
            }) => format!("{why} ({ours})"),
            _ => why.to_owned(),
        };
        let log = String::from_utf8_lossy(&self.log);
        let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(MAX_LOG_LINES)..];
        let log: String = last
            .iter()
            .map(|line| format!("\n  {}", clean(line)))
            .collect();
        let why = match log.as_str() {
            "" => why,
            _ => format!("{why}; the end of its log:{log}"),
        };
        self.failed = Some(why.clone());
        why
    }

    /// Sends a line and, if an answer is wanted, waits for it. Reads the log meanwhile, so that a full pipe never blocks the referee.
    fn exchange(
        &mut self,
        line: &[u8],
        is_answered: bool,
        limit: Duration,
    ) -> Result<String, String> {
        let until = Instant::now() + limit;
        let mut left = line;
        loop {
            left = self.write(left);
            if left.is_empty() {
                if !is_answered {
                    return Ok(String::new());
                }
                if let Some(line) = self.line()? {
                    return Ok(line);
                }
            }
            let has_news = self.wait(!left.is_empty(), until)?;
            if !has_news {
                let seconds = limit.as_secs_f64();
                return Err(format!("it has not answered within {seconds} s"));
            }
        }
    }

    /// Writes as much as the referee accepts now, and returns the rest. If the referee has closed its input, returns an empty rest: its
    /// output or its exit will tell the reason.
    fn write<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        if bytes.is_empty() {
            return bytes;
        }
        match self.input.write(bytes) {
            Ok(written) => &bytes[written..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => bytes,
            Err(_) => &[],
        }
    }

    /// Returns the next line that has arrived, if any.
    fn line(&mut self) -> Result<Option<String>, String> {
        match self.lines.line() {
            Ok(line) => Ok(line.map(str::to_owned)),
            Err(violation) => Err(format!("its line is not one of the messages: {violation}")),
        }
    }

    /// Waits until something can be read (or, if `writes` is set, written), and reads it. Returns `false` if the deadline passed first.
    fn wait(&mut self, writes: bool, until: Instant) -> Result<bool, String> {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        let writable = if writes {
            PollFlags::POLLOUT
        } else {
            PollFlags::empty()
        };
        let mut polled = [
            PollFd::new(self.output.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.errors.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.input.as_fd(), writable),
        ];
        match poll(&mut polled, timeout) {
            Ok(0) => return Ok(false),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(format!("it cannot be read: {error}")),
        }
        let [output, errors, _] = polled.map(|polled| polled.any().unwrap_or(true));
        if errors {
            self.read_log();
        }
        if output {
            self.read()?;
        }
        Ok(true)
    }

    fn read(&mut self) -> Result<(), String> {
        let mut bytes = [0; 64 << 10];
        match self.output.read(&mut bytes) {
            Ok(0) => {
                let rest = self.lines.rest();
                let rest: String = rest.trim().chars().take(MAX_QUOTED_CHARS).collect();
                Err(match rest.as_str() {
                    "" => "it has closed its standard output".to_owned(),
                    _ => format!("its last line has no newline: {}", clean(&rest)),
                })
            }
            Ok(count) => {
                self.lines.inlet().extend_from_slice(&bytes[..count]);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(format!("it cannot be read: {error}")),
        }
    }

    /// Reads more of the log. Returns `false` if nothing is available now.
    fn read_log(&mut self) -> bool {
        let mut bytes = [0; 4 << 10];
        let Ok(count @ 1..) = self.errors.read(&mut bytes) else {
            return false;
        };
        self.log.extend_from_slice(&bytes[..count]);
        let excess = self.log.len().saturating_sub(MAX_LOG_BYTES);
        self.log.drain(..excess);
        true
    }

    /// Ends the referee and all processes that it has started.
    fn end(&mut self) -> Option<Exit> {
        let (child, runtime) = (&mut self.child, &self.runtime);
        apart(|| Ok(runtime.block_on(child.end(Ending::Kill)))).ok()
    }
}

impl Drop for RefereeProcess {
    fn drop(&mut self) {
        if self.failed.is_none() {
            self.end();
        }
    }
}

/// Runs a closure on a separate thread, which is outside the caller's async runtime, and waits for its result.
fn apart<T: Send>(run: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    let ended = thread::scope(|scope| scope.spawn(run).join());
    ended.unwrap_or_else(|_| Err("the arena failed, please report it".to_owned()))
}
