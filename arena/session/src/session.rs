//! A running tournament: the sandbox for its bots, their logs, and its stop flag.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use arena_engine::table;
use arena_tournament::entrant::Entrant;
use arena_tournament::spec::Spec;

use super::known_seed;
use super::progress::ProgressMode;
use super::shard::Shard;
use super::stopping::{self, StopFile};
use super::{sandbox, seed, trust};
use arena_config::diagnostic::UsageError;
use arena_runner::logs;
use arena_runner::status::status;
use arena_runner::{Destination, Logs, Starts, Stop};
use arena_sandbox::Sandbox;
use arena_sandbox::cores;

/// The machines on which matches are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machines {
    /// This machine.
    This,
    /// Other machines, through a queue.
    Others,
}

/// A running tournament. As long as it exists, Ctrl-C and `arena stop` stop the tournament.
pub struct Session<'a> {
    /// True to keep all lines to and from bots.
    pub wire: bool,
    /// True to end the run after the first round in which a match was played.
    pub one_round: bool,
    /// The shard to be played; `None` to play everything.
    pub shard: Option<Shard>,
    /// The tournament being played.
    pub spec: &'a Spec,
    /// The folder of the tournament.
    pub dir: &'a Path,
    /// The sandbox of the programs, if they run on this machine.
    pub sandbox: Sandbox,
    /// The flag that stops the run.
    pub stop: Arc<Stop>,
    /// Counts of starts and crashes of the programs.
    pub starts: Starts,
    logs: PathBuf,
    _stop_file: StopFile,
}

impl<'a> Session<'a> {
    /// Creates the sandbox, and prints the isolation level and a drawn seed unless progress is off. By default, everything is played, and
    /// wire logs are not kept.
    pub fn new(
        spec: &'a Spec,
        dir: &'a Path,
        mode: ProgressMode,
        machines: Machines,
    ) -> anyhow::Result<Self> {
        let is_here = machines == Machines::This;
        if let Some((bot, key)) = spec.bots.iter().find_map(stays_here).filter(|_| !is_here) {
            let why =
                format!("bot {bot} has {key}, so it plays on this machine only: leave out --nats");
            return Err(UsageError::one(why).into());
        }
        if !is_here && table::is_loaded(&spec.plan.game) {
            let why = "a game that is a program is played on this machine only: leave out --nats";
            return Err(UsageError::one(why).into());
        }
        let sandbox = if is_here {
            sandbox::for_programs(spec, &[dir])?
        } else {
            Sandbox::default()
        };
        let is_shown = mode != ProgressMode::None;
        let drawn = seed::drawn(spec).filter(|_| is_shown);
        drawn
            .into_iter()
            .chain(known_seed::warnings(spec, &sandbox, Some(dir)))
            .chain(jobs_warning(spec).filter(|_| is_here))
            .for_each(status);
        if is_here {
            sandbox::announce(spec, &sandbox, !is_shown);
        }
        let logs = logs::folder(dir);
        fs::create_dir_all(&logs).with_context(|| logs.display().to_string())?;
        let stop = stopping::on_ctrl_c(if is_here {
            stopping::FINISHED
        } else {
            stopping::TAKEN_BACK
        })?;
        stopping::continue_by(|| command(spec, dir));
        let stop_file = StopFile::watch(dir, &stop);
        Ok(Self {
            wire: false,
            one_round: false,
            shard: None,
            spec,
            dir,
            sandbox,
            stop,
            starts: Starts::default(),
            logs,
            _stop_file: stop_file,
        })
    }

    /// Returns the destination of the bots' logs.
    pub fn logs(&self) -> Logs<'_> {
        let wire = self.wire.then_some(self.logs.as_path());
        Logs {
            stderr: Some(Destination::Folder(&self.logs)),
            wire,
            ..Logs::default()
        }
    }
}

/// Returns the command that continues the tournament or tuning in a folder.
pub fn command(spec: &Spec, dir: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let shown = dir.strip_prefix(here).unwrap_or(dir).display();
    let (name, _) = kind(spec);
    format!("arena {name} {shown}{}", trust::flag(spec, dir))
}

/// Returns the command that plays a tournament, comparison or tuning, and the word for its kind.
pub fn kind(spec: &Spec) -> (&'static str, &'static str) {
    if !spec.tune.is_empty() {
        ("tune", "tuning")
    } else if spec.plan.test.is_some() {
        ("compare", "comparison")
    } else {
        ("run", "tournament")
    }
}

/// Returns the name of a bot that can only run on this machine, and the key that requires this.
fn stays_here(entrant: &Entrant) -> Option<(&str, &'static str)> {
    let program = entrant.program()?;
    let keys = [
        (program.network, "network = true"),
        (!program.pass_env.is_empty(), "pass_env"),
    ];
    let mut keys = keys.into_iter().chain([
        (program.may_pause, "may_pause = true"),
        (program.cache.is_some(), "a cache"),
    ]);
    keys.find(|(is_set, _)| *is_set)
        .map(|(_, key)| (entrant.name.as_str(), key))
}

/// Returns a warning if there are more jobs than cores, which speeds nothing up, unless that is allowed. With programs, such a number is
/// refused earlier.
fn jobs_warning(spec: &Spec) -> Option<String> {
    let jobs = spec.local.jobs;
    let cores = cores::count();
    (jobs > cores && !spec.local.oversubscribe).then(|| {
        format!("warning: {jobs} jobs on {cores} cores are no faster than {cores} jobs; results stay the same, since all bots are built in")
    })
}
