//! `arena keep`: starts one bot, watches it, and ends it with everything that it has started.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::SigSet;
use nix::sys::time::TimeValLike;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::process::{Pid, PidfdFlags, Signal, WaitStatus};

use super::cage::Bars;
use super::launch;
use super::tree::{self, Stat};
use super::watch::Watch;
use super::words::{Down, Order, Room, Up};
use super::{Exit, scratch};

/// How long a bot has after it was told to end.
const LAST_GRACE: Duration = Duration::from_millis(500);
/// The most that is read of why a bot could not be launched.
const REASON: u64 = 1_000;

/// Keeps the bot of a room until nothing is left of it, and then removes the room.
pub fn run(room: &Path) -> ExitCode {
    close_inherited();
    // Whoever wants the bot to end tells the arena.
    let _ = SigSet::all().thread_block();
    let _ = rustix::process::setsid();
    let kept = UnixStream::connect(Room(room).link()).and_then(|link| keep(link, room));
    scratch::remove(room);
    if kept.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Closes what whoever started the arena has left open for all its children.
fn close_inherited() {
    let open: Vec<i32> = fs::read_dir("/proc/self/fd")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        let _ = nix::unistd::close(descriptor);
    }
}

fn keep(mut link: UnixStream, room: &Path) -> io::Result<()> {
    let keeper = match start(room) {
        Ok(keeper) => keeper,
        Err(why) => return say(&mut link, &Up::Failed(why)),
    };
    // If nobody listens any more, that is the first thing to be heard.
    let _ = say(&mut link, &Up::Started(keeper.main));
    link.set_nonblocking(true)?;
    keeper.watch(&mut link);
    Ok(())
}

fn start(room: &Path) -> Result<Keeper, String> {
    let said = |error: io::Error| format!("its keeper failed: {error}");
    let order: Order =
        serde_json::from_slice(&fs::read(Room(room).order()).map_err(said)?).map_err(|e| e.to_string())?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(|e| said(e.into()))?;
    let [work, tmp, shm] = [Room(room).work(), Room(room).tmp(), Room(room).shm()];
    scratch::furnish(&work, &order.dir, &order.hidden)?;
    [tmp, shm].iter().try_for_each(fs::create_dir).map_err(said)?;
    let child = Command::new("/proc/self/exe").arg("launch").arg(room).spawn().map_err(said)?;
    let null = fs::File::options().read(true).write(true).open("/dev/null").map_err(said)?;
    rustix::stdio::dup2_stdin(&null).map_err(|e| said(e.into()))?;
    rustix::stdio::dup2_stdout(&null).map_err(|e| said(e.into()))?;
    rustix::stdio::dup2_stderr(&null).map_err(|e| said(e.into()))?;
    let pid = Pid::from_raw(child.id().cast_signed()).ok_or("its process has no id")?;
    let ended = rustix::process::pidfd_open(pid, PidfdFlags::empty()).map_err(|e| said(e.into()))?;
    let watch = Watch::new(order.limits);
    let failure = Room(room).failure();
    Ok(Keeper { main: child.id(), bot: None, ended, status: None, watch, order, failure, why: None })
}

/// The keeper of a bot that was started.
struct Keeper {
    /// What was started.
    main: u32,
    /// The bot's own process, which is another if bubblewrap is around it.
    bot: Option<u32>,
    /// Readable when it has ended.
    ended: OwnedFd,
    status: Option<WaitStatus>,
    watch: Watch,
    order: Order,
    failure: std::path::PathBuf,
    why: Option<String>,
}

/// What is to happen to the bot if it does not end by itself.
#[derive(Clone, Copy)]
enum Fate {
    Lives,
    IsToldAt(Instant),
    IsKilledAt(Instant),
}

impl Keeper {
    /// Watches until the bot has ended or must, and then ends what is left.
    fn watch(mut self, link: &mut UnixStream) {
        let mut fate = Fate::Lives;
        let mut heard = Vec::new();
        while self.status.is_none() {
            self.wait(link, fate);
            match hear(link, &mut heard) {
                Some(Down::Kill) => break,
                Some(Down::Quit(millis)) => fate = Fate::IsToldAt(Instant::now() + Duration::from_millis(millis)),
                None => {}
            }
            self.reap();
            match fate {
                Fate::IsToldAt(time) if time <= Instant::now() => {
                    self.tell();
                    fate = Fate::IsKilledAt(Instant::now() + LAST_GRACE);
                }
                Fate::IsKilledAt(time) if time <= Instant::now() => break,
                _ => {}
            }
            if self.status.is_none() && self.watch.next() <= Instant::now() && self.look(link) {
                break;
            }
        }
        self.end(link);
    }

    /// Waits until something happens or is due.
    fn wait(&self, link: &UnixStream, fate: Fate) {
        let due = match fate {
            Fate::Lives => self.watch.next(),
            Fate::IsToldAt(time) | Fate::IsKilledAt(time) => time.min(self.watch.next()),
        };
        let time = Timespec::try_from(due.saturating_duration_since(Instant::now())).ok();
        let mut watched = [link.as_fd(), self.ended.as_fd()].map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let _ = poll(&mut watched, time.as_ref());
    }

    fn reap(&mut self) -> bool {
        let (main, status) = (self.main, &mut self.status);
        tree::reap(|pid, ended| _ = (pid == main).then(|| *status = Some(ended)))
    }

    /// Looks whether limits are kept. Returns true if they are not.
    fn look(&mut self, link: &mut UnixStream) -> bool {
        let (main, bars) = (self.main, &self.order.bars);
        let found = &mut self.bot;
        self.why = self.watch.look(|tree| {
            if found.is_none()
                && let Some(pid) = own(main, bars, tree)
            {
                *found = Some(pid);
                let _ = say(link, &Up::Bot(pid));
            }
            found.is_some()
        });
        self.why.is_some()
    }

    /// Tells the bot to end.
    fn tell(&self) {
        let skipped = |pid| self.bot.is_some_and(|bot| bot != self.main) && pid == self.main;
        let inner = |stat: &Stat| stat.parent == self.main && self.bot.is_some_and(|bot| bot != self.main);
        for stat in tree::below(std::process::id()).iter().filter(|stat| !skipped(stat.pid) && !inner(stat)) {
            tree::signal(stat.pid, Signal::TERM);
        }
    }

    /// Ends all that is left, and says so.
    fn end(mut self, link: &mut UnixStream) {
        let by_itself = self.status.is_some();
        let mut left = Vec::new();
        if by_itself && self.reap() {
            left = tree::frozen(|| tree::below(std::process::id()));
        }
        if by_itself {
            let exit = self.exit(left.len());
            let _ = say(link, &Up::Exited(exit));
        } else {
            tree::signal(self.main, Signal::KILL);
        }
        let (main, status) = (self.main, &mut self.status);
        let killed = tree::end_all(|pid, ended| _ = (pid == main).then(|| *status = Some(ended)));
        let others = killed.iter().filter(|pid| **pid != main && Some(**pid) != self.bot).count();
        let gone = self.exit(others.max(left.len()));
        let _ = say(link, &Up::Gone(gone));
    }

    /// What is known of the bot's end.
    fn exit(&self, left: usize) -> Exit {
        // The first process within bubblewrap lives as long as any other, and a moment longer.
        let bars = usize::from(matches!(self.order.bars, Bars::Bubblewrap(_)));
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN);
        let cpu = usage.as_ref().map_or(0, |usage| (usage.user_time() + usage.system_time()).num_microseconds());
        let most = usage.map_or(0, |usage| usage.max_rss()).unsigned_abs() << 10;
        let status = self.status.map_or_else(|| "was ended".into(), |status| described(status, &self.order.bars));
        Exit {
            why: self.why.clone().or_else(|| self.reason(&status)),
            status,
            cpu: Duration::from_micros(cpu.unsigned_abs()),
            max_rss: most.max(self.watch.peak()),
            left: u32::try_from(left.saturating_sub(bars)).unwrap_or(u32::MAX),
        }
    }

    /// Why the bot ended, where its status does not say it.
    fn reason(&self, status: &str) -> Option<String> {
        if status.ends_with("signal XFSZ") {
            return Some(format!("wrote a file of more than {} MiB", self.order.limits.file_mb));
        }
        let failed = self.status.and_then(WaitStatus::exit_status) == Some(launch::FAILED.into());
        let mut why = String::new();
        let file = fs::File::open(&self.failure).ok().filter(|_| failed)?;
        file.take(REASON).read_to_string(&mut why).ok()?;
        Some(format!("could not be started: {why}"))
    }
}

/// The bot's own process: what was started, or what bubblewrap and its first process have started.
fn own(main: u32, bars: &Bars, tree: &[Stat]) -> Option<u32> {
    let child = |parent: u32| tree.iter().find(|stat| stat.parent == parent).map(|stat| stat.pid);
    match bars {
        Bars::Bubblewrap(_) => child(main).and_then(child),
        _ => Some(main),
    }
}

/// How a process ended, in words. Bubblewrap says it as a shell does.
fn described(status: WaitStatus, bars: &Bars) -> String {
    let code = status.exit_status();
    let behind = code.filter(|code| matches!(bars, Bars::Bubblewrap(_)) && *code > 128).map(|code| code - 128);
    let behind = behind.filter(|signal| named(*signal).is_some());
    match (status.terminating_signal().or(behind), code) {
        (Some(signal), _) => {
            format!("was ended by signal {}", named(signal).unwrap_or_else(|| signal.to_string()))
        }
        (None, Some(code)) => format!("exited with code {code}"),
        (None, None) => "ended".into(),
    }
}

/// The name of a signal, such as SEGV.
fn named(signal: i32) -> Option<String> {
    let name = format!("{:?}", Signal::from_named_raw(signal)?);
    Some(name.trim_matches('"').trim_start_matches("Signal::").to_owned())
}

/// What the arena says, if it says something. Gone, it says to kill.
fn hear(link: &mut UnixStream, heard: &mut Vec<u8>) -> Option<Down> {
    let mut buffer = [0; 256];
    match link.read(&mut buffer) {
        Ok(0) => return Some(Down::Kill),
        Ok(count) => heard.extend(&buffer[..count]),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => return None,
        Err(_) => return Some(Down::Kill),
    }
    let line: Vec<u8> = heard.drain(..=heard.iter().position(|byte| *byte == b'\n')?).collect();
    Some(serde_json::from_slice(&line).unwrap_or(Down::Kill))
}

fn say(link: &mut UnixStream, what: &Up) -> io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    link.write_all(&line)
}
