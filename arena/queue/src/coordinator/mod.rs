//! The coordinator: publishes the units of a tournament, saves what workers make of them, and decides whom to believe.

mod admission;
mod checks;
mod examine;
mod pace;
mod result;
mod round;
mod stage;
mod workers;

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, bail};
use arena_ledger::ledger::Ledger;
use arena_tournament::entrant::Bot;
use arena_tournament::field::Meeting;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;
use async_nats::jetstream::consumer::pull;
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use self::checks::Checks;
use self::pace::Pace;
use self::workers::Workers;
use super::build::{self, OtherBuilds};
use super::bundle;
use super::connection::{self, Role};
use super::message::{self, Build, Welcome};
use super::queue::{self, Queue};
use crate::options::Distribution;
use arena_config::files;
use arena_runner::status::status;
use arena_session::sandbox;
use arena_session::session::Session;
use arena_session::{Observer, Ongoing, Players, Round};

/// How long to wait for another coordinator to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Plays on other machines, by a queue.
pub struct Coordinator {
    runtime: Runtime,
    desk: Desk,
}

/// What the coordinator works with.
struct Desk {
    /// Who this is, for others.
    name: String,
    client: Client,
    queue: Queue,
    welcome: Welcome,
    /// The archives of bots, by their hashes.
    archives: Vec<(String, Vec<u8>)>,
    build: Build,
    others: OtherBuilds,
    unit_timeout: Option<Duration>,
    epoch: u64,
    workers: Workers,
    shut_out: BTreeSet<String>,
    checks: Checks,
    redelivered: u64,
    pace: Pace,
    /// The workers that met an earlier coordinator and may not take part now.
    refused: BTreeSet<String>,
    /// What was said once.
    said: BTreeSet<String>,
    joins: Subscriber,
    statuses: Subscriber,
    pulses: Subscriber,
    results: Option<pull::Stream>,
    looks: u32,
}

/// What a result leads to.
enum Next {
    GoOn,
    Enough,
    BeginAgain,
}

impl Coordinator {
    /// Takes charge of a tournament: packs its bots, and makes sure that nobody else is in charge.
    pub fn new(options: &Distribution, session: &Session<'_>, ledger: &Ledger) -> anyhow::Result<Self> {
        let (runtime, spec) = (super::runtime()?, session.spec);
        let hidden = sandbox::hidden(spec, &[session.dir]);
        let mut archives = Vec::new();
        let mut bundles = Vec::new();
        for bot in &spec.bots {
            let Bot::Program(program) = &bot.bot else {
                bundles.push(None);
                continue;
            };
            let packed = bundle::pack(program, &hidden).with_context(|| format!("bot {} cannot travel", bot.name))?;
            packed.warnings.iter().for_each(|warning| status(format_args!("warning: bot {}: {warning}", bot.name)));
            bundles.push(Some(packed.sha256.clone()));
            archives.push((packed.sha256, packed.archive));
        }
        let build = build::this()?;
        let plan = plan(spec, &bundles, &build);
        let welcome = Welcome { plan, spec: spec.clone(), bundles };
        let shut_out = ledger.shut_out().iter().map(|entry| entry.worker.clone()).collect();
        let desk = runtime.block_on(Desk::open(options, welcome, archives, build, shut_out))?;
        Ok(Self { runtime, desk })
    }

    /// Lets the workers go, and clears the queue unless something went wrong: then what is in it is still good.
    pub fn end(self, is_well: bool) {
        self.runtime.block_on(async {
            self.desk.pulse(true).await;
            if is_well {
                self.desk.queue.remove().await;
            }
            connection::flush(&self.desk.client).await;
        });
        for (name, worker) in self.desk.workers.all() {
            let languages: String = worker.languages.iter().map(|version| format!(", {}", clean(version))).collect();
            status(format_args!("worker     {}: {} matches{languages}", clean(name), worker.matches));
        }
        let (passed, skipped) = (self.desk.checks.passed, self.desk.checks.skipped);
        if passed + skipped > 0 {
            status(format_args!(
                "checked    {passed} stretches of deals were played again by another worker, with the same result{}",
                if skipped > 0 { format!("; for {skipped} there was no other worker") } else { String::new() }
            ));
        }
    }
}

impl Players for Coordinator {
    fn play_round(&mut self, ongoing: &mut Ongoing<'_, impl Observer>, meetings: &[Meeting]) -> anyhow::Result<Round> {
        let Self { runtime, desk } = self;
        let played = runtime.block_on(desk.play_round(ongoing, meetings));
        if played.is_err() {
            // That is tried for what it is worth: it may be the ledger that failed.
            let _ = desk.doubt_what_is_unsettled(ongoing.ledger);
        }
        played
    }
}

/// What names a plan: all that its matches follow from.
fn plan(spec: &Spec, bundles: &[Option<String>], build: &Build) -> String {
    let all = message::encode(&(spec, bundles, &build.version, &build.rules));
    let mut plan = files::hash_of(all.as_slice()).expect("bytes in memory are readable");
    plan.truncate(16);
    plan
}

impl Desk {
    async fn open(
        options: &Distribution,
        welcome: Welcome,
        archives: Vec<(String, Vec<u8>)>,
        build: Build,
        shut_out: BTreeSet<String>,
    ) -> anyhow::Result<Self> {
        let client = connection::connect(&options.server, Role::Coordinator, "arena coordinator").await?;
        let queue = Queue::new(client.clone(), &welcome.plan);
        queue.ensure_fits("the description of this tournament", message::encode(&welcome).len())?;
        let question = client.request(queue.subject("coordinator"), "".into());
        if let Ok(Ok(answer)) = timeout(PATIENCE, question).await {
            let who = String::from_utf8_lossy(&answer.payload).into_owned();
            bail!("this tournament has a coordinator already, {}: stop that one first", clean(&who));
        }
        queue.prepare().await?;
        // An earlier coordinator may have cut the deals otherwise.
        queue.clear().await?;
        for (name, archive) in &archives {
            queue.put(name, archive).await.context("the bots cannot be put on the queue's server")?;
        }
        let desk = Self {
            name: super::machine(),
            joins: client.queue_subscribe(queue::JOIN, "coordinators".into()).await?,
            statuses: client.subscribe(queue.subject("status")).await?,
            pulses: client.subscribe(queue.subject("pulse")).await?,
            client,
            queue,
            welcome,
            archives,
            build,
            others: if options.other_builds { OtherBuilds::Accepted } else { OtherBuilds::Refused },
            unit_timeout: options.unit_timeout.map(Duration::from_secs),
            epoch: arena_config::seed::draw()?.into(),
            workers: Workers::default(),
            shut_out,
            checks: Checks::new(options.recheck),
            redelivered: 0,
            pace: Pace::default(),
            refused: BTreeSet::new(),
            said: BTreeSet::new(),
            results: None,
            looks: 0,
        };
        desk.answer_others().await?;
        desk.pulse(false).await;
        Ok(desk)
    }

    /// Tells whoever would be the coordinator of the same tournament that there is one.
    async fn answer_others(&self) -> anyhow::Result<()> {
        let mut questions = self.client.subscribe(self.queue.subject("coordinator")).await?;
        let (client, name) = (self.client.clone(), self.name.clone());
        tokio::spawn(async move {
            while let Some(question) = questions.next().await {
                if let Some(reply) = question.reply {
                    // Whoever asks in vain hears the signs of life.
                    let _ = client.publish(reply, name.clone().into()).await;
                }
            }
        });
        Ok(())
    }
}
