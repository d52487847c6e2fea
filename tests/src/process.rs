//! Processes started by tests. Each has a time limit, so that no test hangs, and none inherits an ignored Ctrl-C.
#![expect(clippy::disallowed_types, reason = "this wraps them")]

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::sync::{Once, atomic::AtomicBool};
use std::thread;
use std::time::Duration;

use signal_hook::{
    consts::{SIGINT, SIGQUIT},
    flag::register_conditional_default,
};

use crate::TEST_TIMEOUT;

/// Interval for polling a process that is about to end.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A wrapper of the standard library's command, which has a time limit and no standard input by default.
pub struct Command {
    command: std::process::Command,
    limit: Duration,
}

/// A process that is killed, with all its descendants, on timeout or when this is dropped.
pub struct Child {
    /// The process's standard input, if piped.
    pub stdin: Option<ChildStdin>,
    /// The process's standard output, if piped.
    pub stdout: Option<ChildStdout>,
    /// The process's standard error, if piped.
    pub stderr: Option<ChildStderr>,
    id: u32,
    command: String,
    process: Arc<Mutex<Process>>,
    /// Dropping this sender ends the watchdog thread.
    _watchdog: Sender<()>,
}

struct Process {
    child: std::process::Child,
    is_late: bool,
}

impl Deref for Command {
    type Target = std::process::Command;

    fn deref(&self) -> &Self::Target {
        &self.command
    }
}

impl DerefMut for Command {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.command
    }
}

/// Defines setters that delegate to the standard library but return this wrapper, so that it can be run at the end of a chain.
macro_rules! setters {
    ($($name:ident($($argument:ident: $kind:ty),+);)+) => {
        $(
            /// See the method of the same name in `std::process::Command`.
            pub fn $name(&mut self, $($argument: $kind),+) -> &mut Self {
                self.command.$name($($argument),+);
                self
            }
        )+
    };
}

impl Command {
    /// Creates a command that runs this program.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = std::process::Command::new(program);
        command.stdin(Stdio::null());
        Self {
            command,
            limit: TEST_TIMEOUT,
        }
    }

    setters! {
        arg(argument: impl AsRef<OsStr>);
        args(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>);
        env(name: impl AsRef<OsStr>, value: impl AsRef<OsStr>);
        env_remove(name: impl AsRef<OsStr>);
        current_dir(dir: impl AsRef<Path>);
        stdin(from: impl Into<Stdio>);
        stdout(to: impl Into<Stdio>);
        stderr(to: impl Into<Stdio>);
    }

    /// Sets the time limit.
    pub fn limit(&mut self, limit: Duration) -> &mut Self {
        self.limit = limit;
        self
    }

    /// Starts the process, and a thread that kills it on timeout.
    pub fn spawn(&mut self) -> io::Result<Child> {
        inherit_no_ignored_signals();
        let mut child = self.command.spawn()?;
        let (id, command) = (child.id(), format!("{:?}", self.command));
        let stdin = child.stdin.take();
        let stdout = child.stdout.take();
        let stderr = child.stderr.take();
        let process = Process {
            child,
            is_late: false,
        };
        let process = Arc::new(Mutex::new(process));
        let (watchdog, ended) = mpsc::channel();
        let (watched, name, limit) = (Arc::clone(&process), command.clone(), self.limit);
        thread::spawn(move || {
            if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                eprintln!("killed after {limit:?}: {name}");
                let mut watched = watched.lock().unwrap();
                watched.is_late = true;
                watched.kill();
            }
        });
        Ok(Child {
            stdin,
            stdout,
            stderr,
            id,
            command,
            process,
            _watchdog: watchdog,
        })
    }

    /// Runs the process to its end, and returns its output.
    pub fn output(&mut self) -> io::Result<Output> {
        self.stdout(Stdio::piped()).stderr(Stdio::piped());
        self.spawn()?.wait_with_output()
    }

    /// Runs the process to its end.
    pub fn status(&mut self) -> io::Result<ExitStatus> {
        self.spawn()?.wait()
    }
}

impl Child {
    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Returns true if the process has ended.
    pub fn has_ended(&self) -> bool {
        let mut process = self.process.lock().unwrap();
        process.child.try_wait().unwrap().is_some()
    }

    /// Waits until the process has ended.
    pub fn wait(&self) -> io::Result<ExitStatus> {
        self.ended("")
    }

    /// Waits until the process has ended, and returns its piped output.
    pub fn wait_with_output(mut self) -> io::Result<Output> {
        let stdout = self.stdout.take().map(Printed::read);
        let stderr = self.stderr.take().map(Printed::read);
        let [stdout, stderr] =
            [stdout, stderr].map(|pipe| pipe.map_or_else(Vec::new, |pipe| pipe.all()));
        let [printed, said] = [&stdout, &stderr].map(|bytes| String::from_utf8_lossy(bytes));
        let status = self.ended(&format!("\n{printed}\n{said}"))?;
        Ok(Output {
            status,
            stdout,
            stderr,
        })
    }

    /// Waits for the process, and returns its exit code; `None` if a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.wait().unwrap().code()
    }

    /// Waits until the process has written this many bytes, to any files, or has ended.
    pub fn until_written(&self, bytes: u64) {
        let written = || {
            let counts = fs::read_to_string(format!("/proc/{}/io", self.id)).unwrap_or_default();
            let count = counts.lines().find_map(|line| line.strip_prefix("wchar: "));
            count.map_or(0, |count| count.parse().unwrap())
        };
        while !self.has_ended() && written() < bytes {
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Kills the process with SIGKILL.
    pub fn kill(&self) {
        let child = &mut self.process.lock().unwrap().child;
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Sends the process a signal, given by name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([format!("-{name}"), self.id.to_string()])
            .status();
        assert!(sent.unwrap().success(), "{}", self.command);
    }

    fn ended(&self, printed: &str) -> io::Result<ExitStatus> {
        loop {
            let mut process = self.process.lock().unwrap();
            if let Some(status) = process.child.try_wait()? {
                let late = process.is_late;
                drop(process);
                assert!(!late, "{} has not ended in time{printed}", self.command);
                return Ok(status);
            }
            drop(process);
            thread::sleep(POLL_INTERVAL);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // The lock may be poisoned by a test that failed while holding it.
        if let Ok(mut process) = self.process.lock() {
            process.kill();
        }
    }
}

impl Process {
    /// Kills the process, unless it has ended, and all descendants that the system lists.
    fn kill(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        let mut all = vec![self.child.id().to_string()];
        let mut next = 0;
        while next < all.len() {
            let tasks = fs::read_dir(format!("/proc/{}/task", all[next]));
            for task in tasks.into_iter().flatten().flatten() {
                let children = fs::read_to_string(task.path().join("children"));
                all.extend(
                    children
                        .unwrap_or_default()
                        .split_whitespace()
                        .map(str::to_owned),
                );
            }
            next += 1;
        }
        // Some processes may end together with their parents.
        let _ = self.child.kill();
        let _ = std::process::Command::new("kill")
            .arg("-KILL")
            .args(&all[1..])
            .stderr(Stdio::null())
            .status();
        let _ = self.child.wait();
    }
}

/// Output of a process, which a thread reads from its pipe.
pub struct Printed(Receiver<Vec<u8>>);

impl Printed {
    /// Starts reading a pipe to its end.
    pub fn read(mut pipe: impl Read + Send + 'static) -> Self {
        let (send, all) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            // Output before an error still counts. If the test has failed, nobody receives the output.
            let _ = pipe.read_to_end(&mut bytes);
            let _ = send.send(bytes);
        });
        Self(all)
    }

    /// Waits for the end of the pipe, and returns everything read.
    pub fn all(&self) -> Vec<u8> {
        // The pipe ends with the process, unless a descendant still holds it open. So this timeout is longer than that of the process.
        let all = self.0.recv_timeout(TEST_TIMEOUT + TEST_TIMEOUT / 10);
        all.expect("a process holds a pipe open that its parent had")
    }
}

/// Restores the default action of Ctrl-C. If a script started the tests in the background, Ctrl-C may be ignored, and child processes, to
/// which tests send the signal, would inherit that.
fn inherit_no_ignored_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [SIGINT, SIGQUIT] {
            let always = Arc::new(AtomicBool::new(true));
            register_conditional_default(signal, always).unwrap();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_awaited_by_what_it_has_written() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo 12345; read line"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let child = command.spawn().unwrap();
        child.until_written(6);
        assert!(!child.has_ended());
        child.kill();
        child.until_written(7);
    }

    /// Checks a process whose child holds the output open, so that reading ends only if the child is also killed.
    #[test]
    #[should_panic(expected = "\"sleep 1000 & wait\" has not ended in time")]
    fn a_process_that_takes_too_long_is_killed_with_what_it_started() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & wait"]);
        let _ = command.limit(Duration::from_millis(500)).output();
    }
}
