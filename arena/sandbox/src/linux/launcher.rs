//! `arena launch`: isolates itself, and becomes the bot.

use std::error::Error;
use std::fs;
use std::process::{Command, ExitCode};

use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};

use super::last_stage::{self, LastStage};
use super::seccomp::Refused;
use super::{bubblewrap, landlock};
use crate::backend::Backend;
use crate::cores;
use crate::exit::{FAILED, NOT_STARTED};
use crate::instructions::Instructions;
use crate::process_dir::ProcessDir;
use crate::process_tree;
use crate::users::is_root;

/// The most files that a bot may have open.
const FILES: u64 = 4_096;
/// The most threads beside those of one bot that an ordinary user may have: the limit is for all that the user runs.
const OTHERS: u64 = 2_048;
/// The preference of the kernel to kill a bot when memory runs out, from -1000 to 1000.
const OOM_SCORE: &str = "500";

/// Becomes the bot that is to run in this folder. Returns only if that fails.
pub fn run(dir: &ProcessDir) -> ExitCode {
    let why = become_bot(dir).err().map(|why| why.to_string()).unwrap_or_default();
    eprintln!("{NOT_STARTED}{why}");
    let _ = fs::write(dir.failure(), why);
    ExitCode::from(FAILED)
}

fn become_bot(dir: &ProcessDir) -> Result<(), Box<dyn Error>> {
    let instructions = Instructions::read(dir)?;
    let _ = fs::remove_file(dir.instructions());
    let _ = nix::unistd::setsid();
    let mut command = isolated(&instructions, dir)?;
    command.env_clear().envs(&instructions.env);
    Err(last_stage::exec(command).into())
}

/// Isolates this process. Returns the command that starts the bot, with what isolates it around it if need be.
fn isolated(instructions: &Instructions, dir: &ProcessDir) -> Result<Command, Box<dyn Error>> {
    // The supervisor blocks all signals; the bot is to receive all.
    SigSet::empty().thread_set_mask()?;
    // Until this process becomes the bot.
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    let _ = fs::write("/proc/self/oom_score_adj", OOM_SCORE);
    limit(instructions);
    if let Some(group) = &instructions.group {
        group.enter().map_err(|error| format!("cannot enter its control group: {error}"))?;
    }
    if let Some(cores) = &instructions.cores {
        cores::bind(cores).map_err(|error| format!("cannot be bound to processors {cores:?}: {error}"))?;
    }
    let Instructions { command, read, hidden, user, .. } = instructions;
    let refused = |outward| Some(Refused { outward, cores: instructions.cores.is_none() });
    let work = instructions.work(dir);
    let stage = |refused| LastStage { user: *user, dir: work.clone(), refused, command: command.clone() };
    match &instructions.backend {
        Backend::Bubblewrap(program) => Ok(bubblewrap::around(program, &stage(refused(false)), read, hidden, dir)),
        Backend::Landlock(_) => {
            prctl::set_no_new_privs()?;
            let read = [read.as_slice(), &[dir.outer()]].concat();
            landlock::restrict(&read, hidden, &[work.clone(), dir.tmp()])?;
            stage(refused(true)).enter()
        }
        Backend::Off => stage(None).enter(),
    }
}

/// Sets the resource limits of each process. Lower ones stay.
fn limit(instructions: &Instructions) {
    let size = instructions.limits.file_mb << 20;
    let mut limits = vec![(Resource::RLIMIT_CORE, 0), (Resource::RLIMIT_FSIZE, size), (Resource::RLIMIT_NOFILE, FILES)];
    let running = match instructions.user {
        Some(_) => Some(0),
        None => (!is_root()).then(process_tree::threads_of_user),
    };
    let threads = instructions.limits.threads();
    limits.extend(running.map(|running| (Resource::RLIMIT_NPROC, running + threads + OTHERS)));
    for (resource, most) in limits {
        let most = getrlimit(resource).map_or(most, |(_, hard)| hard.min(most));
        let _ = setrlimit(resource, most, most);
    }
}
