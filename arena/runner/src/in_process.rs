//! Matches between built-in bots, in parallel on rayon's threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::SyncSender;

use anyhow::Context;
use arena_bots::roster;
use arena_engine::game::Game;
use arena_engine::player::{self, Player};
use arena_engine::seat::Seat;
use arena_sandbox::cores;
use rayon::iter::{ParallelBridge, ParallelIterator};

use super::run::{Finished, Run};
use super::running_match::RunningMatch;
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::schedule::Planned;

/// Plays the matches on `jobs` threads, but no more than there are cores: others would only get in their way.
pub fn play<G: Game>(
    run: Run<'_>,
    rules: &G::Rules,
    todo: impl Iterator<Item = Planned> + Send,
    finished: &SyncSender<Finished>,
) -> anyhow::Result<()> {
    let jobs = run.spec.local.jobs.min(cores::count());
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .build()
        .context("cannot start threads")?;
    threads.install(|| {
        let todo = todo.take_while(|_| !run.stop.is_set());
        todo.par_bridge()
            .try_for_each_with(finished.clone(), |finished, planned| {
                finished
                    .send(play_match::<G>(run, rules, &planned)?)
                    .context("the results are not taken any more")
            })
    })
}

/// Plays one match.
pub fn play_match<G: Game>(
    run: Run<'_>,
    rules: &G::Rules,
    planned: &Planned,
) -> anyhow::Result<Finished> {
    let mut running = RunningMatch::<G>::new(run, rules, planned)?;
    let mut players = planned
        .seats
        .iter()
        .map(|bot| builtin(&run.spec.bots[*bot]))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let move_ms = |seat: Seat| run.move_ms(planned.seats[seat.index()]);
    match catch_unwind(AssertUnwindSafe(|| {
        player::play(&mut running.game, &mut players, move_ms);
    })) {
        Ok(()) => Ok(Finished::Played(Box::new(running.finish()?))),
        Err(panic) => Ok(run.unplayed(planned, player::panic_message(&*panic).to_owned())),
    }
}

/// The player of a built-in bot.
pub fn builtin<G: Game>(entrant: &Entrant) -> anyhow::Result<Box<dyn Player<G>>> {
    match &entrant.bot {
        Bot::Builtin(name) => {
            roster::make::<G>(name).with_context(|| format!("no bot {name} plays {}", G::NAME))
        }
        Bot::Person => anyhow::bail!(
            "{} is a person; people play in `arena match` and `arena serve`",
            entrant.name
        ),
        Bot::Program(_) => anyhow::bail!("{} is a program", entrant.name),
    }
}
