//! One seat of a finished match, or a log of lines, played again: a program is sent what the bot was sent, whatever it answers.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use anyhow::Context;
use arena_engine::fault::{Fault, FaultText};
use arena_engine::record::{Replied, Reply};
use arena_engine::seat::Seat;
use arena_engine::table::{self, Entry, Json, RawRecord};
use arena_protocol::fault::{BotFault, Violation};
use arena_protocol::message::{self, Turn};
use arena_tournament::clock::TimeControl;
use arena_tournament::played::{Evidence, Played};
use arena_tournament::reply_text::ReplyText;
use serde::Serialize;
use tokio::time::{sleep, timeout};

use super::conversation::Conversation;
use super::conversation::asking::Elapsed;
use super::conversation::greeting::Unready;
use super::gate::Gate;
use super::remote_seat::RemoteSeat;
use super::run::{Startup, Stop};
use super::seat_clock::SeatClock;
use super::wire_log::Logged;
use super::worker::runtime;
use crate::status::status;
use crate::units::micros;

/// The number of the match on the wire.
const NUMBER: u64 = 1;
/// The least time that a program may take until it is ready, and for an answer: the machine may be slower than the one
/// that the match was played on.
const PATIENCE: Duration = Duration::from_secs(10);
/// The wait after which a status line says what is awaited.
const NOTICE: Duration = Duration::from_secs(10);
/// The time between checks whether to go on.
const POLL: Duration = Duration::from_millis(100);
/// The time that the end of a failed program's log may take to arrive.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// A seat that is played again.
pub struct Setup<'a> {
    /// The match.
    pub played: &'a Played,
    /// Whose lines are sent.
    pub seat: Seat,
    /// The last turn; all if none.
    pub until: Option<u32>,
    /// What is started.
    pub startup: Startup<'a>,
    /// The clock that the program is sent.
    pub clock: TimeControl,
    /// When to give up.
    pub stop: &'a Stop,
}

/// The turns of a seat, then and now.
#[derive(Debug, Default, Serialize)]
pub struct Rerun {
    /// The turns that were sent.
    pub steps: Vec<Step>,
    /// How many turns of the seat the record has, up to the one to stop at.
    pub turns: usize,
    /// Why the rest was not sent, or why the program never was ready.
    pub ended: Option<FaultText>,
    /// The end of the program's log, if it failed.
    pub log: String,
    /// How its process ended, if it failed and the arena did not end it.
    pub exit: Option<String>,
}

/// One turn, then and now.
#[derive(Debug, Serialize)]
pub struct Step {
    /// Which reply of the match it is, of all seats together, counted from 0; for a log of lines, which of its turns.
    pub turn: u32,
    /// The prompt of the turn.
    pub prompt: Json,
    /// What the record holds.
    pub recorded: ReplyText,
    /// What the program answers now.
    pub now: ReplyText,
    /// Why the rules forbid that; null if they do not, and for a log of lines, which does not tell.
    pub illegal: Option<String>,
    /// True if the program answers what the record holds; null where the record holds no action.
    pub agrees: Option<bool>,
    /// How long the answer took, in microseconds.
    pub wall_us: u64,
}

impl Step {
    fn new(
        turn: u32,
        prompt: Json,
        then: &Reply<Json>,
        now: &Reply<Json>,
        elapsed: Elapsed,
    ) -> Self {
        Self {
            turn,
            prompt,
            recorded: then.into(),
            now: now.into(),
            illegal: None,
            agrees: matches!(then, Reply::Act(_)).then(|| then == now),
            wall_us: micros(elapsed.wall),
        }
    }

    /// True if the program failed at it.
    pub fn fails(&self) -> bool {
        self.illegal.is_some() || !matches!(self.now, ReplyText::Act(_))
    }
}

impl Rerun {
    /// True if the program repeated the record and did not fail.
    pub fn is_faithful(&self) -> bool {
        !self.fails() && self.steps.iter().all(|step| step.agrees != Some(false))
    }

    /// Keeps the end of the program's log, and how its process ended.
    fn keep(&mut self, evidence: Evidence) {
        (self.log, self.exit) = (evidence.stderr, evidence.exit);
    }

    /// True if the program failed anywhere.
    pub fn fails(&self) -> bool {
        self.ended.is_some() || self.steps.iter().any(Step::fails)
    }
}

/// Plays the seat again; none if it was given up.
pub fn rerun(game: &str, setup: &Setup<'_>) -> anyhow::Result<Option<Rerun>> {
    let game = known(game)?;
    let text = &setup.played.record;
    // A record of other rules would be another match.
    let replayed = game.replay(text.as_str());
    replayed.map_err(|why| anyhow::anyhow!("match {}: {why}", setup.played.id()))?;
    let record: RawRecord = text.read().context("the record cannot be read")?;
    let Setup {
        startup,
        clock,
        stop,
        seat,
        until,
        ..
    } = setup;
    let until = until.map_or(usize::MAX, |until| until as usize + 1);
    let turns = record
        .replies
        .iter()
        .take(until)
        .filter(|replied| replied.0 == *seat)
        .count();
    converse(
        startup,
        clock.start_ms,
        game.name,
        stop,
        turns,
        async |conversation, done| ask_all(setup, game, &record, conversation, done).await,
    )
}

fn known(game: &str) -> anyhow::Result<&'static Entry> {
    table::find(game).with_context(|| format!("this program does not know {game:?}"))
}

/// Starts a program, lets it be asked what it is to answer, and ends it; none if that was stopped.
fn converse(
    startup: &Startup<'_>,
    start_ms: u64,
    game: &str,
    stop: &Stop,
    turns: usize,
    ask: impl AsyncFnOnce(&Conversation, &mut Rerun) -> anyhow::Result<bool>,
) -> anyhow::Result<Option<Rerun>> {
    runtime()?.block_on(async {
        let mut done = Rerun {
            turns,
            ..Rerun::default()
        };
        let gate = Gate::shared();
        let starting = Conversation::start(startup, &gate, patience(start_ms));
        let conversation = match unless_stopped(stop, "the program to be ready", starting).await {
            None => return Ok(None),
            Some(Err(Unready::Failed(fault, evidence))) => {
                done.ended = Some((&Fault::from(fault)).into());
                done.keep(*evidence);
                return Ok(Some(done));
            }
            Some(Err(Unready::Ours(why) | Unready::Paused(why))) => {
                anyhow::bail!("the program is not ready: {why}")
            }
            Some(Ok(conversation)) => conversation,
        };
        let is_complete = if conversation.ready().plays(game) {
            ask(&conversation, &mut done).await?
        } else {
            done.ended =
                Some((&Fault::from(BotFault::from(Violation::WrongGame(game.into())))).into());
            true
        };
        if done.fails() || !is_complete {
            sleep(LAST_WORDS).await;
            done.keep(conversation.kill().await.evidence);
        } else {
            conversation.quit().await;
        }
        Ok(is_complete.then_some(done))
    })
}

/// Asks turn after turn in the recorded position; returns whether it was not stopped.
async fn ask_all(
    setup: &Setup<'_>,
    game: &Entry,
    record: &RawRecord,
    conversation: &Conversation,
    done: &mut Rerun,
) -> anyhow::Result<bool> {
    let mut table = game.open(record)?;
    let mut remote = RemoteSeat::new(&*table, setup.seat, NUMBER, SeatClock::new(setup.clock));
    remote.begin(conversation);
    for (turn, Replied(seat, then)) in (0..).zip(&record.replies) {
        if *seat == setup.seat && setup.until.is_none_or(|until| turn <= until) {
            let prompt = table.prompt(setup.seat);
            let id = remote.turn(conversation, &mut *table);
            let limit = setup.clock.move_ms.or(setup.clock.bank_ms).map(patience);
            let answer = remote.ask(conversation, limit);
            let Some(answer) =
                unless_stopped(setup.stop, &format!("the answer to turn {turn}"), answer).await
            else {
                return Ok(false);
            };
            let (response, elapsed) = answer?;
            let now = conversation.action(game, id, response.reply);
            // Who takes so long may never answer again.
            let is_hanging = now == Reply::Late;
            let mut step = Step::new(turn, prompt, then, &now, elapsed);
            if let Reply::Act(action) = &now
                && now != *then
            {
                step.illegal = illegal(game, record, turn, action)?;
            }
            done.steps.push(step);
            remote.clock.spend(Duration::from_micros(
                setup.played.time(turn).0.unwrap_or(0),
            ));
            if conversation.pipes().is_broken() || is_hanging {
                return Ok(true);
            }
        }
        table.reply(*seat, then.as_ref().map(Json::as_str))?;
    }
    if setup.until.is_none() && table.fault(setup.seat).is_none() {
        remote.end(conversation, &mut *table);
    }
    Ok(true)
}

/// Sends a program the lines of a log; none if that was stopped.
pub fn rerun_log(
    logged: &Logged,
    startup: &Startup<'_>,
    start_ms: u64,
    stop: &Stop,
) -> anyhow::Result<Option<Rerun>> {
    let turns = logged
        .sent
        .iter()
        .filter(|(_, turn)| turn.is_some())
        .count();
    let game = known(&logged.game)?;
    converse(
        startup,
        start_ms,
        game.name,
        stop,
        turns,
        async |conversation, done| send_all(logged, game, conversation, stop, done).await,
    )
}

/// Sends line after line; returns whether it was not stopped.
async fn send_all(
    logged: &Logged,
    game: &Entry,
    conversation: &Conversation,
    stop: &Stop,
    done: &mut Rerun,
) -> anyhow::Result<bool> {
    for (line, turn) in &logged.sent {
        let Some(Turn {
            id, prompt, clock, ..
        }) = turn
        else {
            conversation.send(line);
            continue;
        };
        let turn = done.steps.len() as u32;
        let answer = conversation.ask(*id, line, clock.move_ms.or(clock.bank_ms).map(patience));
        let answer = unless_stopped(stop, &format!("the answer to turn {turn}"), answer).await;
        let Some((response, elapsed)) = answer.transpose()? else {
            return Ok(false);
        };
        let now = conversation.action(game, *id, response.reply);
        let then = logged.answers.get(id);
        let then = then.map_or(Reply::Late, |line| {
            message::read_action(game, line, *id, *id)
                .map_or_else(|fault| Reply::Failed(fault.into()), Reply::Act)
        });
        let prompt = Json::new(prompt);
        done.steps
            .push(Step::new(turn, prompt, &then, &now, elapsed));
        if conversation.pipes().is_broken() || now == Reply::Late {
            break;
        }
    }
    Ok(true)
}

/// Why the rules forbid another action at a turn of the record, if they do.
fn illegal(
    game: &Entry,
    record: &RawRecord,
    turn: u32,
    action: &Json,
) -> anyhow::Result<Option<String>> {
    let mut table = game.open(record)?;
    let turn = turn as usize;
    for (index, Replied(seat, reply)) in record.replies.iter().enumerate() {
        let reply = if index == turn {
            Reply::Act(action.as_str())
        } else {
            reply.as_ref().map(Json::as_str)
        };
        table.reply(*seat, reply)?;
        // Replies to a simultaneous turn are opened when the last is in.
        if table.replies() > turn {
            break;
        }
    }
    let fault = table.fault(record.replies[turn].0);
    Ok(fault.map(ToString::to_string))
}

/// The patience for a limit of the tournament in milliseconds.
fn patience(limit_ms: u64) -> Duration {
    PATIENCE.max(Duration::from_millis(limit_ms))
}

/// Waits unless it is stopped; says so once if that takes long.
async fn unless_stopped<T>(stop: &Stop, what: &str, wait: impl Future<Output = T>) -> Option<T> {
    let mut wait = pin!(wait);
    let mut waited = Duration::ZERO;
    loop {
        if let Ok(done) = timeout(POLL, &mut wait).await {
            return Some(done);
        }
        waited += POLL;
        if waited == NOTICE {
            status(format_args!("waiting for {what}; press Ctrl-C to stop"));
        }
        if stop.is_set() {
            return None;
        }
    }
}
