//! Matches between bots of ours, in parallel on rayon's threads.

use std::sync::mpsc::SyncSender;

use anyhow::Context;
use arena_bots::roster;
use arena_engine::game::Game;
use arena_engine::player::{self, Player};
use arena_results::played::Played;
use rayon::iter::{ParallelBridge, ParallelIterator};

use super::Run;
use super::table::Table;
use crate::format::Planned;
use crate::setup::{Plays, Setup};

/// Plays the matches on `jobs` threads.
pub fn play<G: Game>(
    run: Run<'_>,
    todo: impl Iterator<Item = Planned> + Send,
    played: &SyncSender<Played>,
) -> anyhow::Result<()> {
    let threads =
        rayon::ThreadPoolBuilder::new().num_threads(run.setup.jobs).build().context("cannot start threads")?;
    threads.install(|| {
        let todo = todo.take_while(|_| !run.stop.is_set());
        todo.par_bridge().try_for_each_with(played.clone(), |played, planned| {
            played.send(one::<G>(run.setup, &planned)?).context("the results are not taken any more")
        })
    })
}

fn one<G: Game>(setup: &Setup, planned: &Planned) -> anyhow::Result<Played> {
    let mut table = Table::<G>::new(setup, planned)?;
    let mut players = planned.seats.iter().map(|bot| builtin(setup, *bot)).collect::<anyhow::Result<Vec<_>>>()?;
    player::play(&mut table.game, &mut players);
    table.played(setup, planned)
}

/// A bot of ours by its index in the setup.
pub fn builtin<G: Game>(setup: &Setup, bot: usize) -> anyhow::Result<Box<dyn Player<G>>> {
    match &setup.bots[bot].plays {
        Plays::Builtin(name) => roster::make::<G>(name).with_context(|| format!("no bot {name} plays {}", G::NAME)),
        Plays::Program(_) => anyhow::bail!("{} is a program", setup.bots[bot].name),
    }
}
