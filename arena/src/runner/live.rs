//! One match with programs: seats are taken, asked, heard, and left.

use std::rc::Rc;

use arena_engine::game::{Game, View};
use arena_engine::outcome::{Cause, Fault};
use arena_engine::player::{self, Player, Start};
use arena_engine::record::Reply;
use arena_engine::seat::Seat;
use arena_protocol::message::{self, ToBot, Turn};
use arena_results::played::Evidence;
use futures_util::future::join_all;

use super::clock::{Over, Time};
use super::in_process::builtin;
use super::lines::{self, Line, TurnOf};
use super::pipes::Unready;
use super::process::{Process, Said, Took};
use super::stable::Stable;
use super::table::Table;
use super::{Run, Unplayed};
use arena_tournament::schedule::Planned;

type Bots<'a, G> = Stable<'a, <G as Game>::Rules, <G as Game>::Action>;

/// Whoever answers for a seat.
enum Chair<G: Game> {
    /// A bot of ours.
    Here(Box<dyn Player<G>>),
    /// A program.
    There(Box<Remote<G>>),
    /// A program that failed before its first turn.
    Failed(Fault),
    /// A program that forfeited.
    Empty,
}

/// A program at the table.
struct Remote<G: Game> {
    bot: usize,
    deal: u32,
    process: Rc<Process<G::Action>>,
    view: G::View,
    time: Time,
    /// How the match began for it, as long as it has not answered a turn and was running before.
    unproven: Option<message::Start<G::Rules>>,
}

/// Plays one match; `number` is its number on the wire.
pub async fn play<G: Game>(
    run: Run<'_, G::Rules>,
    planned: &Planned,
    number: u64,
    bots: &Bots<'_, G>,
) -> Result<Table<G>, Unplayed> {
    let mut table = Table::<G>::new(run, planned)?;
    let mut chairs = Vec::new();
    if let Err(unplayed) = sit_and_play(run, planned, number, bots, &mut table, &mut chairs).await {
        leave_all(bots, chairs).await;
        return Err(unplayed);
    }
    end(&mut table, chairs, number, bots).await;
    Ok(table)
}

/// Lets all take their seats, and asks them until it is over.
async fn sit_and_play<G: Game>(
    run: Run<'_, G::Rules>,
    planned: &Planned,
    number: u64,
    bots: &Bots<'_, G>,
    table: &mut Table<G>,
    chairs: &mut Vec<Chair<G>>,
) -> Result<(), Unplayed> {
    for (seat, bot) in Seat::all(run.setup.seats).into_iter().zip(&planned.seats) {
        chairs.push(sit(run, bots, *bot, seat, number, table).await?);
    }
    while !table.game.is_over() {
        let answers = ask_all(table, chairs, number, bots).await?;
        let asked: Vec<Seat> = answers.iter().map(|(seat, ..)| *seat).collect();
        let first = table.turn();
        for (turn, (seat, said, took)) in (first..).zip(answers) {
            table.heard(turn, seat, (said.note, said.hint), took);
            table.game.reply(seat, said.reply).map_err(anyhow::Error::from)?;
        }
        for (turn, seat) in (first..).zip(asked) {
            remove_failed(table, turn, seat, &mut chairs[seat.index()], number, bots).await;
        }
    }
    Ok(())
}

/// Lets a bot take its seat: starts it if need be, and tells it what is played.
async fn sit<G: Game>(
    run: Run<'_, G::Rules>,
    bots: &Bots<'_, G>,
    bot: usize,
    seat: Seat,
    number: u64,
    table: &mut Table<G>,
) -> Result<Chair<G>, Unplayed> {
    let setup = run.setup;
    if bots.program(bot).is_none() {
        let mut player = builtin::<G>(setup, bot)?;
        let seed = player::bot_seed(table.game.record().seed, seat);
        player.start(&Start { rules: run.rules, seat, seats: setup.seats, seed });
        return Ok(Chair::Here(player));
    }
    let (process, running) = match bots.take(bot, table.deal).await {
        Ok(taken) => taken,
        Err(Unready::Failed(fault, evidence)) => {
            table.keep(Evidence { seat, ..*evidence });
            return Ok(Chair::Failed(fault));
        }
        Err(Unready::Ours(why)) => return Err(Unplayed::Void(format!("a program could not be started: {why}"))),
    };
    if !process.ready().plays(G::NAME) {
        let fault = Fault { cause: Cause::Protocol, detail: format!("says that it does not play {}", G::NAME) };
        process.refuse(Some(number), fault.detail.clone());
        table.keep(Evidence { seat, ..bots.dismiss(bot, process, true).await });
        return Ok(Chair::Failed(fault));
    }
    let (view, time) = (G::View::new(run.rules, setup.seats, seat), Time::new(setup.clock));
    let start = lines::start(&table.game, seat, number, time.told());
    tell_start(&process, &start);
    let unproven = running.then_some(start);
    Ok(Chair::There(Box::new(Remote { bot, deal: table.deal, process, view, time, unproven })))
}

fn tell_start<Rules: Clone + serde::Serialize, Action: serde::de::DeserializeOwned>(
    process: &Process<Action>,
    start: &message::Start<Rules>,
) {
    process.begin();
    process.tell(&ToBot::<Rules, (), (), ()>::Start(start.clone()));
}

/// What a seat replied, and how long that took.
type Answer<G> = (Seat, Said<<G as Game>::Action>, Option<Took>);

/// Asks all seats that must act, at once, and returns their answers in order of the seats.
async fn ask_all<G: Game>(
    table: &mut Table<G>,
    chairs: &mut [Chair<G>],
    number: u64,
    bots: &Bots<'_, G>,
) -> Result<Vec<Answer<G>>, Unplayed> {
    let asked = table.game.to_act();
    let mut turns = Vec::new();
    for (seat, chair) in Seat::all(chairs.len()).into_iter().zip(chairs) {
        if asked.contains(seat) {
            turns.push(prepare(table, seat, chair, number));
        }
    }
    let answers = match turns.pop() {
        Some(only) if turns.is_empty() => vec![only.answer(bots).await],
        last => join_all(turns.into_iter().chain(last).map(|turn| turn.answer(bots))).await,
    };
    answers.into_iter().collect()
}

/// A seat that has to answer, with all that it is asked.
enum Asking<'a, G: Game> {
    Answered(Answer<G>),
    Remote { seat: Seat, remote: &'a mut Remote<G>, turn: Box<TurnOf<G>> },
}

/// Gathers what a seat is asked; a bot of ours answers at once.
fn prepare<'a, G: Game>(table: &mut Table<G>, seat: Seat, chair: &'a mut Chair<G>, number: u64) -> Asking<'a, G> {
    let answered = |reply| Asking::Answered((seat, Said { reply, note: None, hint: None }, None));
    match chair {
        Chair::Here(player) => answered(player::act(&mut table.game, seat, player.as_mut())),
        Chair::There(remote) => {
            let Remote { view, process, time, .. } = &mut **remote;
            let turn =
                lines::turn(&mut table.game, seat, number, process.next_id(), view, process.ready(), time.told());
            Asking::Remote { seat, remote, turn: Box::new(turn) }
        }
        Chair::Failed(fault) => answered(Reply::Failed(fault.clone())),
        Chair::Empty => answered(Reply::Failed(Fault { cause: Cause::Crash, detail: "has left the match".into() })),
    }
}

impl<G: Game> Asking<'_, G> {
    async fn answer(self, bots: &Bots<'_, G>) -> Result<Answer<G>, Unplayed> {
        match self {
            Asking::Answered(answer) => Ok(answer),
            Asking::Remote { seat, remote, turn } => {
                let (said, took) = remote.ask(*turn, bots).await?;
                Ok((seat, said, Some(took)))
            }
        }
    }
}

impl<G: Game> Remote<G> {
    /// Sends the turn and waits for the answer. A process that ended between two matches is no fault of the bot: it is
    /// started anew and asked again, once.
    async fn ask(&mut self, turn: TurnOf<G>, bots: &Bots<'_, G>) -> Result<(Said<G::Action>, Took), Unplayed> {
        let mut line: Line<G> = ToBot::Turn(turn);
        let (mut said, mut took) = self.send(&line).await?;
        let crashed =
            |said: &Said<G::Action>| matches!(&said.reply, Reply::Failed(fault) if fault.cause == Cause::Crash);
        if let Some(start) = self.unproven.take()
            && crashed(&said)
            && self.process.has_read_nothing()
            && !bots.lives_once(self.bot)
            && let Ok((process, _)) = bots.take(self.bot, self.deal).await
        {
            let ended = std::mem::replace(&mut self.process, process);
            ended.retired.set(true);
            bots.give_back(self.bot, ended).await;
            tell_start(&self.process, &start);
            if let ToBot::Turn(turn) = &mut line {
                turn.id = self.process.next_id();
            }
            (said, took) = self.send(&line).await?;
        }
        self.time.spend(took.wall);
        Ok((said, took))
    }

    async fn send(&self, line: &Line<G>) -> Result<(Said<G::Action>, Took), Unplayed> {
        let ToBot::Turn(Turn { id, .. }) = line else { unreachable!("only turns are answered") };
        self.process.ask(*id, line, self.time.limit()).await.map_err(|over| match over {
            Over::Void(why) => Unplayed::Void(why),
            Over::Late => unreachable!("being late is an answer"),
        })
    }
}

/// Takes a seat that has forfeited out of the match, and keeps what shows why.
async fn remove_failed<G: Game>(
    table: &mut Table<G>,
    turn: u32,
    seat: Seat,
    chair: &mut Chair<G>,
    number: u64,
    bots: &Bots<'_, G>,
) {
    let Some(fault) = table.fault(seat) else { return };
    match std::mem::replace(chair, Chair::Empty) {
        Chair::There(remote) => {
            remote.process.refuse(Some(number), format!("{}: {}", fault.cause, fault.detail));
            let fatal = matches!(fault.cause, Cause::Crash);
            let evidence = bots.dismiss(remote.bot, remote.process, fatal).await;
            table.keep(Evidence { seat, turn, ..evidence });
        }
        other => *chair = other,
    }
}

/// Tells everybody who is still there how the match ended.
async fn end<G: Game>(table: &mut Table<G>, chairs: Vec<Chair<G>>, number: u64, bots: &Bots<'_, G>) {
    let Some(verdict) = table.game.verdict().cloned() else { return };
    for (seat, chair) in Seat::all(chairs.len()).into_iter().zip(chairs) {
        match chair {
            Chair::Here(mut player) => {
                if table.game.fault(seat).is_none() {
                    player.end(&mut table.game.new_events(seat), &verdict.outcome);
                }
            }
            Chair::There(remote) => {
                if let Some(end) = lines::end(&mut table.game, seat, number) {
                    remote.process.tell(&end);
                }
                bots.give_back(remote.bot, remote.process).await;
            }
            Chair::Failed(_) | Chair::Empty => {}
        }
    }
}

/// Gives up a void match: the processes in it are ended, since nobody knows where they stand.
async fn leave_all<G: Game>(bots: &Bots<'_, G>, chairs: Vec<Chair<G>>) {
    for chair in chairs {
        if let Chair::There(remote) = chair {
            remote.process.retired.set(true);
            bots.give_back(remote.bot, remote.process).await;
        }
    }
}
