//! Serves one tournament: receives units, plays their matches, and sends the results.

use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use arena_engine::record::{Record, Replied, Reply};
use arena_protocol::fault::BotFault;
use arena_runner::status::status;
use arena_runner::{Finished, units};
use arena_session::{given_up, sandbox};
use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use arena_tournament::schedule;
use arena_tournament::spec::Spec;
use async_nats::jetstream::{self, AckKind};
use futures_util::future::{BoxFuture, FutureExt, OptionFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde::de::IgnoredAny;
use tokio::sync::mpsc;
use tokio::time::{interval, sleep};

use super::Worker;
use super::held::{HeldUnit, HeldUnits};
use crate::connection;
use crate::message::{self, Heartbeat, Order, Pulse, UnitReport};
use crate::player::Player;
use crate::queue::{ACK_WAIT, Queue};

/// Interval of periodic checks.
const TICK: Duration = Duration::from_millis(250);
/// Maximum interval between status messages.
const STATUS_INTERVAL: Duration = Duration::from_secs(2);
/// Time without a heartbeat after which the coordinator counts as gone.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(45);
/// Like `SILENCE_TIMEOUT`, while results are still unsent.
const UNSENT_TIMEOUT: Duration = Duration::from_secs(600);
/// Target duration of the matches that a worker has fetched in advance.
const BACKLOG_DURATION: Duration = Duration::from_millis(300);
/// Time for which the server may hold a request for a unit.
const FETCH_TIMEOUT: Duration = Duration::from_secs(4);
/// Number of deliveries of a unit after which its matches without a result are reported.
const MAX_DELIVERIES: i64 = 3;
/// Number of deliveries after which a unit is abandoned, because every worker that got it was lost.
const MAX_LOSSES: i64 = 10;
/// Delay before a returned unit is delivered again. Also the time for which a machine rests if it was too busy to play a unit.
const REST_TIME: Duration = Duration::from_secs(5);
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// The reason why serving a tournament ended.
pub enum Served {
    /// The tournament is over, or its coordinator is gone.
    Ended,
    /// The tournament continues, but this worker has left it for now.
    Left,
    /// The worker was stopped.
    Stopped,
}

/// A unit; `None` on timeout.
type Fetched = anyhow::Result<Option<jetstream::Message>>;

struct Serving<'a> {
    worker: &'a Worker<'a>,
    queue: &'a Queue,
    spec: &'a Spec,
    player: &'a Player,
    held: HeldUnits,
    /// Results that are being sent. Each future returns the deals of its unit.
    sending: FuturesUnordered<BoxFuture<'static, Vec<u32>>>,
    matches: u64,
    began: Instant,
    /// The time at which this machine was last too busy.
    rested: Option<Instant>,
}

/// Plays for a tournament.
pub async fn serve(worker: &Worker<'_>, queue: &Queue, spec: Spec) -> anyhow::Result<Served> {
    let sandbox = sandbox::for_programs(&spec, &[])?;
    status(format_args!(
        "playing {} ({}, {} bots)",
        clean(&spec.name),
        spec.plan.game,
        spec.bots.len()
    ));
    sandbox::announce(&spec, &sandbox, false);
    let (sender, mut finished) = mpsc::unbounded_channel();
    let player = Player::start(spec.clone(), sandbox, sender);
    let mut serving = Serving {
        worker,
        queue,
        spec: &spec,
        player: &player,
        held: HeldUnits::default(),
        sending: FuturesUnordered::new(),
        matches: 0,
        began: Instant::now(),
        rested: None,
    };
    let served = serving.play(&mut finished).await;
    serving.leave().await;
    let matches = serving.matches;
    drop(serving);
    // Running matches are finished, but their results are discarded.
    drop(finished);
    let ended = tokio::task::block_in_place(|| player.end());
    status(format_args!(
        "played {matches} matches of {}",
        clean(&spec.name)
    ));
    match served {
        Ok(served) => Ok(served),
        Err(error) => ended.and(Err(error)),
    }
}

impl Serving<'_> {
    /// Plays until the tournament is over.
    async fn play(
        &mut self,
        finished: &mut mpsc::UnboundedReceiver<Finished>,
    ) -> anyhow::Result<Served> {
        let pulses = self.queue.subject("pulse");
        let mut pulses = self.queue.client.subscribe(pulses).await?;
        let mut fetching: Option<BoxFuture<'static, Fetched>> = None;
        let mut tick = interval(TICK);
        let mut last_pulse = Instant::now();
        let mut last_status = Instant::now();
        let mut last_line = Instant::now();
        self.send_status(false).await;
        loop {
            if self.worker.stop.is_set() {
                return Ok(Served::Stopped);
            }
            if fetching.is_none() && self.wants_more() {
                fetching = Some(self.queue.clone().take_unit(FETCH_TIMEOUT).boxed());
            }
            tokio::select! {
                Some(unit) = OptionFuture::from(fetching.as_mut()) => {
                    fetching = None;
                    match unit {
                        Ok(Some(unit)) => self.begin(unit).await?,
                        Ok(None) => {}
                        // The streams may be created again later, or be gone for good.
                        Err(_) => sleep(TICK).await,
                    }
                }
                one = finished.recv() => self.ended(one.context("the player has stopped")?).await?,
                Some(deals) = self.sending.next() => {
                    let held = self.held.units.get(&deals[0]);
                    if held.is_some_and(|held| held.report.deals == deals) {
                        self.held.release(deals[0], AckKind::Ack).await;
                    }
                }
                Some(pulse) = pulses.next() => {
                    last_pulse = Instant::now();
                    match serde_json::from_slice::<Pulse>(&pulse.payload) {
                        Ok(pulse) if pulse.ends => return Ok(Served::Ended),
                        Ok(pulse) if pulse.build != self.worker.build => return Ok(Served::Left),
                        _ => {}
                    }
                }
                _ = tick.tick() => {
                    if last_status.elapsed() >= STATUS_INTERVAL {
                        self.send_status(false).await;
                        last_status = Instant::now();
                    }
                    if last_line.elapsed() >= LINE_INTERVAL && self.matches > 0 {
                        last_line = Instant::now();
                        status(format_args!("{} matches, {}", self.matches, units::rate(self.rate(), "matches")));
                    }
                    let limit = if self.held.units.is_empty() {
                        SILENCE_TIMEOUT
                    } else {
                        UNSENT_TIMEOUT
                    };
                    if last_pulse.elapsed() > limit {
                        return Ok(Served::Ended);
                    }
                    self.show_progress().await;
                }
            }
        }
    }

    /// Returns the number of matches per second.
    fn rate(&self) -> f64 {
        self.matches as f64 / self.began.elapsed().as_secs_f64().max(1.0)
    }

    /// Returns true if the next unit should be fetched.
    fn wants_more(&self) -> bool {
        let is_resting = self.rested.is_some_and(|since| since.elapsed() < REST_TIME);
        let jobs = self.worker.jobs;
        let ahead = jobs + (self.rate() * BACKLOG_DURATION.as_secs_f64()) as usize;
        !is_resting && self.player.waiting() < ahead && self.sending.len() < 2 * jobs + 8
    }

    /// Begins a unit, unless it is already being played.
    async fn begin(&mut self, unit: jetstream::Message) -> anyhow::Result<()> {
        let delivered = unit.info().map_or(1, |info| info.delivered);
        let (message, acker) = unit.split();
        let Order { deals, meetings } = serde_json::from_slice(&message.payload)?;
        let key = *deals.first().context("received an empty unit")?;
        let meetings = meetings.unwrap_or_else(|| self.spec.meetings(1, &[]));
        let planned = schedule::of_deals(&deals, self.spec.field(), &meetings);
        let names = self.spec.names();
        let ids: Vec<String> = planned.iter().map(|planned| planned.id(&names)).collect();
        let known = self.held.units.get_mut(&key);
        if let Some(held) = known.filter(|held| held.report.deals == deals) {
            // Only the latest delivery can be acknowledged.
            held.acker = acker;
            held.delivered = delivered;
            return Ok(());
        }
        // A new coordinator may have divided the deals differently. Its units replace earlier ones.
        for earlier in self.held.overlapping(key, &ids) {
            self.held.release(earlier, AckKind::Term).await;
        }
        let mut held = HeldUnit {
            report: UnitReport {
                worker: self.worker.name.clone(),
                deals,
                is_last: true,
                ..UnitReport::default()
            },
            due: planned.len(),
            delivered,
            shown: Instant::now(),
            acker,
        };
        if delivered > MAX_LOSSES {
            let deals = message::describe(&held.report.deals);
            let why = format!(
                "{deals}: {MAX_LOSSES} workers were given these deals, and none finished them"
            );
            held.report.unplayed.push(why);
            let report = held.report.clone();
            self.held.insert(key, Vec::new(), held);
            return self.send(report);
        }
        self.held.insert(key, ids, held);
        self.player.add(planned);
        Ok(())
    }

    async fn ended(&mut self, finished: Finished) -> anyhow::Result<()> {
        let (id, done) = match finished {
            Finished::GivenUp(bot) => {
                let why = given_up::warning(&bot);
                for held in self.held.units.values_mut() {
                    held.report.news.push(why.clone());
                }
                status(why);
                return Ok(());
            }
            Finished::Played(played) => {
                check_started(&played)?;
                (played.id(), Ok(*played))
            }
            Finished::Paused(paused) => bail!("{paused}"),
            Finished::Unplayed { id, why } => (id.clone(), Err(format!("match {id}: {why}"))),
        };
        self.matches += u64::from(done.is_ok());
        let Some((key, held)) = self.held.ended(&id) else {
            return Ok(());
        };
        let report = &mut held.report;
        match done {
            Ok(played) => report.matches.push(played),
            Err(why) => report.unplayed.push(why),
        }
        if report.matches.len() + report.unplayed.len() < held.due {
            return Ok(());
        }
        if !report.unplayed.is_empty() && held.delivered < MAX_DELIVERIES {
            status(format_args!(
                "gave {} back: {}",
                message::describe(&report.deals),
                clean(&report.unplayed[0])
            ));
            self.held.release(key, AckKind::Nak(Some(REST_TIME))).await;
            self.rested = Some(Instant::now());
            return Ok(());
        }
        let report = UnitReport {
            matches: std::mem::take(&mut report.matches),
            ..report.clone()
        };
        self.send(report)
    }

    /// Starts to send a report. Sending is repeated until the server has all of it.
    fn send(&mut self, report: UnitReport) -> anyhow::Result<()> {
        let deals = report.deals.clone();
        let messages = report.messages(self.queue.room())?;
        for message in &messages {
            self.queue.ensure_fits("a match", message.len())?;
        }
        let queue = self.queue.clone();
        let sending = async move {
            for message in messages {
                let mut attempts = 0;
                while queue.publish("result", message.clone()).await.is_err() {
                    attempts += 1;
                    sleep(connection::pause(attempts)).await;
                }
            }
            deals
        };
        self.sending.push(sending.boxed());
        Ok(())
    }

    /// Reports progress on the units to the server.
    async fn show_progress(&mut self) {
        for held in self.held.units.values_mut() {
            if held.shown.elapsed() >= ACK_WAIT / 4 {
                held.shown = Instant::now();
                let _ = held.acker.ack_with(AckKind::Progress).await;
            }
        }
    }

    /// Sends a status to the coordinator.
    async fn send_status(&self, leaves: bool) {
        let status = Heartbeat {
            worker: self.worker.name.clone(),
            jobs: self.worker.jobs,
            units: self.held.units.len(),
            leaves,
        };
        self.queue.send("status", &status).await;
    }

    /// Returns all units to the server.
    async fn leave(&mut self) {
        for key in self.held.units.keys().copied().collect::<Vec<_>>() {
            self.held.release(key, AckKind::Nak(None)).await;
        }
        self.send_status(true).await;
        connection::flush(&self.queue.client).await;
    }
}

/// Checks that no bot forfeited because this machine cannot start the bot. Such a forfeit says nothing about the bot.
fn check_started(played: &Played) -> anyhow::Result<()> {
    let record: Record<IgnoredAny, IgnoredAny> = played.record.read()?;
    for Replied(seat, reply) in record.replies {
        if let Reply::Failed(fault) = &reply
            && let BotFault::StartFailed(why) = fault.into()
        {
            let bot = &played.bots[seat.index()];
            ensure!(
                why == "withdrawn",
                "bot {} does not start: {}",
                clean(bot),
                clean(&why)
            );
        }
    }
    Ok(())
}
