//! Playing for one tournament: units come in, matches go to the player, results go out, until the tournament is over.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use arena_tournament::printable::clean;
use arena_tournament::schedule;
use arena_tournament::spec::Spec;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{self, AckKind};
use futures_util::future::{BoxFuture, FutureExt, OptionFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::mpsc;
use tokio::time::{interval, sleep};

use super::Worker;
use super::held::{Held, HeldUnits};
use super::languages::languages;
use super::transfer::{Fetched, fetch, send};
use crate::connection;
use crate::key::Key;
use crate::message::{self, Openings, Order, Pulse, Status};
use crate::player::Player;
use crate::queue::{ACK_WAIT, Queue};
use crate::rehearsal::{self, Failure};
use arena_runner::Finished;
use arena_runner::status::status;
use arena_runner::units;
use arena_session::{given_up, sandbox};

/// The time from one check of everything to the next.
const TICK: Duration = Duration::from_millis(250);
/// The time from one status to the next, unless there is something new.
const STATUS: Duration = Duration::from_secs(2);
/// The time without a sign of life of the coordinator after which it is gone.
const SILENCE: Duration = Duration::from_secs(45);
/// The same where results wait to be sent, which nobody may ever want.
const FORLORN: Duration = Duration::from_secs(600);
/// How much work is fetched ahead.
const AHEAD: Duration = Duration::from_millis(300);
/// The number of deliveries after which matches that come to no result are reported so.
const DELIVERIES: i64 = 3;
/// The pause of a unit that was given back, and of a machine that was too busy for it.
const REST: Duration = Duration::from_secs(5);
/// The time from one line of progress to the next.
const LINE: Duration = Duration::from_secs(10);
/// The time from one rehearsal to the next, at least, and as a multiple of what the last one took.
const REHEARSAL: Duration = Duration::from_secs(60);
const RARELY: u32 = 50;

/// How it ended.
pub enum Served {
    /// The tournament is over, or its coordinator is gone.
    Ended,
    /// The results of this worker failed verification.
    Excluded,
    /// A new coordinator does not admit this worker, and gives the reason if the worker offers again.
    Refused,
    /// Another tournament needs it more.
    Released,
    /// The worker was stopped.
    Stopped,
    /// A bot does not start here any more, or answers otherwise than it should.
    StandsAside(Failure),
}

/// A unit whose result is sent, or why it is not: a bot that crashed does not start here.
type Sent = (Key, Option<Failure>);

struct Serving<'a> {
    worker: &'a Worker<'a>,
    queue: &'a Queue,
    spec: &'a Spec,
    openings: Openings,
    player: &'a Player,
    held: HeldUnits,
    given_back: Vec<String>,
    languages: Vec<String>,
    sending: FuturesUnordered<BoxFuture<'static, Sent>>,
    matches: u64,
    began: Instant,
    rested: Option<Instant>,
    /// True once it is to finish what it has, and to go to another tournament.
    is_released: bool,
    /// Where units come from, once that was found.
    units: Option<PullConsumer>,
}

/// Plays for a tournament.
pub async fn serve(
    worker: &Worker<'_>,
    queue: &Queue,
    spec: Spec,
    openings: Openings,
) -> anyhow::Result<Served> {
    let began = Instant::now();
    if let Some(failure) =
        rehearsal::failure(&spec, &openings, &worker.stop, rehearsal::programs(&spec)).await
    {
        let Failure { why, otherwise } = failure.clone();
        let hello = worker.hello.clone();
        let status = Status {
            leaves: true,
            stands_aside: Some(why),
            otherwise,
            hello,
            ..Status::default()
        };
        queue
            .send(&format!("status.{}", worker.hello.worker), &status)
            .await;
        connection::flush(&queue.client).await;
        return Ok(Served::StandsAside(failure));
    }
    let again = REHEARSAL.max(began.elapsed() * RARELY);
    let sandbox = sandbox::for_programs(&spec, &[])?;
    sandbox::announce(&spec, &sandbox, false);
    let (sender, mut finished) = mpsc::unbounded_channel();
    let player = Player::start(spec.clone(), sandbox, sender);
    let mut serving = Serving {
        worker,
        queue,
        spec: &spec,
        openings,
        player: &player,
        held: HeldUnits::default(),
        given_back: Vec::new(),
        languages: languages(&spec).await,
        sending: FuturesUnordered::new(),
        matches: 0,
        began: Instant::now(),
        rested: None,
        is_released: false,
        units: None,
    };
    let served = serving.play(&mut finished, again).await;
    serving
        .leave(if let Ok(Served::StandsAside(failure)) = &served {
            Some(failure.clone())
        } else {
            None
        })
        .await;
    let matches = serving.matches;
    drop(serving);
    // Running matches come to their end, but their results are for nobody.
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
    fn name(&self) -> &String {
        &self.worker.hello.worker
    }

    /// Plays until it is over, with a rehearsal from time to time: a machine may change.
    async fn play(
        &mut self,
        finished: &mut mpsc::UnboundedReceiver<Finished>,
        again: Duration,
    ) -> anyhow::Result<Served> {
        let mut pulses = self
            .queue
            .client
            .subscribe(self.queue.subject("pulse"))
            .await?;
        let mut fetching: Option<BoxFuture<'static, Fetched>> = None;
        let mut rehearsal = Box::pin(self.rehearse_after(again, rehearsal::programs(self.spec)));
        let mut tick = interval(TICK);
        let (mut last_pulse, mut last_status, mut last_line) =
            (Instant::now(), Instant::now(), Instant::now());
        self.send_status(None, false).await;
        loop {
            if self.worker.stop.is_set() {
                return Ok(Served::Stopped);
            }
            if self.is_released
                && fetching.is_none()
                && self.held.units.is_empty()
                && self.sending.is_empty()
            {
                return Ok(Served::Released);
            }
            if fetching.is_none() && self.wants_more() {
                fetching = Some(fetch(self.queue.clone(), self.units.take()).boxed());
            }
            tokio::select! {
                Some(unit) = OptionFuture::from(fetching.as_mut()) => {
                    fetching = None;
                    match unit {
                        Ok((units, unit)) => {
                            self.units = Some(units);
                            if let Some(unit) = unit {
                                self.begin(unit).await;
                            }
                        }
                        // The streams may be made again, or be gone for good.
                        Err(_) => sleep(TICK).await,
                    }
                    self.send_status(None, false).await;
                    last_status = Instant::now();
                }
                one = finished.recv() => self.ended(one.context("the player has stopped")?).await?,
                failure = &mut rehearsal => {
                    if let Some(failure) = failure {
                        return Ok(Served::StandsAside(failure));
                    }
                    rehearsal = Box::pin(self.rehearse_after(again, rehearsal::programs(self.spec)));
                }
                Some((key, failure)) = self.sending.next() => {
                    if let Some(failure) = failure {
                        return Ok(Served::StandsAside(failure));
                    }
                    if let Some(held) = self.held.remove(key) {
                        held.acknowledge(AckKind::Ack).await;
                    }
                }
                Some(pulse) = pulses.next() => {
                    last_pulse = Instant::now();
                    match serde_json::from_slice::<Pulse>(&pulse.payload) {
                        Ok(pulse) if pulse.excluded.contains(self.name()) => return Ok(Served::Excluded),
                        Ok(pulse) if pulse.refused.contains(self.name()) => return Ok(Served::Refused),
                        Ok(pulse) if pulse.ends => return Ok(Served::Ended),
                        Ok(pulse) => self.is_released = pulse.released.contains(self.name()),
                        Err(_) => {}
                    }
                }
                _ = tick.tick() => {
                    if last_status.elapsed() >= STATUS || !self.given_back.is_empty() {
                        self.send_status(None, false).await;
                        last_status = Instant::now();
                    }
                    if last_line.elapsed() >= LINE && self.matches > 0 {
                        last_line = Instant::now();
                        status(format_args!("{} matches, {}", self.matches, units::rate(self.rate(), "matches")));
                    }
                    let limit = if self.held.units.is_empty() { SILENCE } else { FORLORN };
                    if last_pulse.elapsed() > limit && self.held.units.values().all(|held| held.is_sent) {
                        return Ok(Served::Ended);
                    }
                    self.show_progress().await;
                }
            }
        }
    }

    /// Matches per second.
    fn rate(&self) -> f64 {
        self.matches as f64 / self.began.elapsed().as_secs_f64().max(1.0)
    }

    /// True if the next unit should be on its way.
    fn wants_more(&self) -> bool {
        let is_resting = self.rested.is_some_and(|since| since.elapsed() < REST);
        let jobs = self.worker.hello.jobs;
        let ahead = jobs + (self.rate() * AHEAD.as_secs_f64()) as usize;
        !is_resting
            && !self.is_released
            && self.player.waiting() < ahead
            && self.sending.len() < 2 * jobs + 8
    }

    /// Begins a unit, unless another worker must play it.
    async fn begin(&mut self, unit: jetstream::Message) {
        let delivered = unit.info().map_or(1, |info| info.delivered);
        let (message, acker) = unit.split();
        let Ok(order) = serde_json::from_slice::<Order>(&message.payload) else {
            status(
                "warning: a unit that cannot be read; the coordinator may be of another version",
            );
            let _ = acker.ack_with(AckKind::Nak(Some(REST))).await;
            return;
        };
        let key = order.key;
        let meetings = order
            .meetings
            .clone()
            .unwrap_or_else(|| self.spec.meetings(1, &[]));
        let planned = schedule::of_deals(&order.deals, self.spec.field(), &meetings);
        let names = self.spec.names();
        let ids: Vec<String> = planned.iter().map(|planned| planned.id(&names)).collect();
        if order
            .not_for
            .contains(&message::mark(self.worker.hello.id, key))
            || self.held.overlaps(key, &ids)
        {
            let _ = acker.ack_with(AckKind::Nak(Some(TICK * 2))).await;
        } else if let Some(held) = self.held.units.get_mut(&key) {
            // Only the latest delivery counts.
            (held.acker, held.report.delivered) = (acker, delivered);
        } else {
            let (report, due) = (order.report(delivered), planned.len());
            let held = Held {
                report,
                due,
                played: Vec::new(),
                is_sent: false,
                shown: Instant::now(),
                acker,
            };
            self.held.insert(key, ids, held);
            self.player.add(planned);
        }
    }

    async fn ended(&mut self, finished: Finished) -> anyhow::Result<()> {
        let (id, done) = match finished {
            Finished::GivenUp(bot) => {
                let why = given_up::warning(&bot);
                self.held
                    .units
                    .values_mut()
                    .for_each(|held| held.report.news.push(why.clone()));
                status(why);
                return Ok(());
            }
            Finished::Played(played) => (played.id(), Ok(*played)),
            Finished::Paused(paused) => anyhow::bail!("{paused}"),
            Finished::Unplayed { id, why } => (id.clone(), Err(format!("match {id}: {why}"))),
        };
        self.matches += u64::from(done.is_ok());
        let Some((key, held)) = self.held.ended(&id) else {
            return Ok(());
        };
        match done {
            Ok(played) => held.played.push(played),
            Err(why) => held.report.unplayed.push(why),
        }
        if held.played.len() + held.report.unplayed.len() < held.due {
            return Ok(());
        }
        if !held.report.unplayed.is_empty() && held.report.delivered < DELIVERIES {
            self.give_back(key).await;
            return Ok(());
        }
        held.is_sent = true;
        held.report.shorten();
        let (played, report) = (std::mem::take(&mut held.played), held.report.clone());
        let crashed: BTreeSet<String> = played.iter().flat_map(rehearsal::crashed).collect();
        let is_crashed = |bot: &usize| crashed.contains(&self.spec.bots[*bot].name);
        let crashed = rehearsal::programs(self.spec)
            .into_iter()
            .filter(is_crashed)
            .collect();
        let rehearsal = self.rehearse_after(Duration::ZERO, crashed);
        let sending = send(
            self.queue.clone(),
            self.name().clone(),
            report,
            message::pack(&played)?,
        );
        let sending = async move {
            match rehearsal.await {
                Some(failure) => (key, Some(failure)),
                None => (sending.await, None),
            }
        };
        self.sending.push(sending.boxed());
        Ok(())
    }

    /// A rehearsal of these bots after some time.
    fn rehearse_after(
        &self,
        pause: Duration,
        bots: Vec<usize>,
    ) -> impl Future<Output = Option<Failure>> + use<> {
        let (spec, openings, stop) = (
            self.spec.clone(),
            self.openings.clone(),
            Arc::clone(&self.worker.stop),
        );
        async move {
            sleep(pause).await;
            rehearsal::failure(&spec, &openings, &stop, bots).await
        }
    }

    /// Gives a unit back for which this machine is too busy, and rests.
    async fn give_back(&mut self, key: Key) {
        if let Some(held) = self.held.remove(key) {
            let why = held.report.unplayed.first().map_or("", String::as_str);
            status(format_args!(
                "gave {} back: {}",
                message::describe(&held.report.deals),
                clean(why)
            ));
            held.acknowledge(AckKind::Nak(Some(REST))).await;
            self.given_back.push(key.to_string());
            self.rested = Some(Instant::now());
        }
    }

    /// Shows the server that units are being played.
    async fn show_progress(&mut self) {
        for held in self
            .held
            .units
            .values_mut()
            .filter(|held| held.shown.elapsed() >= ACK_WAIT / 4)
        {
            held.shown = Instant::now();
            held.acknowledge(AckKind::Progress).await;
        }
    }

    /// Reports to the coordinator.
    async fn send_status(&mut self, failure: Option<Failure>, leaves: bool) {
        let status = Status {
            hello: self.worker.hello.clone(),
            holding: self.held.units.keys().map(ToString::to_string).collect(),
            given_back: std::mem::take(&mut self.given_back),
            languages: self.languages.clone(),
            leaves,
            otherwise: failure.as_ref().and_then(|failure| failure.otherwise),
            stands_aside: failure.map(|failure| failure.why),
        };
        self.queue
            .send(&format!("status.{}", self.name()), &status)
            .await;
    }

    /// Gives everything back.
    async fn leave(&mut self, failure: Option<Failure>) {
        for (key, held) in std::mem::take(&mut self.held.units) {
            held.acknowledge(AckKind::Nak(None)).await;
            self.given_back.push(key.to_string());
        }
        self.send_status(failure, true).await;
        connection::flush(&self.queue.client).await;
    }
}
