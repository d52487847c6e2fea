//! Plays the matches of a tournament: bots of ours on rayon's threads, programs each by a worker with its own runtime.
//!
//! Whatever the number of jobs, what is sent on for a match depends on its seed and its bots alone.

pub mod again;
pub mod clock;
mod evidence;
mod in_process;
pub mod lines;
mod live;
pub mod pipes;
pub mod process;
mod stable;
mod table;
mod wire_log;
pub mod worker;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

use arena_engine::game::Game;
use arena_engine::machine::{BadTable, Match};
use arena_results::played::Played;

use arena_tournament::schedule::Planned;
use crate::sandbox::Sandbox;
use crate::setup::{Plays, Setup};

/// Set when no further match is to begin.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// Lets running matches finish, and begins no other.
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether that was asked for.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// The folders of what is kept of bots' processes beside the ledger.
#[derive(Clone, Copy, Debug, Default)]
pub struct Logs<'a> {
    /// For what they write to standard error, if that is kept.
    pub words: Option<&'a Path>,
    /// For all lines to and from them, if those are kept.
    pub wire: Option<&'a Path>,
}

/// What runners need: the setup, where bots' logs go, and when to stop.
pub struct Run<'a, Rules> {
    /// What is played.
    pub setup: &'a Setup,
    /// The rules of the game, as the setup has them.
    pub rules: &'a Rules,
    /// Where bots' logs go.
    pub logs: Logs<'a>,
    /// When to stop.
    pub stop: &'a Stop,
    /// The sandbox of bots that are programs.
    pub sandbox: &'a Sandbox,
}

impl<Rules> Clone for Run<'_, Rules> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<Rules> Copy for Run<'_, Rules> {}

/// What became of a planned match.
pub enum Finished {
    /// It has a result.
    Played(Box<Played>),
    /// It has none, and that is not a bot's fault.
    Unplayed {
        /// Its name in the schedule.
        id: String,
        /// What stood in the way.
        why: String,
    },
}

/// Why a match came to no result.
#[derive(Debug, thiserror::Error)]
pub enum Unplayed {
    /// Nobody is to blame; it is played again.
    #[error("the match is void: {0}")]
    Void(String),
    /// The arena cannot go on.
    #[error(transparent)]
    Arena(#[from] anyhow::Error),
}

impl From<BadTable> for Unplayed {
    fn from(bad: BadTable) -> Self {
        Self::Arena(bad.into())
    }
}

/// Plays the matches, and sends each on as it is finished. Returns when all are played or it was stopped.
pub fn play<G: Game>(
    run: Run<'_, G::Rules>,
    todo: impl Iterator<Item = Planned> + Clone + Send,
    finished: &SyncSender<Finished>,
) -> anyhow::Result<()> {
    let ours =
        |planned: &Planned| planned.seats.iter().all(|bot| matches!(run.setup.bots[*bot].plays, Plays::Builtin(_)));
    in_process::play::<G>(run, todo.clone().filter(ours), finished)?;
    worker::play::<G>(run, todo.filter(|planned| !ours(planned)), finished)
}

/// Plays one match here and now, with the bots of the setup in their order by seat.
pub fn play_one<G: Game>(run: Run<'_, G::Rules>) -> anyhow::Result<(Match<G>, Played)> {
    let planned = Planned { deal: 1, seats: (0..run.setup.seats).collect() };
    worker::play_one(run, &planned)
}
