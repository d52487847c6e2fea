//! Matches between bots of ours, in parallel on rayon's threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::SyncSender;

use anyhow::Context;
use arena_bots::roster;
use arena_engine::game::Game;
use arena_engine::player::{self, Player};
use rayon::iter::{ParallelBridge, ParallelIterator};

use super::table::Table;
use super::{Finished, Run};
use arena_tournament::schedule::Planned;
use crate::setup::{Plays, Setup};

/// Plays the matches on `jobs` threads.
pub fn play<G: Game>(
    run: Run<'_, G::Rules>,
    todo: impl Iterator<Item = Planned> + Send,
    finished: &SyncSender<Finished>,
) -> anyhow::Result<()> {
    let threads =
        rayon::ThreadPoolBuilder::new().num_threads(run.setup.jobs).build().context("cannot start threads")?;
    threads.install(|| {
        let todo = todo.take_while(|_| !run.stop.is_set());
        todo.par_bridge().try_for_each_with(finished.clone(), |finished, planned| {
            finished.send(one::<G>(run, &planned)?).context("the results are not taken any more")
        })
    })
}

fn one<G: Game>(run: Run<'_, G::Rules>, planned: &Planned) -> anyhow::Result<Finished> {
    let setup = run.setup;
    let mut table = Table::<G>::new(run, planned)?;
    let mut players = planned.seats.iter().map(|bot| builtin(setup, *bot)).collect::<anyhow::Result<Vec<_>>>()?;
    match catch_unwind(AssertUnwindSafe(|| player::play(&mut table.game, &mut players))) {
        Ok(()) => Ok(Finished::Played(Box::new(table.played(setup, planned)?))),
        Err(panic) => Ok(Finished::Unplayed { id: setup.id(planned), why: player::panic_message(&*panic).to_owned() }),
    }
}

/// A bot of ours by its index in the setup.
pub fn builtin<G: Game>(setup: &Setup, bot: usize) -> anyhow::Result<Box<dyn Player<G>>> {
    match &setup.bots[bot].plays {
        Plays::Builtin(name) => roster::make::<G>(name).with_context(|| format!("no bot {name} plays {}", G::NAME)),
        Plays::Program(_) => anyhow::bail!("{} is a program", setup.bots[bot].name),
    }
}
