//! `arena launch`: puts itself into the cage, and becomes the bot.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use nix::sys::signal::SigSet;
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use rustix::thread::CpuSet;

use super::cage::Bars;
use super::words::{Order, Room};
use super::{bubblewrap, landlock, tree};

/// The exit code that says that the bot could not be launched; the room then holds the reason.
pub const FAILED: u8 = 127;
/// How many files a bot may have open.
const FILES: u64 = 4_096;
/// How many threads beside those of one bot an ordinary user may have: the limit is for all that the user runs.
const OTHERS: u64 = 2_048;
/// How readily the kernel ends a bot when memory runs out, from -1000 to 1000.
const EXPENDABLE: &str = "500";

/// Becomes the bot of a room. Returns only if that fails.
pub fn run(room: &Path) -> ExitCode {
    let why = become_bot(&Room(room)).err().unwrap_or_default();
    eprintln!("{why}");
    let _ = fs::write(Room(room).failure(), why);
    ExitCode::from(FAILED)
}

fn become_bot(room: &Room<'_>) -> Result<(), String> {
    let order = fs::read(room.order()).map_err(|error| error.to_string())?;
    let order: Order = serde_json::from_slice(&order).map_err(|error| error.to_string())?;
    let _ = fs::remove_file(room.order());
    let _ = rustix::process::setsid();
    // The keeper hears no signals; the bot is to hear all.
    SigSet::empty().thread_set_mask().map_err(|error| error.to_string())?;
    // A safety net for when the keeper is killed. It has a single thread, so this means its end.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| error.to_string())?;
    let _ = fs::write("/proc/self/oom_score_adj", EXPENDABLE);
    limit(&order);
    if let Some(cores) = &order.cores {
        bind(cores).map_err(|error| format!("cannot be bound to processors {cores:?}: {error}"))?;
    }
    let mut command = caged(&order, room)?;
    let error = command.env_clear().envs(&order.env).current_dir(room.work()).exec();
    Err(match error.kind() {
        io::ErrorKind::NotFound => {
            format!("{}: there is no such program, or its interpreter is missing", order.command[0])
        }
        _ => format!("{}: {error}", order.command[0]),
    })
}

/// The command that starts the bot in its cage, which may be around this process already.
fn caged(order: &Order, room: &Room<'_>) -> Result<Command, String> {
    if let Bars::Bubblewrap(program) = &order.bars {
        let mut command = Command::new(program);
        command.args(bubblewrap::arguments(order, room)).arg("--").args(&order.command);
        return Ok(command);
    }
    rustix::thread::set_no_new_privs(true).map_err(|error| error.to_string())?;
    if let Bars::Landlock(_) = order.bars {
        landlock::restrict(order, room)?;
    }
    let mut command = Command::new(&order.command[0]);
    command.args(&order.command[1..]);
    Ok(command)
}

/// Sets the limits that the kernel holds each process to. Those that are lower already stay.
fn limit(order: &Order) {
    let mut limits =
        vec![(Resource::Core, 0), (Resource::Fsize, order.limits.file_mb << 20), (Resource::Nofile, FILES)];
    if !rustix::process::geteuid().is_root() {
        limits.push((Resource::Nproc, tree::threads_of_user() + order.limits.threads() + OTHERS));
    }
    for (resource, most) in limits {
        let least = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
        let Rlimit { maximum, .. } = getrlimit(resource);
        let most = least(maximum);
        let _ = setrlimit(resource, Rlimit { current: most, maximum: most });
    }
}

fn bind(cores: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    cores.iter().filter(|core| **core < CpuSet::MAX_CPU).for_each(|core| set.set(*core));
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}
