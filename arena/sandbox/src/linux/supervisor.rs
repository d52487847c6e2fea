//! `arena supervise`: starts one bot, watches it, and ends it with all its descendants.

use std::fs;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use arena_protocol::fault::{BotFault, Excess, ProcessEnd};
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::time::TimeValLike;
use nix::unistd;
use serde::{Deserialize, Serialize};

use super::last_stage::{LEFT, READY, SHORTAGE, bequeath};
use super::monitor::Monitor;
use super::reaper;
use crate::backend::Backend;
use crate::cgroup::Cgroup;
use crate::exit::{Ending, Exit, process_end, signal_name};
use crate::instructions::Instructions;
use crate::process_dir::ProcessDir;
use crate::process_tree::{self, Stat};

/// Time between SIGTERM and SIGKILL.
const KILL_DELAY: Duration = Duration::from_millis(500);
/// Maximum length of the reason read for a failed launch, in bytes.
const MAX_REASON_BYTES: u64 = 1_000;

/// A report to the arena, sent as a line of JSON. The supervisor closes the connection when no process of the bot is left.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// The bot could not be started, for this reason.
    Failed(String),
    /// Id of the bot's own process, or of the launcher that will become it or start it.
    Running(u32),
    /// The bot's own process has exited. Sent again with complete data when no process is left.
    Exited(Exit),
}

/// Supervises the bot of this process folder until no process of it is left, then removes the folder.
pub fn run(dir: &ProcessDir) -> ExitCode {
    close_inherited();
    // Block all signals, because only the arena may end a bot.
    let _ = SigSet::all().thread_block();
    let _ = unistd::setsid();
    let done = UnixStream::connect(dir.socket()).and_then(|arena| supervise(arena, dir));
    dir.remove();
    if done.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Closes files that the arena inherited and passed on to its children.
fn close_inherited() {
    for descriptor in process_tree::numbers("/proc/self/fd")
        .into_iter()
        .filter(|descriptor| *descriptor > 2)
    {
        let _ = unistd::close(descriptor.cast_signed());
    }
}

fn supervise(mut arena: UnixStream, dir: &ProcessDir) -> io::Result<()> {
    let supervisor = match Supervisor::start(dir) {
        Ok(supervisor) => supervisor,
        Err(error) => {
            return send(
                &mut arena,
                &Notice::Failed(format!("its supervisor failed: {error}")),
            );
        }
    };
    // If the arena is gone, the next read returns the end of the file.
    let _ = send(&mut arena, &Notice::Running(supervisor.main.id()));
    arena.set_nonblocking(true)?;
    supervisor.watch(&mut arena);
    Ok(())
}

/// Supervisor of a running bot.
struct Supervisor<'a> {
    /// The launcher, which becomes the bot or starts bubblewrap around it.
    main: Child,
    /// Id of the bot's own process. Differs from the id of `main` under bubblewrap.
    bot: Option<u32>,
    /// File descriptor that is readable when a child has exited.
    signals: SignalFd,
    monitor: Monitor,
    instructions: Instructions,
    dir: &'a ProcessDir,
    why: Option<Excess>,
    /// Number of processes that the bot left running and that its init process has ended.
    left: u32,
    /// The pipe for reports of the stages of the start, and the bytes read from it.
    started: (PipeReader, Vec<u8>),
    /// True if the bot exited before this process had to end it.
    has_exited: bool,
}

impl<'a> Supervisor<'a> {
    fn start(dir: &'a ProcessDir) -> io::Result<Self> {
        let instructions = Instructions::read(dir)?;
        prctl::set_child_subreaper(true)?;
        let ended = SigSet::from_iter([Signal::SIGCHLD]);
        let signals = SignalFd::with_flags(&ended, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
        let (started, start) = io::pipe()?;
        fcntl(&started, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        let main = Command::new("/proc/self/exe")
            .arg("launch")
            .arg(&dir.0)
            .arg(bequeath(&start)?.to_string())
            .spawn()?;
        let null = fs::File::options()
            .read(true)
            .write(true)
            .open("/dev/null")?;
        unistd::dup2_stdin(&null)?;
        unistd::dup2_stdout(&null)?;
        unistd::dup2_stderr(&null)?;
        Ok(Self {
            main,
            bot: None,
            signals,
            monitor: Monitor::new(&instructions, dir),
            instructions,
            dir,
            why: None,
            left: 0,
            started: (started, Vec::new()),
            has_exited: false,
        })
    }

    /// Returns the exit status of the launcher's process, if it has exited.
    fn status(&mut self) -> Option<ExitStatus> {
        self.main.try_wait().ok().flatten()
    }

    /// Watches the bot until it has exited or must be ended, then ends all processes that are left.
    fn watch(mut self, arena: &mut UnixStream) {
        // Deadline for the bot to exit, and the signal that is sent then.
        let mut shutdown = None;
        while self.status().is_none() {
            let check = self.monitor.next;
            self.wait(arena, shutdown.map_or(check, |(time, _)| check.min(time)));
            match receive(arena) {
                Some(Ending::Kill) => break,
                Some(Ending::Quit(grace)) => {
                    shutdown = Some((Instant::now() + grace, Signal::SIGTERM));
                }
                None => {}
            }
            match shutdown {
                Some((time, Signal::SIGTERM)) if time <= Instant::now() => {
                    self.terminate();
                    shutdown = Some((Instant::now() + KILL_DELAY, Signal::SIGKILL));
                }
                Some((time, _)) if time <= Instant::now() => break,
                _ => {}
            }
            if self.status().is_none()
                && self.monitor.next <= Instant::now()
                && self.breaks_limits(arena)
            {
                break;
            }
        }
        self.end(arena);
    }

    /// Waits for an event until `due`.
    fn wait(&self, arena: &UnixStream, due: Instant) {
        let time = due.saturating_duration_since(Instant::now()).into();
        let mut watched =
            [arena.as_fd(), self.signals.as_fd()].map(|fd| PollFd::new(fd, PollFlags::POLLIN));
        let _ = ppoll(&mut watched, Some(time), None);
        while let Ok(Some(_)) = self.signals.read_signal() {}
    }

    /// Checks the limits. Returns `true` if one is exceeded.
    fn breaks_limits(&mut self, arena: &mut UnixStream) -> bool {
        let Self {
            main,
            bot,
            instructions,
            ..
        } = self;
        self.why = self.monitor.check(|tree| {
            if bot.is_none()
                && let Some(pid) = own_process(main.id(), &instructions.backend, tree)
            {
                *bot = Some(pid);
                let _ = send(arena, &Notice::Running(pid));
            }
            reaper::reap(main, tree);
            bot.is_some()
        });
        self.why.is_some()
    }

    /// Sends SIGTERM to the bot's processes, but not to bubblewrap and its init process around them.
    fn terminate(&self) {
        let main = self.main.id();
        let is_inside = self.bot.is_some_and(|bot| bot != main);
        let is_around = |stat: &Stat| is_inside && (stat.pid == main || stat.parent == main);
        for stat in process_tree::below(std::process::id())
            .iter()
            .filter(|stat| !is_around(stat))
        {
            process_tree::send(Signal::SIGTERM, stat.pid);
        }
    }

    /// Ends all processes that are left, and reports the exit.
    fn end(mut self, arena: &mut UnixStream) {
        let main = self.main.id();
        self.has_exited = self.status().is_some();
        if self.has_exited || self.why.is_some() {
            // Report the exit before the bot's output ends. Otherwise the arena would report a closed output as the cause.
            let _ = send(arena, &Notice::Exited(self.exit(0)));
        }
        if !self.has_exited {
            process_tree::send(Signal::SIGKILL, main);
        }
        let killed = reaper::end_all(&mut self.main);
        self.instructions.group.iter().for_each(Cgroup::kill);
        let is_other = |pid: &&u32| **pid != main && Some(**pid) != self.bot;
        let left = killed.iter().filter(is_other).count();
        let _ = send(arena, &Notice::Exited(self.exit(left)));
    }

    /// Returns the bot's exit, as far as it is known.
    fn exit(&mut self, left: usize) -> Exit {
        let status = self.status();
        // Under bubblewrap, `left` includes the init process if this process had to end it.
        let around = usize::from(matches!(self.instructions.backend, Backend::Bubblewrap(_)));
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN);
        let cpu = usage.as_ref().map_or(0, |usage| {
            (usage.user_time() + usage.system_time()).num_microseconds()
        });
        let most = usage.map_or(0, |usage| usage.max_rss()).unsigned_abs() << 10;
        let (why, ours) = match self.cause(status) {
            Ok(why) => (why, None),
            Err(ours) => (None, Some(ours)),
        };
        Exit {
            killed: !self.has_exited && why.is_none(),
            why,
            ours,
            status: status.map_or(ProcessEnd::Stopped, |status| {
                process_end(self.signal(status), status.code())
            }),
            cpu: Duration::from_micros(cpu.unsigned_abs()),
            max_rss: most.max(self.monitor.peak),
            written: self.dir.written(&self.instructions.granted()),
            left: u32::try_from(left.saturating_sub(around))
                .map_or(u32::MAX, |left| left.saturating_add(self.left)),
        }
    }

    /// Returns the signal that killed the bot. The init process within bubblewrap encodes it in the exit code, like a shell.
    fn signal(&self, status: ExitStatus) -> Option<i32> {
        let is_around = matches!(self.instructions.backend, Backend::Bubblewrap(_));
        let inside = status
            .code()
            .filter(|code| is_around && *code > 128)
            .map(|code| code - 128);
        status
            .signal()
            .or(inside.filter(|signal| signal_name(*signal).is_some()))
    }

    /// Returns the limit for which the kernel killed the bot, or which the bot exceeded when it exited.
    fn excess(&mut self, status: ExitStatus) -> Option<BotFault> {
        if self.signal(status) == Some(Signal::SIGXFSZ as i32) {
            return Some(BotFault::OverLimit(Excess::FileSize(
                self.instructions.limits.file_mb,
            )));
        }
        let excess = self
            .monitor
            .held_to_memory()
            .or_else(|| self.monitor.disk.exceeded([].into_iter()));
        excess.map(BotFault::OverLimit)
    }

    /// Returns the fault for which the bot ended, if any. The error is the reason why the machine could not start the bot or keep it
    /// running.
    fn cause(&mut self, status: Option<ExitStatus>) -> Result<Option<BotFault>, String> {
        let excess = self.why.map(BotFault::OverLimit);
        if let Some(excess) = excess.or_else(|| self.excess(status?)) {
            return Ok(Some(excess));
        }
        let (pipe, reported) = &mut self.started;
        // Reading ends with an error, because other writers may still be open.
        let _ = pipe.by_ref().take(MAX_REASON_BYTES).read_to_end(reported);
        let reported = String::from_utf8_lossy(reported);
        let Some(why) = reported.strip_prefix(READY) else {
            let why = Some(&*reported).filter(|why| !why.is_empty());
            return Err(why.unwrap_or("it could not be put into its sandbox").into());
        };
        let why = match why.strip_prefix(LEFT) {
            Some(left) => {
                self.left = left.parse().unwrap_or_default();
                ""
            }
            None => why,
        };
        if let Some(why) = why.strip_prefix(SHORTAGE) {
            return Err(why.into());
        }
        if self.has_exited && self.monitor.disk.was_full() {
            return Err("there was no room for temporary files on this machine".into());
        }
        if !why.is_empty() {
            return Ok(Some(BotFault::StartFailed(why.into())));
        }
        let signal = status.and_then(|status| self.signal(status));
        let is_killed = self.has_exited && signal == Some(Signal::SIGKILL as i32);
        if is_killed && self.monitor.lost_to_memory_of_others() {
            return Err("the memory of this machine ran out".into());
        }
        Ok(None)
    }
}

/// Returns the bot's own process: the process that was started or, under bubblewrap, the child of its init process.
fn own_process(main: u32, backend: &Backend, tree: &[Stat]) -> Option<u32> {
    let child = |parent: u32| {
        tree.iter()
            .find(|stat| stat.parent == parent)
            .map(|stat| stat.pid)
    };
    match backend {
        Backend::Bubblewrap(_) => child(main).and_then(child),
        _ => Some(main),
    }
}

/// Receives a request of the arena, if there is one. Returns a request to kill the bot if the arena is gone.
fn receive(arena: &mut UnixStream) -> Option<Ending> {
    let mut request = [0; 256];
    match arena.read(&mut request) {
        Ok(count @ 1..) => Some(serde_json::from_slice(&request[..count]).unwrap_or(Ending::Kill)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
            ) =>
        {
            None
        }
        _ => Some(Ending::Kill),
    }
}

fn send(arena: &mut UnixStream, report: &Notice) -> io::Result<()> {
    arena.write_all(format!("{}\n", serde_json::to_string(report)?).as_bytes())
}
