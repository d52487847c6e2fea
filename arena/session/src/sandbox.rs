//! Creates the sandbox for the programs of a tournament, and ensures that the system allows enough open files, threads and processes.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use arena_tournament::entrant::{Entrant, Program};
use arena_tournament::spec::{Conditions, Spec};

use crate::{build, trust};
use arena_config::diagnostic::UsageError;
use arena_config::jobs;
use arena_runner::Room;
use arena_runner::status::status;
use arena_sandbox::cores;
use arena_sandbox::{Backend, Copied, Sandbox, SandboxError, Wanted, hidden_of};

/// Number of threads that the arena needs in addition to those for jobs and for computing.
const ARENA_THREADS: usize = 4;
/// Stack size of a thread that does nothing.
const STACK_BYTES: usize = 64 << 10;
/// Number of processes per running bot: its supervisor and the bot itself.
const TASKS_PER_BOT: usize = 2;

/// Creates the sandbox, and the copies from which programs run. Tournament folders are hidden from programs, and the folders of programs
/// from each other.
pub fn for_programs(spec: &Spec, folders: &[&Path]) -> anyhow::Result<Sandbox> {
    let mut sandbox = unbuilt(spec, folders)?;
    build::programs(spec, &mut sandbox, !folders.is_empty())?;
    Ok(sandbox)
}

/// Makes the copies from which the programs of a tournament run on other machines.
pub fn copies(spec: &Spec, dir: &Path) -> anyhow::Result<Vec<Option<Copied>>> {
    let sandbox = if builds(spec) {
        unbuilt(spec, &[dir])?
    } else {
        Sandbox::default()
    };
    announce(spec, &sandbox, true);
    let copy = |bot: &Entrant| {
        let copied = build::program(bot, &sandbox, false);
        let copied = copied.map_err(|why| build::failed(bot, &why))?;
        Ok(copied)
    };
    spec.bots.iter().map(copy).collect()
}

/// Creates the sandbox without copies, so that programs run in their own folders.
pub(crate) fn unbuilt(spec: &Spec, folders: &[&Path]) -> anyhow::Result<Sandbox> {
    let programs: Vec<&Program> = spec.bots.iter().filter_map(Entrant::program).collect();
    if let Some(why) = jobs::too_many(spec.local.jobs) {
        return Err(UsageError::one(why).into());
    }
    if programs.is_empty() {
        return Ok(Sandbox::default());
    }
    for (program, entrant) in spec
        .bots
        .iter()
        .filter_map(|entrant| Some((entrant.program()?, entrant)))
    {
        if let Some((name, _)) = arena_sandbox::passed(program).find(|(_, value)| value.is_none()) {
            let why = format!(
                "bot {} needs the variable {name}, which is not set here: export {name}=…",
                entrant.name
            );
            return Err(UsageError::one(why).into());
        }
    }
    check_open_files(Room::new(spec))?;
    check_threads(spec.local.jobs, programs.len().min(spec.plan.seats))?;
    let Conditions {
        isolation, memory, ..
    } = spec.conditions;
    let wanted = Wanted {
        isolation,
        as_root: spec.local.as_root,
        memory,
    };
    let sandbox = Sandbox::new(wanted, hidden(spec, folders)).map_err(|error| match error {
        SandboxError::NoScratch(ref why) if why.kind() != ErrorKind::InvalidFilename => {
            error.into()
        }
        _ => anyhow::Error::from(UsageError::one(error.to_string())),
    })?;
    let chosen = sandbox.chosen().map(|chosen| &chosen.backend);
    if matches!(chosen, Some(Backend::Landlock(_)))
        && programs
            .iter()
            .any(|program| program.network || program.build_network)
    {
        let why = "Landlock gives the network to all bots or to none: install bubblewrap for bots with network = true";
        return Err(UsageError::one(why).into());
    }
    Ok(sandbox)
}

static ANNOUNCED: AtomicBool = AtomicBool::new(false);

/// Prints the isolation level once, with everything that is allowed beyond the default. In quiet mode, prints this only if a better level
/// exists or something is allowed.
pub fn announce(spec: &Spec, sandbox: &Sandbox, is_quiet: bool) {
    let allowed = trust::allowed(spec);
    let Some(chosen) = sandbox.chosen() else {
        return;
    };
    let is_wanted = !is_quiet || chosen.no_better.is_some() || !allowed.is_empty();
    if is_wanted && !ANNOUNCED.swap(true, Ordering::Relaxed) {
        status(chosen.describe());
        allowed.into_iter().for_each(status);
    }
}

/// Returns `true` if any program of the tournament has to be built.
pub(crate) fn builds(spec: &Spec) -> bool {
    spec.bots
        .iter()
        .filter_map(Entrant::program)
        .any(Program::builds)
}

/// Returns the paths that a program may read only if they are its own: tournament folders, the source of the tournament, and the folders of
/// programs.
fn hidden(spec: &Spec, folders: &[&Path]) -> Vec<PathBuf> {
    let earlier = folders
        .iter()
        .filter_map(|folder| folder.parent())
        .filter(|above| above.ends_with("runs"));
    let hidden = folders
        .iter()
        .flat_map(|folder| hidden_of(folder))
        .chain(earlier.map(Path::to_path_buf));
    let dirs = spec
        .bots
        .iter()
        .filter_map(Entrant::program)
        .map(|program| program.dir.clone());
    let caches = spec
        .bots
        .iter()
        .filter_map(|entrant| entrant.program()?.cache.clone());
    hidden
        .chain(spec.local.hidden.iter().cloned())
        .chain(dirs)
        .chain(caches)
        .collect()
}

/// Checks the limit on open files, and raises it for all programs that are kept running.
fn check_open_files(room: Room) -> Result<(), UsageError> {
    let needed = room.files_for(room.least);
    let most = raise_open_files(room.files_for(room.per_job()));
    if most >= needed {
        return Ok(());
    }
    Err(UsageError::one(format!(
        "{} jobs with {} programs need {needed} open files, and only {most} are allowed: use fewer jobs, or allow more (ulimit -n)",
        room.jobs, room.least
    )))
}

/// Checks the limit on threads, which also covers processes.
fn check_threads(jobs: usize, programs: usize) -> Result<(), UsageError> {
    let needed = ARENA_THREADS + cores::count() + jobs * (1 + TASKS_PER_BOT * programs);
    let most = startable(needed);
    if most >= needed {
        return Ok(());
    }
    Err(UsageError::one(format!(
        "{jobs} jobs need {needed} threads and processes, and the system allows only {most}: use fewer jobs, or allow \
         more (ulimit -u, or pids.max of the container)"
    )))
}

/// Raises the limit on open files as far as needed and permitted, and returns the new limit.
fn raise_open_files(needed: u64) -> u64 {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let Ok((now, most)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return u64::MAX;
    };
    let wanted = needed.min(most);
    if wanted > now && setrlimit(Resource::RLIMIT_NOFILE, wanted, most).is_ok() {
        wanted
    } else {
        now
    }
}

/// Starts this many threads, and returns how many of them the system allowed.
fn startable(threads: usize) -> usize {
    let gate = RwLock::new(());
    let closed = gate.write();
    thread::scope(|scope| {
        let start = || {
            thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, || drop(gate.read()))
        };
        let started = (0..threads).take_while(|_| start().is_ok()).count();
        drop(closed);
        started
    })
}
