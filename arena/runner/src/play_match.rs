//! One match with programs or people: they take their seats, play their turns, and leave.

use std::rc::Rc;

use arena_engine::fault::{Cause, Fault, Violation};
use arena_engine::game::Game;
use arena_engine::player::{self, Start};
use arena_engine::record::Reply;
use arena_engine::seat::{BySeat, MOST_SEATS, Seat};
use arena_tournament::played::Evidence;
use arena_tournament::printable::clean;
use arrayvec::ArrayVec;
use futures_util::future::{FutureExt, LocalBoxFuture, TryFutureExt, join_all, ready};

use super::clock::Void;
use super::conversation::asking::Elapsed;
use super::conversation::greeting::Unready;
use super::in_process::builtin;
use super::person::PersonSeat;
use super::pool::{Process, ProcessPool};
use super::remote_seat::RemoteSeat;
use super::run::{Paused, Run, Unplayed};
use super::running_match::RunningMatch;
use super::seat_clock::SeatClock;
use super::turns::Response;
use arena_tournament::schedule::Planned;

/// The player in a seat.
enum Player<'a, G: Game> {
    /// A built-in bot.
    Builtin(Box<dyn player::Player<G>>),
    /// A program.
    Program(Box<Seated<G>>),
    /// A person.
    Person(Box<PersonSeat<'a, G>>),
    /// A program that failed or forfeited, with the reply of its seat from then on.
    Failed(Fault),
}

/// A program at the table.
struct Seated<G: Game> {
    bot: usize,
    deal: u32,
    process: Rc<Process>,
    seat: RemoteSeat<G>,
    /// What stands above its log.
    log: String,
    /// The process ran before the match, and has not answered in it yet: it may have ended in between.
    unproven: bool,
}

/// Plays one match; `number` is its number on the wire.
pub async fn play<G: Game>(
    run: Run<'_>,
    rules: &G::Rules,
    planned: &Planned,
    number: u64,
    pool: &ProcessPool<'_>,
) -> Result<RunningMatch<G>, Unplayed> {
    let mut running = RunningMatch::<G>::new(run, rules, planned)?;
    let mut players = Vec::new();
    let played = seat_and_play(run, planned, number, pool, &mut running, &mut players).await;
    if let Err(unplayed) = played {
        let paused = paused(run, &players);
        abandon(pool, players).await;
        return Err(paused.map_or(unplayed, Unplayed::from));
    }
    end(&mut running, players, pool).await;
    Ok(running)
}

/// The pause that one of the bots has asked for, if one has.
fn paused<G: Game>(run: Run<'_>, players: &[Player<'_, G>]) -> Option<Paused> {
    players.iter().find_map(|player| {
        let Player::Program(seated) = player else {
            return None;
        };
        Some(Paused {
            bot: run.spec.bots[seated.bot].name.clone(),
            why: seated.process.pause()?.into(),
        })
    })
}

/// Seats all, and plays turn after turn until the match is over.
async fn seat_and_play<'a, G: Game>(
    run: Run<'a>,
    planned: &Planned,
    number: u64,
    pool: &ProcessPool<'_>,
    running: &mut RunningMatch<G>,
    players: &mut Vec<Player<'a, G>>,
) -> Result<(), Unplayed> {
    let seats = run.spec.plan.seats;
    for (seat, bot) in Seat::all(seats).into_iter().zip(&planned.seats) {
        let player = if run.spec.bots[*bot].withdrawn.is_some() {
            running.evidence.push(Evidence {
                seat,
                ..Evidence::default()
            });
            Player::Failed(Fault::StartFailed("withdrawn".into()))
        } else if run.startup(*bot).is_some() {
            seat_program(run, pool, (*bot, planned.deal), seat, number, running).await?
        } else if let (Some(people), true) = (run.people, run.spec.bots[*bot].is_person()) {
            let names = BySeat::new(seats, |seat| {
                clean(&run.spec.bots[planned.seats[seat.index()]].name)
            });
            Player::Person(Box::new(PersonSeat::new(
                people,
                &running.game,
                seat,
                names,
            )))
        } else {
            let move_ms = run.move_ms(*bot);
            let mut bot = builtin::<G>(&run.spec.bots[*bot])?;
            let record = running.game.record();
            let seed = player::bot_seed(record.seed, seat);
            bot.start(&Start {
                rules: &record.rules,
                seat,
                seats,
                seed,
                move_ms,
            });
            Player::Builtin(bot)
        };
        players.push(player);
    }
    let recorded = run
        .begun
        .map(|begun| running.go_on(begun))
        .transpose()?
        .unwrap_or_default();
    let is_resumed = |running: &RunningMatch<G>| running.turn() as usize >= recorded.len();
    if is_resumed(running) {
        show(running, players);
    }
    while !running.game.is_over() {
        let seats = running.game.to_act();
        let answers = ask_all(running, players, pool, &recorded).await?;
        let first = running.turn();
        for (turn, (seat, response, elapsed)) in (first..).zip(answers) {
            // What a bot answers to a recorded turn only brings it to where it was.
            match recorded.get(turn as usize) {
                Some(reply) => running.reply(turn, seat, Response::of(reply.clone()), None)?,
                None => running.reply(turn, seat, response, elapsed)?,
            }
        }
        for (turn, seat) in (first..).zip(seats) {
            dismiss_failed(
                running,
                turn,
                seat,
                &mut players[seat.index()],
                number,
                pool,
            )
            .await;
        }
        // People are shown only what is saved, and of a match that is resumed nothing before it is where it was.
        if let Some(people) = run
            .people
            .filter(|_| running.turn() as usize > recorded.len())
        {
            people.save(running.begun()?);
        }
        if is_resumed(running) {
            show(running, players);
        }
    }
    Ok(())
}

/// Shows all people what happened.
fn show<G: Game>(running: &mut RunningMatch<G>, players: &mut [Player<'_, G>]) {
    for player in players {
        if let Player::Person(person) = player {
            person.show(&mut running.game);
        }
    }
}

/// Seats a program for a deal: starts it if need be, and sends it what is played.
async fn seat_program<'a, G: Game>(
    run: Run<'a>,
    pool: &ProcessPool<'_>,
    (bot, deal): (usize, u32),
    seat: Seat,
    number: u64,
    running: &mut RunningMatch<G>,
) -> Result<Player<'a, G>, Unplayed> {
    let log = format!("match {} seat {}", running.id(), seat.index());
    let (process, unproven) = match pool.take(bot, deal, &log).await {
        Ok(taken) => taken,
        Err(Unready::Failed(fault, evidence)) => {
            running.evidence.push(Evidence { seat, ..*evidence });
            return Ok(Player::Failed(fault));
        }
        Err(Unready::Paused(why)) => {
            return Err(Paused {
                bot: run.spec.bots[bot].name.clone(),
                why,
            }
            .into());
        }
        Err(Unready::Ours(why)) => {
            let void = Void::of(format!("a program could not be started: {why}"));
            return Err(Void {
                seat: Some(seat),
                ..void
            }
            .into());
        }
    };
    if !process.ready().plays(G::NAME) {
        let fault = Fault::from(Violation::WrongGame(G::NAME.into()));
        process.send_error(Some(number), fault.to_string());
        running.evidence.push(Evidence {
            seat,
            ..pool.dismiss(bot, process, true).await
        });
        return Ok(Player::Failed(fault));
    }
    let seat = RemoteSeat::new(
        &running.game,
        seat,
        number,
        SeatClock::new(run.spec.clock(bot)),
    );
    process.pipes().log.enter(&log, None);
    seat.begin(&process);
    Ok(Player::Program(Box::new(Seated {
        bot,
        deal,
        process,
        seat,
        log,
        unproven,
    })))
}

/// The response of a seat, and how long it took a program or a person.
type Answer<G> = (Seat, Response<<G as Game>::Action>, Option<Elapsed>);

/// The answers to a turn. They are few: nothing is allocated for them.
type Answers<G> = ArrayVec<Answer<G>, MOST_SEATS>;

/// Asks all seats that must act, at once, and returns their answers in order of the seats.
async fn ask_all<G: Game>(
    running: &mut RunningMatch<G>,
    players: &mut [Player<'_, G>],
    pool: &ProcessPool<'_>,
    recorded: &[Reply<G::Action>],
) -> Result<Answers<G>, Unplayed> {
    let to_act = running.game.to_act();
    let mut turns = ArrayVec::<_, MOST_SEATS>::new();
    for (seat, player) in Seat::all(players.len()).into_iter().zip(players) {
        if to_act.contains(seat) {
            let turn = running.turn() + turns.len() as u32;
            turns.push(match (player, recorded.get(turn as usize)) {
                (Player::Person(_), Some(reply)) => answered::<G>(seat, reply.clone()),
                (player, _) => prepare(running, turn, seat, player, pool),
            });
        }
    }
    match turns.pop() {
        Some(only) if turns.is_empty() => Ok([only.await?].into_iter().collect()),
        last => Ok(join_all(turns.into_iter().chain(last))
            .await
            .into_iter()
            .collect::<Result<_, Void>>()?),
    }
}

/// The answer of a seat that must act, when it comes.
type Pending<'a, G> = LocalBoxFuture<'a, Result<Answer<G>, Void>>;

fn answered<'a, G: Game>(seat: Seat, reply: Reply<G::Action>) -> Pending<'a, G> {
    ready(Ok((seat, Response::of(reply), None))).boxed_local()
}

/// Gathers the turn of a seat; a built-in bot answers at once.
fn prepare<'a, G: Game>(
    running: &mut RunningMatch<G>,
    turn: u32,
    seat: Seat,
    player: &'a mut Player<'_, G>,
    pool: &'a ProcessPool<'_>,
) -> Pending<'a, G> {
    match player {
        Player::Builtin(bot) => {
            answered::<G>(seat, player::act(&mut running.game, seat, bot.as_mut()))
        }
        Player::Program(seated) => {
            seated.process.pipes().log.enter(&seated.log, Some(turn));
            seated.seat.turn(&seated.process, &mut running.game);
            let answer = seated
                .ask(pool)
                .map_ok(move |(response, elapsed)| (seat, response, Some(elapsed)));
            answer
                .map_err(move |void| Void {
                    seat: Some(seat),
                    ..void
                })
                .boxed_local()
        }
        Player::Person(person) => {
            let question = person.question(&running.game, turn);
            person
                .ask(question)
                .map(move |(response, elapsed)| Ok((seat, response, Some(elapsed))))
                .boxed_local()
        }
        Player::Failed(fault) => answered::<G>(seat, Reply::Failed(fault.clone())),
    }
}

impl<G: Game> Seated<G> {
    /// Sends the turn and waits for the answer. A process that ended between two matches is no fault of the bot: it is
    /// started anew and asked again, once.
    async fn ask(
        &mut self,
        pool: &ProcessPool<'_>,
    ) -> Result<(Response<G::Action>, Elapsed), Void> {
        let limit = self.seat.clock.limit();
        let (mut response, mut elapsed) = self.seat.ask(&self.process, limit).await?;
        let crashed =
            matches!(&response.reply, Reply::Failed(fault) if fault.cause() == Cause::Crash);
        if std::mem::take(&mut self.unproven)
            && crashed
            && self.process.pipes().has_read_nothing()
            && !pool.lives_once(self.bot)
            && let Ok((process, _)) = pool.take(self.bot, self.deal, &self.log).await
        {
            let ended = std::mem::replace(&mut self.process, process);
            ended.retire();
            pool.give_back(self.bot, ended).await;
            self.seat.begin(&self.process);
            self.seat.renumber(&self.process);
            (response, elapsed) = self.seat.ask(&self.process, limit).await?;
        }
        self.seat.clock.spend(elapsed.charged);
        Ok((response, elapsed))
    }
}

/// Takes a seat that has forfeited out of the match, and keeps what shows why.
async fn dismiss_failed<G: Game>(
    running: &mut RunningMatch<G>,
    turn: u32,
    seat: Seat,
    player: &mut Player<'_, G>,
    number: u64,
    pool: &ProcessPool<'_>,
) {
    let Some(fault) = running.fault(seat) else {
        return;
    };
    match std::mem::replace(player, Player::Failed(Fault::Left)) {
        Player::Program(seated) => {
            let cause = fault.cause();
            seated
                .process
                .send_error(Some(number), format!("{cause}: {fault}"));
            let evidence = pool
                .dismiss(seated.bot, seated.process, cause == Cause::Crash)
                .await;
            running.evidence.push(Evidence {
                seat,
                turn,
                ..evidence
            });
        }
        other => *player = other,
    }
}

/// Sends everybody who is still there how the match ended.
async fn end<G: Game>(
    running: &mut RunningMatch<G>,
    players: Vec<Player<'_, G>>,
    pool: &ProcessPool<'_>,
) {
    let Some(verdict) = running.game.verdict().cloned() else {
        return;
    };
    for (seat, player) in Seat::all(players.len()).into_iter().zip(players) {
        match player {
            Player::Builtin(mut bot) => {
                if running.game.fault(seat).is_none() {
                    bot.end(&mut running.game.new_events(seat), &verdict.outcome);
                }
            }
            Player::Program(seated) => {
                seated.seat.end(&seated.process, &mut running.game);
                pool.give_back(seated.bot, seated.process).await;
            }
            Player::Person(_) | Player::Failed(_) => {}
        }
    }
}

/// Gives up a void match. Its processes are ended, since nobody knows where they stand.
async fn abandon<G: Game>(pool: &ProcessPool<'_>, players: Vec<Player<'_, G>>) {
    for player in players {
        if let Player::Program(seated) = player {
            seated.process.retire();
            pool.give_back(seated.bot, seated.process).await;
        }
    }
}
