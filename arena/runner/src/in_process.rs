//! Plays matches between built-in bots.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::Context;
use arena_bots::roster;
use arena_engine::player;
use arena_engine::seat::Seat;
use arena_engine::table::Dealer;

use super::run::{Finished, Run};
use super::running_match::RunningMatch;
use arena_tournament::entrant::Bot;
use arena_tournament::schedule::Planned;

/// Plays one match.
pub fn play_match(
    run: Run<'_>,
    dealer: &dyn Dealer,
    planned: &Planned,
) -> anyhow::Result<Finished> {
    let mut running = RunningMatch::new(run, dealer, planned)?;
    let played = catch_unwind(AssertUnwindSafe(|| {
        for (seat, bot) in Seat::all(planned.seats.len())
            .into_iter()
            .zip(&planned.seats)
        {
            seat_builtin(run, &mut running, seat, *bot)?;
        }
        running.table.bots_play();
        running.check()?;
        running.table.end_bots();
        anyhow::Ok(())
    }));
    match played {
        Ok(played) => {
            played?;
            Ok(Finished::Played(Box::new(running.finish())))
        }
        Err(panic) => Ok(run.unplayed(planned, player::panic_message(&*panic).to_owned())),
    }
}

/// Seats a built-in bot.
pub fn seat_builtin(
    run: Run<'_>,
    running: &mut RunningMatch,
    seat: Seat,
    bot: usize,
) -> anyhow::Result<()> {
    let entrant = &run.spec.bots[bot];
    let game = &run.spec.plan.game;
    match &entrant.bot {
        Bot::Builtin(name) => {
            let found = roster::find(game, name);
            let found = found.with_context(|| format!("no bot {name} plays {game}"))?;
            running.table.seat(seat, found, run.move_ms(bot));
            Ok(())
        }
        Bot::Person => anyhow::bail!("{} is a person; people play in `arena serve`", entrant.name),
        Bot::Program(_) => anyhow::bail!("{} is a program", entrant.name),
    }
}
