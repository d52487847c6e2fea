//! One seat of a finished match tried again: a program is sent what the bot in that seat was sent, whatever it answers.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use anyhow::Context;
use arena_engine::game::{Game, View};
use arena_engine::machine::Match;
use arena_engine::outcome::{Cause, Fault};
use arena_engine::record::{RecordOf, Replied, Reply};
use arena_engine::replay::replay;
use arena_engine::seat::Seat;
use arena_protocol::message::ToBot;
use arena_results::faults::Json;
use arena_results::played::{Evidence, Played};
use serde::Serialize;
use tokio::time::{sleep, timeout};

use super::clock::Time;
use super::pipes::Unready;
use super::process::{Process, Said, Took};
use super::worker::runtime;
use super::{Logs, Run, Stop, lines};
use crate::sandbox::Sandbox;
use crate::setup::{Program, Setup, micros};
use crate::status::status;

/// The number of the match on the wire.
const NUMBER: u64 = 1;
/// After so long it is said that an answer is still awaited.
const NOTICE: Duration = Duration::from_secs(10);
/// How often it is looked whether to go on.
const LOOK: Duration = Duration::from_millis(100);
/// How long the end of a failed program's log may take to arrive.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// What is tried again, and with what.
pub struct Trial<'a> {
    /// The match.
    pub played: &'a Played,
    /// Whose lines are sent.
    pub seat: Seat,
    /// The last turn that is asked; all if none.
    pub until: Option<u32>,
    /// The tournament with that bot alone. The program is told of its clock, but no limit is kept.
    pub setup: &'a Setup,
    /// The sandbox of the program.
    pub sandbox: &'a Sandbox,
    /// What is started.
    pub program: &'a Program,
    /// When to give up.
    pub stop: &'a Stop,
}

/// How the trial went.
#[derive(Debug, Default, Serialize)]
pub struct Again {
    /// The turns that were asked.
    pub steps: Vec<Step>,
    /// How many turns of the seat the record has, up to the one to stop at.
    pub turns: usize,
    /// Why the rest was not asked, or why the program never was ready.
    pub ended: Option<Fault>,
    /// The end of the program's log, if it failed.
    pub log: String,
    /// How its process ended, if it failed and its process ended by itself.
    pub exit: Option<String>,
}

/// One turn, then and now.
#[derive(Debug, Serialize)]
pub struct Step {
    /// Which reply of the match it is, of all seats together, counted from 0.
    pub turn: u32,
    /// What is asked.
    pub prompt: Json,
    /// What the record holds.
    pub recorded: Reply<Json>,
    /// What the program answers now.
    pub now: Reply<Json>,
    /// Why the rules forbid that; null if they do not.
    pub illegal: Option<String>,
    /// Whether both are the same; null where the record holds no action.
    pub agrees: Option<bool>,
    /// How long the answer took, in microseconds.
    pub wall_us: u64,
}

impl Step {
    /// Whether the program failed at it.
    pub fn fails(&self) -> bool {
        self.illegal.is_some() || !matches!(self.now, Reply::Act(_))
    }
}

impl Again {
    /// Whether the program did as the record says, and did not fail.
    pub fn is_faithful(&self) -> bool {
        !self.fails() && self.steps.iter().all(|step| step.agrees != Some(false))
    }

    /// Whether the program failed anywhere.
    pub fn fails(&self) -> bool {
        self.ended.is_some() || self.steps.iter().any(Step::fails)
    }
}

/// Tries it; none if it was given up.
pub fn again<G: Game>(trial: &Trial<'_>) -> anyhow::Result<Option<Again>> {
    let record: RecordOf<G> = serde_json::from_str(&trial.played.record).context("the record cannot be read")?;
    // A record of other rules would be another match.
    record.replay::<G>().map_err(|why| anyhow::anyhow!("match {}: {why}", trial.played.id()))?;
    let run = Run {
        setup: trial.setup,
        rules: &record.rules,
        logs: Logs::default(),
        stop: trial.stop,
        sandbox: trial.sandbox,
    };
    runtime()?.block_on(async {
        let mut done = Again { turns: turns(trial, &record).count(), ..Again::default() };
        let begun = Process::<G::Action>::start(run, &trial.setup.bots[0], trial.program);
        let process = match unless_stopped(trial.stop, "the program to be ready", begun).await {
            None => return Ok(None),
            Some(Err(Unready::Failed(fault, evidence))) => {
                done.fail(fault, *evidence);
                return Ok(Some(done));
            }
            Some(Err(Unready::Ours(why))) => anyhow::bail!("the program could not be started: {why}"),
            Some(Ok(process)) => process,
        };
        let all_asked = ask_all::<G>(trial, &record, &process, &mut done).await?;
        if done.fails() || !all_asked {
            sleep(LAST_WORDS).await;
            let evidence = process.kill().await;
            (done.log, done.exit) = (evidence.stderr, evidence.exit);
        } else {
            process.quit().await;
        }
        Ok(all_asked.then_some(done))
    })
}

impl Again {
    fn fail(&mut self, fault: Fault, evidence: Evidence) {
        self.ended = Some(fault);
        (self.log, self.exit) = (evidence.stderr, evidence.exit);
    }
}

/// The turns of the seat, up to the one to stop at.
fn turns<Rules, Action>(
    trial: &Trial<'_>,
    record: &arena_engine::record::Record<Rules, Action>,
) -> impl Iterator<Item = u32> {
    let until = trial.until.unwrap_or(u32::MAX);
    let of_seat = |(turn, Replied(seat, _)): (usize, &Replied<Action>)| (*seat == trial.seat).then_some(turn as u32);
    record.replies.iter().enumerate().filter_map(of_seat).filter(move |turn| *turn <= until)
}

/// Asks turn after turn in the recorded position; says whether it was not stopped.
async fn ask_all<G: Game>(
    trial: &Trial<'_>,
    record: &RecordOf<G>,
    process: &Process<G::Action>,
    done: &mut Again,
) -> anyhow::Result<bool> {
    if !process.ready().plays(G::NAME) {
        let detail = format!("says that it does not play {}", G::NAME);
        done.ended = Some(Fault { cause: Cause::Protocol, detail });
        return Ok(true);
    }
    let mut game = Match::<G>::new(&record.rules, record.seats, record.seed)?;
    let mut view = G::View::new(&record.rules, record.seats, trial.seat);
    let mut time = Time::new(trial.setup.clock);
    let start = lines::start(&game, trial.seat, NUMBER, time.told());
    process.tell(&ToBot::<G::Rules, (), (), ()>::Start(start));
    for (turn, Replied(seat, reply)) in (0..).zip(&record.replies) {
        if *seat == trial.seat && trial.until.is_none_or(|until| turn <= until) {
            let asked =
                lines::turn(&mut game, *seat, NUMBER, process.next_id(), &mut view, process.ready(), time.told());
            let (id, prompt) = (asked.id, Json::of(&asked.prompt)?);
            let line: lines::Line<G> = ToBot::Turn(asked);
            let answer = process.ask(id, &line, None);
            let Some(answer) = unless_stopped(trial.stop, &format!("the answer to turn {turn}"), answer).await else {
                return Ok(false);
            };
            let (said, took) = answer.map_err(|over| anyhow::anyhow!("turn {turn}: {over:?}"))?;
            done.steps.push(step::<G>(record, turn, prompt, &said, took)?);
            time.spend(then(trial.played, turn));
            if process.broken() {
                return Ok(true);
            }
        }
        game.reply(*seat, reply.clone())?;
    }
    if trial.until.is_none()
        && game.fault(trial.seat).is_none()
        && let Some(end) = lines::end(&mut game, trial.seat, NUMBER)
    {
        process.tell(&end);
    }
    Ok(true)
}

/// Compares an answer with the record.
fn step<G: Game>(
    record: &RecordOf<G>,
    turn: u32,
    prompt: Json,
    said: &Said<G::Action>,
    took: Took,
) -> anyhow::Result<Step> {
    let then = &record.replies[turn as usize].1;
    let illegal = match &said.reply {
        Reply::Act(action) if said.reply != *then => illegal::<G>(record, turn, action)?,
        _ => None,
    };
    Ok(Step {
        turn,
        prompt,
        recorded: as_json(then)?,
        now: as_json(&said.reply)?,
        illegal,
        agrees: matches!(then, Reply::Act(_)).then(|| *then == said.reply),
        wall_us: micros(took.wall),
    })
}

fn as_json<Action: Serialize>(reply: &Reply<Action>) -> serde_json::Result<Reply<Json>> {
    Ok(match reply {
        Reply::Act(action) => Reply::Act(Json::of(action)?),
        Reply::Late => Reply::Late,
        Reply::Failed(fault) => Reply::Failed(fault.clone()),
    })
}

/// Why the rules forbid another action at a turn of the record, if they do.
fn illegal<G: Game>(record: &RecordOf<G>, turn: u32, action: &G::Action) -> anyhow::Result<Option<String>> {
    let (mut game, turn) = (Match::<G>::new(&record.rules, record.seats, record.seed)?, turn as usize);
    for (index, Replied(seat, reply)) in record.replies.iter().enumerate() {
        let reply = if index == turn { Reply::Act(action.clone()) } else { reply.clone() };
        game.reply(*seat, reply)?;
        // Replies to a simultaneous turn are opened when the last is in.
        if game.record().replies.len() > turn {
            break;
        }
    }
    Ok(game.fault(record.replies[turn].0).map(|fault| fault.detail.clone()))
}

/// How long the bot took then.
fn then(played: &Played, turn: u32) -> Duration {
    let time = played.times.moves.iter().find(|time| time.turn == turn);
    Duration::from_micros(time.map_or(0, |time| time.wall_us))
}

/// Waits without limit, unless it is stopped; says so once if that takes long.
async fn unless_stopped<T>(stop: &Stop, what: &str, wait: impl Future<Output = T>) -> Option<T> {
    let mut wait = pin!(wait);
    let mut waited = Duration::ZERO;
    loop {
        if let Ok(done) = timeout(LOOK, &mut wait).await {
            return Some(done);
        }
        waited += LOOK;
        if waited == NOTICE {
            status(format_args!("waiting for {what}, without limit; Ctrl-C ends it"));
        }
        if stop.is_set() {
            return None;
        }
    }
}
