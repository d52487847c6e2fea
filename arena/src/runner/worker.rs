//! Matches with programs: each worker is a thread with its own runtime, and keeps the bots it started from match to match.

use std::collections::HashMap;
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::Context;
use arena_engine::game::{Game, View};
use arena_engine::machine::{Match, Reply};
use arena_engine::outcome::{Cause, Fault};
use arena_engine::player::{self, Player, Start};
use arena_engine::seat::Seat;
use arena_protocol::message::{self, Clock, End, ToBot, Turn, Want};
use arena_results::played::{Evidence, Played};
use futures_util::future::join_all;
use tokio::runtime::{self, Runtime};

use super::in_process::builtin;
use super::process::{Process, Said, Unready};
use super::table::Table;
use super::{Run, Stop};
use crate::format::Planned;
use crate::setup::{Plays, millis};

/// Plays the matches with `jobs` workers.
pub fn play<G: Game>(
    run: Run<'_>,
    todo: impl Iterator<Item = Planned> + Send,
    played: &SyncSender<Played>,
) -> anyhow::Result<()> {
    let todo = Mutex::new(todo.peekable());
    if todo.lock().unwrap_or_else(PoisonError::into_inner).peek().is_none() {
        return Ok(());
    }
    let next = || todo.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..run.setup.jobs)
            .map(|_| {
                let played = played.clone();
                scope.spawn(move || work::<G>(run, next, &played))
            })
            .collect();
        let ended =
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ended.collect()
    })
}

/// Plays one match with bots that are started for it.
pub fn play_one<G: Game>(run: Run<'_>, planned: &Planned) -> anyhow::Result<(Match<G>, Played)> {
    runtime()?.block_on(async {
        let mut bots = Kept::default();
        let table = one::<G>(run, planned, &mut bots).await?;
        bots.quit().await;
        let played = table.played(run.setup, planned)?;
        Ok((table.game, played))
    })
}

fn work<G: Game>(run: Run<'_>, next: impl Fn() -> Option<Planned>, played: &SyncSender<Played>) -> anyhow::Result<()> {
    runtime()?.block_on(async {
        let mut bots = Kept::default();
        let done = matches::<G>(run, next, &mut bots, played).await;
        bots.quit().await;
        done
    })
}

async fn matches<G: Game>(
    run: Run<'_>,
    next: impl Fn() -> Option<Planned>,
    bots: &mut Kept,
    played: &SyncSender<Played>,
) -> anyhow::Result<()> {
    while !Stop::is_set(run.stop)
        && let Some(planned) = next()
    {
        let table = one::<G>(run, &planned, bots).await?;
        played.send(table.played(run.setup, &planned)?).context("the results are not taken any more")?;
    }
    Ok(())
}

fn runtime() -> anyhow::Result<Runtime> {
    runtime::Builder::new_current_thread().enable_all().build().context("cannot start a worker")
}

/// The bots that a worker has started and that are not in a match, by their index in the setup.
#[derive(Default)]
struct Kept {
    processes: HashMap<usize, Process>,
    matches: u64,
}

impl Kept {
    async fn quit(&mut self) {
        join_all(self.processes.drain().map(|(_, process)| process.quit())).await;
    }
}

/// Whoever answers for a seat in one match.
enum Chair<G: Game> {
    /// A bot of ours.
    Here(Box<dyn Player<G>>),
    /// A program, with the table as its seat sees it.
    There(Box<Process>, G::View),
    /// A program that failed before its first turn.
    Failed(Fault),
    /// A program that forfeited.
    Empty,
}

/// Plays one match.
async fn one<G: Game>(run: Run<'_>, planned: &Planned, bots: &mut Kept) -> anyhow::Result<Table<G>> {
    let mut table = Table::<G>::new(run.setup, planned)?;
    bots.matches += 1;
    let number = bots.matches;
    let mut chairs = Vec::new();
    for (seat, bot) in Seat::all(run.setup.seats).into_iter().zip(&planned.seats) {
        chairs.push(sit(run, bots, *bot, seat, number, &mut table).await?);
    }
    while !table.game.over() {
        let asked: Vec<Seat> = table.game.asked().into_iter().collect();
        let mut turns = Vec::new();
        for (seat, chair) in Seat::all(run.setup.seats).into_iter().zip(&mut chairs) {
            if asked.contains(&seat) {
                turns.push(prepare(run, &mut table, seat, chair, number));
            }
        }
        let answers = match turns.pop() {
            Some(last) if turns.is_empty() => vec![last.answer().await],
            last => join_all(turns.into_iter().chain(last).map(Asking::answer)).await,
        };
        for (seat, took, said) in answers {
            table.timed(seat, took);
            if let Some(note) = said.note {
                table.note(seat, note);
            }
            table.game.reply(seat, said.reply)?;
        }
        for seat in asked {
            remove_failed(&mut table, seat, &mut chairs[seat.index()]).await;
        }
    }
    let outcome = table.game.verdict().context("the match is over")?.clone();
    for ((seat, bot), chair) in Seat::all(run.setup.seats).into_iter().zip(&planned.seats).zip(chairs) {
        match chair {
            Chair::Here(mut player) => {
                if table.game.fault(seat).is_none() {
                    player.end(&mut table.game.news(seat), &outcome.outcome);
                }
            }
            Chair::There(mut process, _) => {
                let events: Vec<G::Event> = table.game.news(seat).collect();
                let end = End { r#match: number, events, outcome: outcome.outcome.clone(), ended: outcome.ended };
                process.tell(&ToBot::<(), Vec<G::Event>, (), ()>::End(end)).await;
                bots.processes.insert(*bot, *process);
            }
            Chair::Failed(_) | Chair::Empty => {}
        }
    }
    Ok(table)
}

/// Lets a bot take its seat: starts it if need be, and tells it what is played.
async fn sit<G: Game>(
    run: Run<'_>,
    bots: &mut Kept,
    bot: usize,
    seat: Seat,
    number: u64,
    table: &mut Table<G>,
) -> anyhow::Result<Chair<G>> {
    let setup = run.setup;
    let (rules, seed) = (table.game.record().rules.clone(), player::bot_seed(table.game.record().seed, seat));
    let program = match &setup.bots[bot].plays {
        Plays::Builtin(_) => {
            let mut player = builtin::<G>(setup, bot)?;
            player.start(&Start { rules: &rules, seat, seats: setup.seats, seed });
            return Ok(Chair::Here(player));
        }
        Plays::Program(program) => program,
    };
    let kept = bots.processes.remove(&bot);
    let started = match kept {
        Some(process) => Ok(process),
        None => Process::start(&setup.bots[bot], program, setup.clock, run.logs).await,
    };
    let mut process = match started {
        Ok(process) => process,
        Err(Unready { fault, evidence }) => {
            table.keep(Evidence { seat, ..evidence });
            return Ok(Chair::Failed(fault));
        }
    };
    if !process.plays(G::NAME) {
        let detail = format!("says that it does not play {}", G::NAME);
        let fault = Fault { cause: Cause::Protocol, detail };
        table.keep(process.dismiss(&fault, seat, 0).await);
        return Ok(Chair::Failed(fault));
    }
    let view = G::View::new(&rules, setup.seats, seat);
    let clock = Clock { move_ms: Some(millis(setup.clock.per_move)) };
    let game = G::NAME.to_owned();
    let start = message::Start { r#match: number, game, rules, seat, seats: setup.seats, seed, clock };
    process.tell(&ToBot::<G::Rules, (), (), ()>::Start(start)).await;
    Ok(Chair::There(Box::new(process), view))
}

/// A seat that has to answer, with all that it is asked.
enum Asking<'a, G: Game> {
    Answered(Seat, std::time::Duration, Said<G::Action>),
    Process { seat: Seat, process: &'a mut Process, id: u64, turn: Box<TurnLine<G>>, limit: std::time::Duration },
}

type TurnLine<G> = ToBot<(), Vec<<G as Game>::Event>, <G as Game>::Prompt, <G as Game>::View>;

/// Gathers what a seat is asked; a bot of ours answers at once.
fn prepare<'a, G: Game>(
    run: Run<'_>,
    table: &mut Table<G>,
    seat: Seat,
    chair: &'a mut Chair<G>,
    number: u64,
) -> Asking<'a, G> {
    let answered = |took, reply| Asking::Answered(seat, took, Said { reply, note: None });
    match chair {
        Chair::Here(player) => {
            let began = Instant::now();
            let reply = player::ask(&mut table.game, seat, player.as_mut());
            answered(began.elapsed(), reply)
        }
        Chair::There(process, view) => {
            let prompt = table.game.prompt(seat);
            let mut events = Vec::new();
            for event in table.game.news(seat) {
                view.see(&event);
                events.push(event);
            }
            if !process.wants(Want::Events) {
                events.clear();
            }
            let id = process.next_id();
            let limit = run.setup.clock.per_move;
            let clock = Clock { move_ms: Some(millis(limit)) };
            let view = process.wants(Want::View).then(|| view.clone());
            let turn = Box::new(ToBot::Turn(Turn { id, r#match: number, events, prompt, view, clock }));
            Asking::Process { seat, process, id, turn, limit }
        }
        Chair::Failed(fault) => answered(std::time::Duration::ZERO, Reply::Failed(fault.clone())),
        Chair::Empty => {
            let fault = Fault { cause: Cause::Crash, detail: "has left the match".into() };
            answered(std::time::Duration::ZERO, Reply::Failed(fault))
        }
    }
}

impl<G: Game> Asking<'_, G> {
    async fn answer(self) -> (Seat, std::time::Duration, Said<G::Action>) {
        match self {
            Asking::Answered(seat, took, said) => (seat, took, said),
            Asking::Process { seat, process, id, turn, limit } => {
                let began = Instant::now();
                let said = process.ask(id, &turn, limit).await;
                (seat, began.elapsed(), said)
            }
        }
    }
}

/// Ends the process of a seat that has forfeited, and keeps what shows why.
async fn remove_failed<G: Game>(table: &mut Table<G>, seat: Seat, chair: &mut Chair<G>) {
    let Some(fault) = table.game.fault(seat).cloned() else { return };
    match std::mem::replace(chair, Chair::Empty) {
        Chair::There(process, _) => {
            let turn = table.turn();
            let evidence = process.dismiss(&fault, seat, turn).await;
            table.keep(evidence);
        }
        other => *chair = other,
    }
}
