//! `arena launch`: isolates its process, and becomes the bot.

use std::error::Error;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::ExitCode;

use nix::sys::prctl;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::stat::{Mode, umask};

use super::bubblewrap;
use super::landlock;
use super::last_stage::{Launch, bequeath, claim_pipe, start};
use super::seccomp::Refused;
use crate::backend::Backend;
use crate::cores;
use crate::instructions::Instructions;
use crate::process_dir::ProcessDir;
use crate::users::is_root;

/// Maximum number of threads of an ordinary user in addition to those of one bot, because the limit applies to all processes of the user.
const MAX_OTHER_THREADS: u64 = 2_048;
/// Preference for killing bots when memory runs out, from -1000 to 1000.
const OOM_SCORE: &str = "500";

/// Becomes the bot of this process folder. Reports to a pipe just before that. Returns only on failure.
pub fn run(dir: &ProcessDir, pipe: Option<i32>) -> ExitCode {
    let pipe = pipe.and_then(claim_pipe);
    start(isolated(dir, pipe.as_ref()), pipe, |command| {
        Err(command.exec())
    })
}

/// Isolates this process, and returns the start of the bot, within bubblewrap if necessary.
fn isolated(dir: &ProcessDir, pipe: Option<&File>) -> Result<Launch, Box<dyn Error>> {
    let instructions = Instructions::read(dir)?;
    let _ = fs::remove_file(dir.instructions());
    let _ = nix::unistd::setsid();
    // Unblock the signals that the supervisor has blocked.
    SigSet::empty().thread_set_mask()?;
    // This setting lasts until the process becomes the bot.
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    let _ = fs::write("/proc/self/oom_score_adj", OOM_SCORE);
    limit(&instructions);
    let mut stage = instructions.stage;
    let (backend, cache) = (instructions.backend, instructions.cache);
    if cache.is_some() && stage.user.is_some() {
        // The next process runs as another user, which must be able to read and change these files.
        umask(Mode::empty());
    }
    if let Some(group) = &instructions.group {
        group
            .enter()
            .map_err(|error| format!("cannot enter its control group: {error}"))?;
    }
    if let Some(cores) = &instructions.cores {
        cores::bind(cores)
            .map_err(|error| format!("cannot be bound to processors {cores:?}: {error}"))?;
    }
    stage.refused = (backend != Backend::Off).then(|| Refused {
        outward: matches!(backend, Backend::Landlock(_)),
        cores: instructions.cores.is_none(),
        locks: cache.is_none(),
    });
    let (read, hidden) = (instructions.read, instructions.hidden);
    match backend {
        Backend::Bubblewrap(program) => {
            stage.started = pipe.map(bequeath).transpose()?;
            let files = (read.as_slice(), hidden.as_slice(), &cache);
            let network = instructions.network;
            Ok(bubblewrap::around(&program, &stage, network, files, dir)?)
        }
        Backend::Landlock(_) => {
            prctl::set_no_new_privs()?;
            let read: Vec<PathBuf> = read.into_iter().chain([dir.outer()]).collect();
            let own: Vec<PathBuf> = [stage.dir.clone(), dir.tmp()]
                .into_iter()
                .chain(cache)
                .collect();
            landlock::restrict(&read, &hidden, &own)?;
            stage.enter()
        }
        Backend::Off => stage.enter(),
    }
}

/// Sets the resource limits of each process. Limits that are already lower are not raised.
fn limit(instructions: &Instructions) {
    let limits = instructions.limits;
    let running = match instructions.stage.user {
        Some(_) => 0,
        None if is_root() => RLIM_INFINITY,
        // Add the running threads of the machine, some of which belong to the same user.
        None => threads_of_machine().unwrap_or(RLIM_INFINITY),
    };
    let threads = running.saturating_add(limits.threads() + MAX_OTHER_THREADS);
    for (resource, most) in [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, limits.file_mb << 20),
        (Resource::RLIMIT_NOFILE, limits.open_files),
        (Resource::RLIMIT_NPROC, threads),
    ] {
        let most = getrlimit(resource).map_or(most, |(_, hard)| hard.min(most));
        let _ = setrlimit(resource, most, most);
    }
}

/// Returns the number of threads on this machine.
fn threads_of_machine() -> Option<u64> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    // The content looks like `0.20 0.18 0.12 1/80 11206`.
    let (_, all) = load.split(' ').nth(3)?.split_once('/')?;
    all.parse().ok()
}
