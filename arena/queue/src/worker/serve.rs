//! Playing for one tournament: units come in, matches go to the player, results go out, until the coordinator says that it is over.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use arena_tournament::entrant::Bot;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;
use async_nats::jetstream::{self, AckKind};
use async_nats::{Client, jetstream::consumer::PullConsumer};
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::mpsc;
use tokio::time::{interval, sleep};

use super::Worker;
use super::hand::Hand;
use crate::connection;
use crate::message::{self, Hello, Order, Pulse, Report, Status};
use crate::player::Player;
use crate::queue::{ACK_WAIT, Key, Queue};
use arena_runner::Finished;
use arena_runner::status::status;
use arena_runner::units;
use arena_session::{given_up, sandbox};

/// The time from one look at how things are to the next.
const TICK: Duration = Duration::from_millis(250);
/// The time from one status to the next, unless there is something new.
const STATUS: Duration = Duration::from_secs(2);
/// How long the server may keep a request for a unit.
const WAIT: Duration = Duration::from_secs(4);
/// The time without a sign of the coordinator after which it is thought to be gone.
const SILENCE: Duration = Duration::from_secs(45);
/// The same where results wait to be sent, for whose stream there may never be anybody again.
const FORLORN: Duration = Duration::from_secs(600);
/// How much work is fetched ahead.
const AHEAD: Duration = Duration::from_millis(300);
/// The number of deliveries after which matches that come to no result are reported so.
const DELIVERIES: i64 = 3;
/// How long a unit rests that was given back, and a machine that was too busy for it.
const REST: Duration = Duration::from_secs(5);
/// The time from one line of progress to the next.
const LINE: Duration = Duration::from_secs(10);
/// How long an interpreter may take to tell its version.
const VERSION: Duration = Duration::from_secs(5);

/// How it ended.
pub enum Served {
    /// The tournament is over, or its coordinator is gone.
    Ended,
    /// The coordinator does not believe this worker.
    ShutOut,
    /// A new coordinator does not take this worker, and tells why if it is asked.
    Refused,
    /// Somebody stopped the worker.
    Stopped,
}

type Fetched = anyhow::Result<(PullConsumer, Option<jetstream::Message>)>;

struct Serving<'a> {
    hello: &'a Hello,
    client: &'a Client,
    queue: &'a Queue,
    spec: &'a Spec,
    names: Vec<String>,
    player: &'a Player,
    hand: Hand,
    given_back: Vec<String>,
    languages: Vec<String>,
    sending: FuturesUnordered<BoxFuture<'static, Key>>,
    matches: u64,
    began: Instant,
    rested: Option<Instant>,
    /// Where units come from, once that was found.
    units: Option<PullConsumer>,
}

/// Plays for a tournament.
pub async fn serve(worker: &Worker<'_>, queue: &Queue, client: &Client, spec: Spec) -> anyhow::Result<Served> {
    let sandbox = sandbox::for_programs(&spec, &[])?;
    sandbox.describe().into_iter().for_each(status);
    let (sender, mut finished) = mpsc::unbounded_channel();
    let player = Player::start(spec.clone(), sandbox, sender);
    let mut serving = Serving {
        hello: &worker.hello,
        client,
        queue,
        spec: &spec,
        names: spec.names(),
        player: &player,
        hand: Hand::default(),
        given_back: Vec::new(),
        languages: languages(&spec, &worker.cache).await,
        sending: FuturesUnordered::new(),
        matches: 0,
        began: Instant::now(),
        rested: None,
        units: None,
    };
    let served = serving.play(worker, &mut finished).await;
    serving.leave().await;
    let matches = serving.matches;
    drop(serving);
    // Running matches come to their end, and nobody waits for their results.
    drop(finished);
    let ended = tokio::task::block_in_place(|| player.end());
    status(format_args!("played {matches} matches of {}", clean(&spec.name)));
    match served {
        Ok(served) => Ok(served),
        Err(error) => ended.and(Err(error)),
    }
}

impl Serving<'_> {
    fn name(&self) -> &str {
        &self.hello.worker
    }

    async fn play(
        &mut self,
        worker: &Worker<'_>,
        finished: &mut mpsc::UnboundedReceiver<Finished>,
    ) -> anyhow::Result<Served> {
        let mut pulses = self.client.subscribe(self.queue.subject("pulse")).await?;
        let mut fetching: Option<BoxFuture<'static, Fetched>> = None;
        let mut tick = interval(TICK);
        let (mut alive, mut said, mut line) = (Instant::now(), Instant::now(), Instant::now());
        self.send_status(false).await;
        loop {
            if worker.stop.is_set() {
                return Ok(Served::Stopped);
            }
            if fetching.is_none() && self.wants_more() {
                fetching = Some(fetch(self.queue.clone(), self.units.take()).boxed());
            }
            let next = async {
                match &mut fetching {
                    Some(fetching) => fetching.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                unit = next => {
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
                    self.send_status(false).await;
                    said = Instant::now();
                }
                one = finished.recv() => self.ended(one.context("nobody plays any more")?).await?,
                Some(key) = self.sending.next() => {
                    if let Some(held) = self.hand.put_down(key) {
                        held.acknowledge(AckKind::Ack).await;
                    }
                }
                Some(pulse) = pulses.next() => {
                    alive = Instant::now();
                    match serde_json::from_slice::<Pulse>(&pulse.payload) {
                        Ok(pulse) if pulse.shut_out.iter().any(|name| name == self.name()) => return Ok(Served::ShutOut),
                        Ok(pulse) if pulse.refused.iter().any(|name| name == self.name()) => return Ok(Served::Refused),
                        Ok(pulse) if pulse.ends => return Ok(Served::Ended),
                        _ => {}
                    }
                }
                _ = tick.tick() => {
                    if said.elapsed() >= STATUS || !self.given_back.is_empty() {
                        self.send_status(false).await;
                        said = Instant::now();
                    }
                    if line.elapsed() >= LINE && self.matches > 0 {
                        line = Instant::now();
                        let rate = self.matches as f64 / self.began.elapsed().as_secs_f64();
                        status(format_args!("{} matches, {}", self.matches, units::rate(rate, "matches")));
                    }
                    let is_forlorn = alive.elapsed() > FORLORN && self.hand.units().all(|(_, held)| held.is_sent);
                    if is_forlorn || alive.elapsed() > SILENCE && self.hand.is_empty() {
                        return Ok(Served::Ended);
                    }
                    self.show_progress().await;
                }
            }
        }
    }

    /// True if the next unit should be on its way.
    fn wants_more(&self) -> bool {
        let is_resting = self.rested.is_some_and(|since| since.elapsed() < REST);
        let rate = self.matches as f64 / self.began.elapsed().as_secs_f64().max(1.0);
        let ahead = self.hello.jobs + (rate * AHEAD.as_secs_f64()) as usize;
        !is_resting && self.player.waiting() < ahead && self.sending.len() < 2 * self.hello.jobs + 8
    }

    /// Begins a unit, unless somebody else must play it.
    async fn begin(&mut self, unit: jetstream::Message) {
        let delivered = unit.info().map_or(1, |info| info.delivered);
        let (message, acker) = unit.split();
        let order: Result<Order, _> = serde_json::from_slice(&message.payload);
        let Ok(order) = order else {
            status("warning: a unit that cannot be read; the coordinator may be of another version");
            let _ = acker.ack_with(AckKind::Nak(Some(REST))).await;
            return;
        };
        let key = Key { unit: order.unit, check: order.checks.len() };
        let meetings = order.meetings.clone().unwrap_or_else(|| self.spec.meetings(1, &[]));
        let planned = order.unit.matches(self.spec.field(), &meetings);
        if order.checks.iter().any(|name| name == self.name()) || self.hand.overlaps(key, &planned, &self.names) {
            let _ = acker.ack_with(AckKind::Nak(Some(TICK * 2))).await;
            return;
        }
        if self.hand.take(key, order, &planned, &self.names, (acker, delivered)) {
            self.player.add(planned);
        }
    }

    /// A match has ended.
    async fn ended(&mut self, finished: Finished) -> anyhow::Result<()> {
        let (id, done) = match finished {
            Finished::GivenUp(bot) => {
                let why = given_up::warning(&bot);
                self.hand.units().for_each(|(_, held)| held.news.push(why.clone()));
                status(why);
                return Ok(());
            }
            Finished::Played(played) => (played.id(), Ok(*played)),
            Finished::Unplayed { id, why } => (id.clone(), Err(format!("match {id}: {why}"))),
        };
        self.matches += u64::from(done.is_ok());
        let Some((key, held)) = self.hand.of(&id) else { return Ok(()) };
        match done {
            Ok(played) => held.played.push(played),
            Err(why) => held.unplayed.push(why),
        }
        if !held.is_finished() {
            return Ok(());
        }
        if !held.unplayed.is_empty() && held.delivered < DELIVERIES {
            return self.give_back(key).await;
        }
        held.is_sent = true;
        let (report, packed) = (held.report(&self.hello.worker), message::pack(&std::mem::take(&mut held.played))?);
        self.sending.push(send(self.queue.clone(), key, report, packed).boxed());
        Ok(())
    }

    /// Gives a unit back for which this machine is too busy, and rests.
    async fn give_back(&mut self, key: Key) -> anyhow::Result<()> {
        if let Some(held) = self.hand.put_down(key) {
            let why = held.unplayed.first().map_or("", String::as_str);
            status(format_args!("gave {} back: {}", key.unit, clean(why)));
            held.acknowledge(AckKind::Nak(Some(REST))).await;
            self.given_back.push(key.to_string());
            self.rested = Some(Instant::now());
        }
        Ok(())
    }

    /// Shows that what is in hand is being played.
    async fn show_progress(&mut self) {
        for (_, held) in self.hand.units() {
            if held.shown.elapsed() >= ACK_WAIT / 4 {
                held.shown = Instant::now();
                held.acknowledge(AckKind::Progress).await;
            }
        }
    }

    /// Tells the coordinator how things are.
    async fn send_status(&mut self, leaves: bool) {
        let status = Status {
            worker: self.name().to_owned(),
            hello: self.hello.clone(),
            holding: self.hand.names(),
            given_back: std::mem::take(&mut self.given_back),
            languages: self.languages.clone(),
            leaves,
        };
        // The next one tells the same.
        let _ = self.client.publish(self.queue.subject("status"), message::encode(&status).into()).await;
    }

    /// Gives back what is in hand.
    async fn leave(&mut self) {
        let keys: Vec<Key> = self.hand.units().map(|(key, _)| *key).collect();
        for key in keys {
            if let Some(held) = self.hand.put_down(key) {
                held.acknowledge(AckKind::Nak(None)).await;
                self.given_back.push(key.to_string());
            }
        }
        self.send_status(true).await;
        connection::flush(self.client).await;
    }
}

/// Waits for a unit.
async fn fetch(queue: Queue, units: Option<PullConsumer>) -> Fetched {
    let units = match units {
        Some(units) => units,
        None => queue.units().await?,
    };
    let mut batch = units.batch().max_messages(1).expires(WAIT).messages().await?;
    let unit = batch.next().await.transpose().map_err(|error| anyhow::anyhow!(error))?;
    Ok((units, unit))
}

/// Sends a result until it is acknowledged. Returns whose it was.
async fn send(queue: Queue, key: Key, mut report: Report, packed: Vec<u8>) -> Key {
    for attempt in 1.. {
        match try_to_send(&queue, key, &mut report, &packed).await {
            Ok(()) => return key,
            Err(_) => sleep(connection::pause(attempt)).await,
        }
    }
    key
}

async fn try_to_send(queue: &Queue, key: Key, report: &mut Report, packed: &[u8]) -> anyhow::Result<()> {
    let message = message::with_matches(report, packed);
    if message.len() <= queue.room() {
        return queue.report(key, message).await;
    }
    let object = key.object(&report.worker);
    queue.put(&object, packed).await?;
    report.object = Some(object);
    queue.report(key, message::with_matches(report, &[])).await
}

/// The interpreters of the bots that this machine has to bring, each with what it says of its version.
async fn languages(spec: &Spec, cache: &Path) -> Vec<String> {
    let mut words: Vec<&str> = Vec::new();
    for bot in &spec.bots {
        if let Bot::Program(program) = &bot.bot
            && let Some(word) = program.command.first()
            && !Path::new(word).starts_with(cache)
            && !program.dir.join(word).exists()
        {
            words.push(word);
        }
    }
    words.sort_unstable();
    words.dedup();
    let mut versions = Vec::new();
    for word in words {
        versions.push(version(word).await.unwrap_or_else(|error| format!("{word}: {error}")));
    }
    versions
}

/// What a program says of its version, in a line.
async fn version(program: &str) -> anyhow::Result<String> {
    let mut command = tokio::process::Command::new(program);
    command.arg("--version").stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(VERSION, command.output()).await.context("tells no version")??;
    let text = if output.stdout.is_empty() { &output.stderr } else { &output.stdout };
    let text = String::from_utf8_lossy(text);
    let line = text.lines().next().unwrap_or_default();
    ensure!(output.status.success() && !line.is_empty(), "tells no version");
    Ok(clean(line).chars().take(80).collect())
}
