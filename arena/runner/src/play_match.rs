//! Plays one match with programs or people: seats them, plays turn after turn, and releases them.
//!
//! [`play`] plays a match of a tournament, with processes of a pool. [`play_alone`] plays a match of one process that the caller keeps.

use std::ops::ControlFlow;
use std::time::Duration;

use arena_engine::fault::{Cause, Fault};
use arena_engine::record::Reply;
use arena_engine::seat::{BySeat, MAX_SEATS, Seat};
use arena_engine::table::{self, Dealer, Json, Table};
use arena_protocol::fault::{BotFault, Violation};
use arena_tournament::clock::TimeControl;
use arena_tournament::played::Evidence;
use arena_tournament::printable::clean;
use arrayvec::ArrayVec;
use futures_util::future::join_all;

use super::begun::Begun;
use super::clock::Void;
use super::conversation::Conversation;
use super::conversation::asking::Elapsed;
use super::conversation::greeting::Unready;
use super::in_process::seat_builtin;
use super::observer::ObservedTurn;
use super::people::{People, Question};
use super::person::PersonSeat;
use super::pool::ProcessPool;
use super::run::{Paused, Run, Unplayed};
use super::running_match::RunningMatch;
use super::seated::{Held, Pooled, Seated};
use super::turns::Response;
use arena_tournament::schedule::Planned;

/// Player in a seat.
enum Player<'a> {
    /// A built-in bot, held by the table.
    Builtin,
    /// A program.
    Program(Box<Seated<'a>>),
    /// A person.
    Person(Box<PersonSeat<'a>>),
    /// A program that has failed. Its seat gives this fault as its reply from then on.
    Failed(Fault),
}

/// Plays a match of one program, whose process the caller keeps. Built-in bots of the table have all other seats. If the match has `begun`,
/// its record is repeated instead, and the program's answers change nothing. The match ends early if the program forfeits, or if the observer
/// returns `Break` for an answer. `number` is the number of the match on the wire.
///
/// # Errors
/// If the match is void; then the error is the [`Void`]. Also if the game itself fails.
pub async fn play_alone(
    mut running: RunningMatch,
    (conversation, number): (&Conversation, u64),
    seat: Seat,
    clock: TimeControl,
    begun: Option<&Begun>,
    observer: &mut impl FnMut(ObservedTurn<'_>) -> ControlFlow<()>,
) -> anyhow::Result<RunningMatch> {
    let recorded = &running.go_on(begun)?;
    let seats = Seat::all(running.table.record().seats).into_iter();
    let mut players: Vec<Player<'_>> = seats.map(|_| Player::Builtin).collect();
    let held = Held::Lent(conversation);
    let seated = Seated::begin(&running, seat, held, number, clock);
    players[seat.index()] = Player::Program(Box::new(seated));
    let played = play_on(&mut running, &mut players, number, recorded, None, observer).await;
    played.map_err(|unplayed| match unplayed {
        Unplayed::Void(void) => void.into(),
        other => anyhow::Error::from(other),
    })?;
    if running.table.fault(seat).is_none() {
        end(&mut running, players).await;
    }
    Ok(running)
}

/// Plays one match of a run. `number` is the number of the match on the wire.
pub async fn play(
    run: Run<'_>,
    dealer: &dyn Dealer,
    planned: &Planned,
    number: u64,
    pool: &ProcessPool<'_>,
) -> Result<RunningMatch, Unplayed> {
    let mut running = RunningMatch::new(run, dealer, planned)?;
    let mut players = Vec::new();
    let played = seat_and_play(run, planned, number, pool, &mut running, &mut players).await;
    if let Err(unplayed) = played {
        let paused = paused(run, planned, &players);
        abandon(players).await;
        return Err(paused.map_or(unplayed, Unplayed::from));
    }
    end(&mut running, players).await;
    Ok(running)
}

/// Returns the pause that a bot has requested, if any.
fn paused(run: Run<'_>, planned: &Planned, players: &[Player<'_>]) -> Option<Paused> {
    planned.seats.iter().zip(players).find_map(|(bot, player)| {
        let Player::Program(seated) = player else {
            return None;
        };
        Some(Paused {
            bot: run.spec.bots[*bot].name.clone(),
            why: seated.process.pause()?.into(),
        })
    })
}

/// Seats all players and plays until the match is over.
async fn seat_and_play<'a>(
    run: Run<'a>,
    planned: &Planned,
    number: u64,
    pool: &'a ProcessPool<'a>,
    running: &mut RunningMatch,
    players: &mut Vec<Player<'a>>,
) -> Result<(), Unplayed> {
    let seats = run.spec.plan.seats;
    pool.need(planned);
    for (seat, bot) in Seat::all(seats).into_iter().zip(&planned.seats) {
        let player = if run.spec.bots[*bot].withdrawn.is_some() {
            running.evidence.push(Evidence {
                seat,
                ..Evidence::default()
            });
            Player::Failed(BotFault::Withdrawn.into())
        } else if run.startup(*bot).is_some() {
            seat_program(run, pool, (*bot, planned.deal), seat, number, running).await?
        } else if let (Some(people), true) = (run.people, run.spec.bots[*bot].is_person()) {
            let names = BySeat::new(seats, |seat| {
                clean(&run.spec.bots[planned.seats[seat.index()]].name)
            });
            let game = &run.spec.plan.game;
            Player::Person(Box::new(PersonSeat::new(people, game, seat, names)?))
        } else {
            seat_builtin(run, running, seat, *bot)?;
            Player::Builtin
        };
        players.push(player);
    }
    let recorded = running.go_on(run.begun)?;
    let nothing = &mut |_: ObservedTurn<'_>| ControlFlow::Continue(());
    play_on(running, players, number, &recorded, run.people, nothing).await
}

/// Plays until the match is over, a program whose process is lent forfeits, or the observer returns `Break` for an answer.
async fn play_on(
    running: &mut RunningMatch,
    players: &mut [Player<'_>],
    number: u64,
    recorded: &[Reply<Json>],
    people: Option<&dyn People>,
    observer: &mut impl FnMut(ObservedTurn<'_>) -> ControlFlow<()>,
) -> Result<(), Unplayed> {
    let is_resumed = |running: &RunningMatch| running.turn() as usize >= recorded.len();
    if is_resumed(running) {
        show(running, players);
    }
    while running.table.verdict().is_none() {
        let first = running.turn();
        let answers = ask_all(running, players, recorded, observer).await?;
        let seats: ArrayVec<Seat, MAX_SEATS> = answers.iter().map(|(seat, ..)| *seat).collect();
        for (turn, (seat, response, elapsed)) in (first..).zip(answers) {
            let player = &players[seat.index()];
            if let (Player::Program(seated), Some(response)) = (player, &response) {
                let observed = ObservedTurn {
                    table: &*running.table,
                    turn,
                    id: seated.seat.id(),
                    answer: elapsed.map(|elapsed| (response, elapsed)),
                };
                if observer(observed).is_break() {
                    return Ok(());
                }
            }
            // Recorded turns are asked again only to restore the bot's state, so ignore the answers.
            match recorded.get(turn as usize) {
                Some(reply) => {
                    let taken = running.table.reply(seat, reply.as_ref().map(Json::as_str));
                    taken.map_err(anyhow::Error::from)?;
                }
                None => take(running, turn, seat, player, response, elapsed)?,
            }
        }
        for (turn, seat) in (first..).zip(seats) {
            let player = &mut players[seat.index()];
            if dismiss_failed(running, turn, seat, player, number)
                .await
                .is_break()
            {
                return Ok(());
            }
        }
        // Save before showing: otherwise people could see events that a resumed match lacks. Do not show the replay of recorded turns.
        if let Some(people) = people.filter(|_| running.turn() as usize > recorded.len()) {
            people.save(running.begun());
        }
        if is_resumed(running) {
            show(running, players);
        }
    }
    Ok(())
}

/// Applies the reply of a seat. A program forfeits if it has not answered, or its answer is not an action of the game.
fn take(
    running: &mut RunningMatch,
    turn: u32,
    seat: Seat,
    player: &Player<'_>,
    response: Option<Response>,
    elapsed: Option<Elapsed>,
) -> anyhow::Result<()> {
    let table = &mut *running.table;
    let Some(Response {
        reply,
        mut note,
        mut hint,
    }) = response
    else {
        table.reply_as_chosen(seat)?;
        return running.check();
    };
    match (player, &reply) {
        (Player::Program(seated), Reply::Act(line)) => {
            let act = |action: &str| {
                let acted = table.reply(seat, Reply::Act(action));
                acted.map_err(|refused| refused.to_string())
            };
            match seated.process.read(seated.seat.id(), line, act) {
                Ok(noted) => note = noted,
                Err(_) if table.broken().is_some() => {}
                Err(fault) => {
                    hint = None;
                    table.reply(seat, Reply::Failed(fault.into()))?;
                }
            }
        }
        _ => table.reply(seat, reply.as_ref().map(String::as_str))?,
    }
    running.note(turn, seat, elapsed, note, hint);
    running.check()
}

/// Shows the new events to all people and to spectators.
fn show(running: &mut RunningMatch, players: &[Player<'_>]) {
    let people = players.iter().filter_map(|player| match player {
        Player::Person(person) => Some(person),
        _ => None,
    });
    for (nth, person) in people.enumerate() {
        person.show(&mut *running.table);
        if nth == 0 {
            person.show_onlookers(&mut *running.table);
        }
    }
}

/// Seats a program for a deal: starts it if necessary, and sends it the start of the match.
async fn seat_program<'a>(
    run: Run<'a>,
    pool: &'a ProcessPool<'a>,
    (bot, deal): (usize, u32),
    seat: Seat,
    number: u64,
    running: &mut RunningMatch,
) -> Result<Player<'a>, Unplayed> {
    let log = running.log_heading(seat);
    let (process, unproven) = match pool.take(bot, deal, &log).await {
        Ok(taken) => taken,
        Err(Unready::Failed(fault, evidence)) => {
            running.evidence.push(Evidence { seat, ..*evidence });
            return Ok(Player::Failed(fault.into()));
        }
        Err(Unready::Paused(why)) => {
            return Err(Paused {
                bot: run.spec.bots[bot].name.clone(),
                why,
            }
            .into());
        }
        Err(Unready::Ours(why)) => {
            let void = Void::new(format!("a program could not be started: {why}"));
            return Err(Void {
                seat: Some(seat),
                ..void
            }
            .into());
        }
    };
    let game = table::plain_name(&run.spec.plan.game);
    if !process.ready().plays(game) {
        let fault = BotFault::from(Violation::WrongGame(game.to_owned()));
        process.send_error(Some(number), fault.to_string());
        running.evidence.push(Evidence {
            seat,
            ..pool.dismiss(bot, process, true).await
        });
        return Ok(Player::Failed(fault.into()));
    }
    let held = Held::Pooled(Pooled {
        pool,
        bot,
        deal,
        process,
        unproven,
    });
    let clock = run.spec.clock(bot);
    let seated = Seated::begin(running, seat, held, number, clock);
    Ok(Player::Program(Box::new(seated)))
}

/// The response of a seat, with the time that a program or a person took; `None` if the seat's built-in bot has chosen, and the table holds
/// the choice.
type Answer = (Seat, Option<Response>, Option<Elapsed>);

/// The answers to a turn, stored without allocation because there are few.
type Answers = ArrayVec<Answer, MAX_SEATS>;

/// The source from which the answer of a seat comes.
enum Asked<'a, 'p> {
    /// A built-in bot, which has chosen its reply.
    Chosen,
    /// An answer that is already known.
    Given(Response),
    /// A program that must be sent its turn, with the time that the turn took if it is recorded.
    Program(&'a mut Seated<'p>, Option<Duration>),
    /// A person who must be asked this question.
    Person(&'a mut PersonSeat<'p>, Question),
}

/// Asks all seats that must act concurrently, and returns their answers in seat order.
async fn ask_all(
    running: &mut RunningMatch,
    players: &mut [Player<'_>],
    recorded: &[Reply<Json>],
    observer: &mut impl FnMut(ObservedTurn<'_>) -> ControlFlow<()>,
) -> Result<Answers, Unplayed> {
    let to_act = running.table.to_act();
    let mut asked = ArrayVec::<_, MAX_SEATS>::new();
    for (seat, player) in Seat::all(players.len()).into_iter().zip(players) {
        if to_act.contains(seat) {
            let turn = running.turn() + asked.len() as u32;
            let recorded = recorded.get(turn as usize);
            let prepared = prepare(running, turn, seat, player, recorded, observer);
            asked.push((seat, prepared));
        }
    }
    let table = &*running.table;
    if asked.len() == 1 {
        let (seat, asked) = asked.remove(0);
        return Ok([answer(table, seat, asked).await?].into_iter().collect());
    }
    let all = asked
        .into_iter()
        .map(|(seat, asked)| answer(table, seat, asked));
    Ok(join_all(all)
        .await
        .into_iter()
        .collect::<Result<_, Void>>()?)
}

/// Prepares the turn of a seat. Built-in bots choose immediately, and people are not asked for recorded replies.
fn prepare<'a, 'p>(
    running: &mut RunningMatch,
    turn: u32,
    seat: Seat,
    player: &'a mut Player<'p>,
    recorded: Option<&Reply<Json>>,
    observer: &mut impl FnMut(ObservedTurn<'_>) -> ControlFlow<()>,
) -> Asked<'a, 'p> {
    let given =
        |reply: Reply<Json>| Asked::Given(Response::new(reply.map(|action| action.to_string())));
    let table = &mut *running.table;
    match player {
        Player::Builtin => {
            table.choose(seat);
            Asked::Chosen
        }
        Player::Program(seated) => {
            seated.process.pipes().log.enter(&seated.log, turn);
            let id = seated.seat.turn(&seated.process, table);
            let _ = observer(ObservedTurn {
                table,
                turn,
                id,
                answer: None,
            });
            Asked::Program(seated, recorded.map(|_| running.time(turn)))
        }
        Player::Person(person) => match recorded {
            Some(reply) => given(reply.clone()),
            None => {
                let question = person.question(table, turn);
                Asked::Person(person, question)
            }
        },
        Player::Failed(fault) => given(Reply::Failed(fault.clone())),
    }
}

/// Waits for the answer of a seat.
async fn answer(table: &dyn Table, seat: Seat, asked: Asked<'_, '_>) -> Result<Answer, Void> {
    let (response, elapsed) = match asked {
        Asked::Chosen => return Ok((seat, None, None)),
        Asked::Given(response) => return Ok((seat, Some(response), None)),
        Asked::Program(seated, recorded) => seated.ask(recorded).await.map_err(|void| Void {
            seat: Some(seat),
            ..void
        })?,
        Asked::Person(person, question) => person.ask(table, question).await,
    };
    Ok((seat, Some(response), Some(elapsed)))
}

/// Removes a seat that has forfeited, and stores its evidence. Returns `Break` if its process is lent.
async fn dismiss_failed(
    running: &mut RunningMatch,
    turn: u32,
    seat: Seat,
    player: &mut Player<'_>,
    number: u64,
) -> ControlFlow<()> {
    let Some(fault) = running.fault(seat) else {
        return ControlFlow::Continue(());
    };
    match std::mem::replace(player, Player::Failed(BotFault::Left.into())) {
        Player::Program(seated) => {
            let Held::Pooled(held) = seated.process else {
                return ControlFlow::Break(());
            };
            let cause = fault.cause;
            held.process
                .send_error(Some(number), format!("{cause}: {fault}"));
            held.process.pipes().log.end(&seated.log);
            let is_fatal = cause == Cause::Crash;
            let evidence = held.pool.dismiss(held.bot, held.process, is_fatal).await;
            running.evidence.push(Evidence {
                seat,
                turn,
                ..evidence
            });
        }
        other => *player = other,
    }
    ControlFlow::Continue(())
}

/// Sends the result of the match to all remaining players.
async fn end(running: &mut RunningMatch, players: Vec<Player<'_>>) {
    running.table.end_bots();
    for player in players {
        if let Player::Program(seated) = player {
            seated.seat.end(&seated.process, &mut *running.table);
            seated.release(false).await;
        }
    }
}

/// Gives up a void match, and ends its processes, because their state is unknown.
async fn abandon(players: Vec<Player<'_>>) {
    for player in players {
        if let Player::Program(seated) = player {
            seated.release(true).await;
        }
    }
}
