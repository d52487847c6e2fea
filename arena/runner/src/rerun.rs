//! Replays one seat of a finished match, or a log of lines. The program is sent the same lines as the bot was, regardless of its answers.

use std::cell::Cell;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::pin;
use std::time::Duration;

use anyhow::Context;
use arena_engine::fault::{Fault, FaultText};
use arena_engine::record::Reply;
use arena_engine::seat::Seat;
use arena_engine::table::{self, Entry, Json, RawRecord};
use arena_protocol::fault::{BotFault, Violation};
use arena_protocol::message::{self, Turn};
use arena_tournament::clock::TimeControl;
use arena_tournament::played::{Evidence, Played};
use arena_tournament::reply_text::ReplyText;
use serde::Serialize;
use tokio::time::{sleep, timeout};

use super::begun::Begun;
use super::conversation::Conversation;
use super::conversation::asking::Elapsed;
use super::conversation::greeting::Unready;
use super::gate::Gate;
use super::observer::ObservedTurn;
use super::play_match::play_alone;
use super::run::{Startup, Stop};
use super::running_match::RunningMatch;
use super::wire_log::Logged;
use super::worker::runtime;
use crate::status::status;
use crate::units::micros;

/// Number of the match on the wire.
const MATCH_NUMBER: u64 = 1;
/// Minimum time limit for the start and for answers, because this machine may be slower than the one that played the match.
pub const MIN_TIMEOUT: Duration = Duration::from_secs(10);
/// Time after which a status line names the event that is awaited.
const NOTICE_DELAY: Duration = Duration::from_secs(10);
/// Interval between checks of the stop flag.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Time for the rest of a failed program's log to arrive.
const LOG_TIMEOUT: Duration = Duration::from_millis(100);

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

/// Replays a seat of a match until a turn; `None` if cancelled.
pub fn rerun(
    game: &str,
    played: &Played,
    seat: Seat,
    until: Option<u32>,
    startup: &Startup<'_>,
    clock: TimeControl,
    stop: &Stop,
) -> anyhow::Result<Option<Rerun>> {
    let game = known(game)?;
    // Under other rules, the record would yield a different match.
    let replayed = game.rulebook.replay(played.record.as_str());
    replayed.map_err(|why| anyhow::anyhow!("match {}: {why}", played.id()))?;
    let record: RawRecord = played.record.read().context("the record cannot be read")?;
    let sent = (0..)
        .zip(&record.replies)
        .filter(|(turn, replied)| replied.0 == seat && until.is_none_or(|until| *turn <= until));
    let turns = sent.count();
    let conversed = async |conversation: &Conversation, done: &mut Rerun, awaited: &Awaited| {
        let table = game.rulebook.open(&record)?;
        let begun = Begun {
            record: played.record.clone(),
            notes: Vec::new(),
            moves: played.times.moves.clone(),
        };
        let mut compare = |observed: ObservedTurn<'_>| {
            let turn = observed.turn;
            awaited.set(Some(turn));
            let Some((response, elapsed)) = observed.answer else {
                return ControlFlow::Continue(());
            };
            let then = &record.replies[turn as usize].1;
            let now = read(game, observed.id, response.reply.as_ref());
            let mut step = Step::new(turn, observed.table.prompt(seat), then, &now, elapsed);
            if let Reply::Act(action) = &now {
                step.illegal = observed.table.check(seat, action.as_str()).err();
            }
            done.steps.push(step);
            let is_last = until.is_some() && done.steps.len() == turns;
            if is_last || gives_up(conversation, &now) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let (running, process) = (RunningMatch::at(table), (conversation, MATCH_NUMBER));
        let played = play_alone(running, process, seat, clock, Some(&begun), &mut compare);
        played.await.map(drop)
    };
    converse(startup, clock.start_ms, game, stop, turns, conversed)
}

/// Returns true if a program may never answer again after this reply.
fn gives_up(conversation: &Conversation, now: &Reply<Json>) -> bool {
    conversation.pipes().is_broken() || *now == Reply::Late
}

/// Parses the line that answers the turn with this id.
fn read(game: &Entry, id: u64, reply: Reply<&String>) -> Reply<Json> {
    match reply {
        Reply::Act(line) => message::read_action(game, line, id, id)
            .map_or_else(|fault| Reply::Failed(fault.into()), Reply::Act),
        Reply::Late => Reply::Late,
        Reply::Failed(fault) => Reply::Failed(fault),
    }
}

fn known(game: &str) -> anyhow::Result<&'static Entry> {
    table::get(game).map_err(anyhow::Error::msg)
}

/// Starts a program, runs the given conversation with it if it has turns, and ends it; `None` if cancelled.
fn converse(
    startup: &Startup<'_>,
    start_ms: u64,
    game: &Entry,
    stop: &Stop,
    turns: usize,
    ask: impl AsyncFnOnce(&Conversation, &mut Rerun, &Awaited) -> anyhow::Result<()>,
) -> anyhow::Result<Option<Rerun>> {
    let game = table::plain_name(game.name);
    runtime()?.block_on(async {
        let mut done = Rerun {
            turns,
            ..Rerun::default()
        };
        let (gate, awaited) = (Gate::shared(), Awaited::default());
        let starting = Conversation::start(startup, &gate, timeout_for(start_ms));
        let conversation = match unless_stopped(stop, &awaited, starting).await {
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
        let mut asked = Some(());
        if !conversation.ready().plays(game) {
            let fault = BotFault::from(Violation::WrongGame(game.into()));
            done.ended = Some((&Fault::from(fault)).into());
        } else if turns > 0 {
            let asking = ask(&conversation, &mut done, &awaited);
            asked = unless_stopped(stop, &awaited, asking).await.transpose()?;
        }
        if done.fails() || asked.is_none() {
            sleep(LOG_TIMEOUT).await;
            done.keep(conversation.kill().await.evidence);
        } else {
            conversation.quit().await;
        }
        Ok(asked.map(|()| done))
    })
}

/// Sends a program the lines of a log; `None` if cancelled. A log has neither the seed nor the replies of other seats, so that its matches
/// cannot be played.
pub fn rerun_log(
    logged: &Logged,
    startup: &Startup<'_>,
    start_ms: u64,
    stop: &Stop,
) -> anyhow::Result<Option<Rerun>> {
    let turns = logged.sent.iter().filter(|(_, turn)| turn.is_some());
    let (turns, game) = (turns.count(), known(&logged.game)?);
    let conversed = async |conversation: &Conversation, done: &mut Rerun, awaited: &Awaited| {
        for (line, turn) in &logged.sent {
            let Some(Turn {
                id, prompt, clock, ..
            }) = turn
            else {
                conversation.send(line);
                continue;
            };
            let turn = done.steps.len() as u32;
            awaited.set(Some(turn));
            let limit = clock.move_ms.or(clock.bank_ms).map(timeout_for);
            let asked = conversation.ask_line(*id, line.get().as_bytes(), limit);
            let (response, elapsed) = asked.await?;
            let now = read(game, *id, response.reply.as_ref());
            let then = logged.answers.get(id).map_or(Reply::Late, Reply::Act);
            let then = read(game, *id, then);
            let step = Step::new(turn, Json::new(prompt), &then, &now, elapsed);
            done.steps.push(step);
            if gives_up(conversation, &now) {
                break;
            }
        }
        Ok(())
    };
    converse(startup, start_ms, game, stop, turns, conversed)
}

/// Returns the timeout for a tournament's limit in milliseconds.
fn timeout_for(limit_ms: u64) -> Duration {
    MIN_TIMEOUT.max(Duration::from_millis(limit_ms))
}

/// The turn whose answer is awaited; `None` while the program starts.
type Awaited = Cell<Option<u32>>;

/// Waits for a future until cancelled; reports once that one answer takes long.
async fn unless_stopped<T>(
    stop: &Stop,
    awaited: &Awaited,
    wait: impl Future<Output = T>,
) -> Option<T> {
    let mut wait = pin!(wait);
    let (mut since, mut waited) = (None, Duration::ZERO);
    loop {
        if let Ok(done) = timeout(POLL_INTERVAL, &mut wait).await {
            return Some(done);
        }
        if since != awaited.get() {
            (since, waited) = (awaited.get(), Duration::ZERO);
        }
        waited += POLL_INTERVAL;
        if waited == NOTICE_DELAY {
            let what = since.map(|turn| format!("the answer to turn {turn}"));
            let what = what.unwrap_or_else(|| "the program to be ready".into());
            status(format_args!("waiting for {what}; press Ctrl-C to stop"));
        }
        if stop.is_set() {
            return None;
        }
    }
}
