//! Replays one seat of a finished match, or a log of lines. The program is sent the same lines as the bot was, regardless of its answers.

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

/// Number of the match on the wire.
const MATCH_NUMBER: u64 = 1;
/// Minimum time limit for the start and for answers, because this machine may be slower than the one that played the match.
const MIN_TIMEOUT: Duration = Duration::from_secs(10);
/// Time after which a status line names the event that is awaited.
const NOTICE_DELAY: Duration = Duration::from_secs(10);
/// Interval between checks of the stop flag.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Time for the rest of a failed program's log to arrive.
const LOG_TIMEOUT: Duration = Duration::from_millis(100);

/// Setup of a rerun.
pub struct Setup<'a> {
    /// Match to replay.
    pub played: &'a Played,
    /// Seat whose lines are sent.
    pub seat: Seat,
    /// Last turn; `None` for all.
    pub until: Option<u32>,
    /// Program to start.
    pub startup: Startup<'a>,
    /// The clock that the program is sent.
    pub clock: TimeControl,
    /// Flag that cancels the rerun.
    pub stop: &'a Stop,
}

/// The turns of a seat, with the recorded and the new replies.
#[derive(Debug, Default, Serialize)]
pub struct Rerun {
    /// Turns that were sent.
    pub steps: Vec<Step>,
    /// Number of turns of the seat in the record, up to the last one requested.
    pub turns: usize,
    /// The reason why the rest of the turns were not sent, or why the program never got ready.
    pub ended: Option<FaultText>,
    /// End of the program's log, if it failed.
    pub log: String,
    /// Exit of the process, if the program failed and was not ended by the arena.
    pub exit: Option<String>,
}

/// One turn, with the recorded and the new reply.
#[derive(Debug, Serialize)]
pub struct Step {
    /// Index of the reply in the match over all seats, counted from 0. For a log of lines, it is the index of the turn in the log.
    pub turn: u32,
    /// Prompt of the turn.
    pub prompt: Json,
    /// Recorded reply.
    pub recorded: ReplyText,
    /// Reply of the program now.
    pub now: ReplyText,
    /// The reason why the rules forbid the new reply; null if it is legal. Always null for a log of lines, because a log has no rules.
    pub illegal: Option<String>,
    /// True if both replies are the same; null where the record has no action.
    pub agrees: Option<bool>,
    /// Response time, in microseconds.
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

    /// Returns true if the program failed at this turn.
    pub fn fails(&self) -> bool {
        self.illegal.is_some() || !matches!(self.now, ReplyText::Act(_))
    }
}

impl Rerun {
    /// Returns `true` if the program repeated all recorded replies and did not fail.
    pub fn is_faithful(&self) -> bool {
        !self.fails() && self.steps.iter().all(|step| step.agrees != Some(false))
    }

    /// Stores the end of the program's log and its exit.
    fn keep(&mut self, evidence: Evidence) {
        (self.log, self.exit) = (evidence.stderr, evidence.exit);
    }

    /// Returns true if the program failed anywhere.
    pub fn fails(&self) -> bool {
        self.ended.is_some() || self.steps.iter().any(Step::fails)
    }
}

/// Replays the seat; `None` if cancelled.
pub fn rerun(game: &str, setup: &Setup<'_>) -> anyhow::Result<Option<Rerun>> {
    let game = known(game)?;
    let text = &setup.played.record;
    // Under other rules, the record would yield a different match.
    let replayed = game.rulebook.replay(text.as_str());
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
        table::plain_name(game.name),
        stop,
        turns,
        async |conversation, done| ask_all(setup, game, &record, conversation, done).await,
    )
}

fn known(game: &str) -> anyhow::Result<&'static Entry> {
    table::get(game).map_err(anyhow::Error::msg)
}

/// Starts a program, runs the given conversation with it, and ends it; `None` if cancelled.
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
        let starting = Conversation::start(startup, &gate, timeout_for(start_ms));
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
            sleep(LOG_TIMEOUT).await;
            done.keep(conversation.kill().await.evidence);
        } else {
            conversation.quit().await;
        }
        Ok(is_complete.then_some(done))
    })
}

/// Asks turn after turn in the recorded positions. Returns `false` if cancelled.
async fn ask_all(
    setup: &Setup<'_>,
    game: &Entry,
    record: &RawRecord,
    conversation: &Conversation,
    done: &mut Rerun,
) -> anyhow::Result<bool> {
    let mut table = game.rulebook.open(record)?;
    let mut remote = RemoteSeat::new(
        &*table,
        setup.seat,
        MATCH_NUMBER,
        SeatClock::new(setup.clock),
    );
    remote.begin(conversation);
    for (turn, Replied(seat, then)) in (0..).zip(&record.replies) {
        if *seat == setup.seat && setup.until.is_none_or(|until| turn <= until) {
            let prompt = table.prompt(setup.seat);
            let id = remote.turn(conversation, &mut *table);
            let limit = setup.clock.move_ms.or(setup.clock.bank_ms).map(timeout_for);
            let answer = remote.ask(conversation, limit);
            let Some(answer) =
                unless_stopped(setup.stop, &format!("the answer to turn {turn}"), answer).await
            else {
                return Ok(false);
            };
            let (response, elapsed) = answer?;
            let now = conversation.action(game, id, response.reply);
            // A program that is this late may never answer again.
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

/// Sends a program the lines of a log; `None` if cancelled.
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
        table::plain_name(game.name),
        stop,
        turns,
        async |conversation, done| send_all(logged, game, conversation, stop, done).await,
    )
}

/// Sends line after line. Returns `false` if cancelled.
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
        let answer = conversation.ask(*id, line, clock.move_ms.or(clock.bank_ms).map(timeout_for));
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

/// Returns the reason why the rules forbid another action at a turn of the record, if they do.
fn illegal(
    game: &Entry,
    record: &RawRecord,
    turn: u32,
    action: &Json,
) -> anyhow::Result<Option<String>> {
    let mut table = game.rulebook.open(record)?;
    let turn = turn as usize;
    for (index, Replied(seat, reply)) in record.replies.iter().enumerate() {
        let reply = if index == turn {
            Reply::Act(action.as_str())
        } else {
            reply.as_ref().map(Json::as_str)
        };
        table.reply(*seat, reply)?;
        // A simultaneous turn reveals its replies once the last one has arrived.
        if table.replies() > turn {
            break;
        }
    }
    let fault = table.fault(record.replies[turn].0);
    Ok(fault.map(ToString::to_string))
}

/// Returns the timeout for a tournament's limit in milliseconds.
fn timeout_for(limit_ms: u64) -> Duration {
    MIN_TIMEOUT.max(Duration::from_millis(limit_ms))
}

/// Waits for a future until cancelled; reports a long wait once.
async fn unless_stopped<T>(stop: &Stop, what: &str, wait: impl Future<Output = T>) -> Option<T> {
    let mut wait = pin!(wait);
    let mut waited = Duration::ZERO;
    loop {
        if let Ok(done) = timeout(POLL_INTERVAL, &mut wait).await {
            return Some(done);
        }
        waited += POLL_INTERVAL;
        if waited == NOTICE_DELAY {
            status(format_args!("waiting for {what}; press Ctrl-C to stop"));
        }
        if stop.is_set() {
            return None;
        }
    }
}
