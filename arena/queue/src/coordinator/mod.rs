//! The coordinator: publishes the units of a tournament, saves what workers make of them, and excludes workers that are wrong.

mod admission;
mod checks;
mod examine;
mod pace;
mod rates;
mod result;
mod round;
mod share;
mod units;
mod workers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use arena_ledger::ledger::Ledger;
use arena_tournament::field::Meeting;
use arena_tournament::printable::clean;
use async_nats::jetstream::consumer::pull;
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use self::checks::Checks;
use self::pace::Pace;
use self::share::Share;
use self::units::Units;
use self::workers::Workers;
use super::bundle::{self, Bundle};
use super::message::{self, Build, Openings, Pulse, Welcome};
use super::queue::{self, Queue};
use super::{build, connection};
use crate::options::Distribution;
use crate::rehearsal;
use arena_runner::short_hash::short_hash;
use arena_runner::status::status;
use arena_session::session::Session;
use arena_session::{Ongoing, Players, Round};

/// The most workers that are listed at the end.
const MOST_LISTED: usize = 100;
/// How long to wait for the answer of another coordinator.
const PATIENCE: Duration = Duration::from_secs(2);

/// Plays on other machines, by a queue.
pub struct Coordinator {
    runtime: Arc<Runtime>,
    /// Its sign of life, with its name, its epoch and the workers that may not take part.
    pulse: Pulse,
    queue: Queue,
    welcome: Welcome,
    archives: Vec<Bundle>,
    build: Build,
    /// True if a worker may have another file of the same version.
    admits_other_builds: bool,
    unit_timeout: Option<Duration>,
    workers: Workers,
    checks: Checks,
    /// True if the server can keep each worker to its own name.
    proves_names: bool,
    redelivered: u64,
    /// The number of times that a bot did not answer as here on a worker, and if a worker played on with all answers as here.
    otherwise: BTreeMap<usize, u32>,
    is_met: bool,
    share: Share,
    pace: Pace,
    /// The lines that are shown only once.
    shown: BTreeSet<String>,
    joins: Subscriber,
    statuses: Subscriber,
    pulses: Subscriber,
    results: Option<pull::Stream>,
    ticks: u32,
    /// The number of ticks before which no check is skipped.
    patience: u32,
}

/// A round that is being played.
struct OpenRound<'a, 's> {
    units: Units<'a>,
    ongoing: &'a mut Ongoing<'s>,
    /// True once matches were taken back, perhaps of earlier rounds.
    is_taken_back: bool,
}

impl Coordinator {
    /// Takes charge of a tournament: packs its bots, and makes sure that it has no other coordinator.
    pub fn new(
        options: &Distribution,
        session: &Session<'_>,
        ledger: &Ledger,
    ) -> anyhow::Result<Self> {
        let runtime = Arc::new(super::runtime()?);
        runtime.block_on(Self::open(Arc::clone(&runtime), options, session, ledger))
    }

    async fn open(
        runtime: Arc<Runtime>,
        options: &Distribution,
        session: &Session<'_>,
        ledger: &Ledger,
    ) -> anyhow::Result<Self> {
        let (build, (bundles, archives)) = (build::this()?, pack_bots(session)?);
        let (plan, spec) = (plan(session, &bundles, &build), session.spec.clone());
        let mut welcome = Welcome {
            plan,
            spec,
            bundles,
            openings: Openings::new(),
        };
        let client =
            connection::connect(&options.server, "coordinator", "arena coordinator").await?;
        let queue = Queue::new(client.clone(), &welcome.plan);
        queue.ensure_fits(
            "the description of this tournament",
            message::encode(&welcome).len(),
        )?;
        let question = client.request(queue.subject("coordinator"), "".into());
        if let Ok(Ok(answer)) = timeout(PATIENCE, question).await {
            let other = clean(&String::from_utf8_lossy(&answer.payload));
            bail!("this tournament has a coordinator already, {other}: stop that one first");
        }
        if options.recheck > 0 && !rehearsal::programs(session.spec).is_empty() {
            welcome.openings = openings(session);
        }
        queue.prepare().await?;
        // An earlier coordinator may have cut the deals otherwise.
        queue.clear().await?;
        for bundle in &archives {
            let put = queue.put(&bundle.sha256, &bundle.archive).await;
            put.context("the bots cannot be put on the queue's server")?;
        }
        let name = super::machine();
        let questions = client.subscribe(queue.subject("coordinator")).await?;
        tokio::spawn(answer_rivals(client.clone(), questions, name.clone()));
        let (epoch, excluded) = (arena_config::seed::draw()?.into(), ledger.excluded().iter());
        let excluded = excluded.map(|entry| entry.worker.clone()).collect();
        let pulse = Pulse {
            coordinator: name,
            epoch,
            excluded,
            ..Pulse::default()
        };
        // Nobody gets in without a name, so the server can keep each to a subject of its own.
        let proves_names = client.server_info().auth_required;
        let coordinator = Self {
            runtime,
            pulse,
            joins: client
                .queue_subscribe(format!("{}.*", queue::JOIN), "coordinators".into())
                .await?,
            statuses: client.subscribe(queue.subject("status.*")).await?,
            pulses: client.subscribe(queue::PULSES).await?,
            queue,
            welcome,
            archives,
            build,
            admits_other_builds: options.other_builds,
            unit_timeout: options.unit_timeout.map(Duration::from_secs),
            workers: Workers::default(),
            checks: Checks::new(options.recheck, session.spec.rounds()),
            proves_names,
            redelivered: 0,
            otherwise: BTreeMap::new(),
            is_met: false,
            share: Share::default(),
            pace: Pace::default(),
            shown: BTreeSet::new(),
            results: None,
            ticks: 0,
            patience: 0,
        };
        coordinator.pulse().await;
        Ok(coordinator)
    }

    /// Lets the workers go, and clears the queue unless something went wrong: then what is in it is still good.
    pub fn end(mut self, is_well: bool) {
        self.pulse.ends = true;
        self.runtime.block_on(async {
            self.pulse().await;
            if is_well {
                self.queue.remove().await;
            }
            connection::flush(&self.queue.client).await;
        });
        for (name, worker) in self.workers.all().take(MOST_LISTED) {
            let languages: String = worker
                .languages
                .iter()
                .map(|version| format!(", {version}"))
                .collect();
            let (checked, deals) = self.checks.count(Some(name));
            let checked = format!("{checked} of {deals} deals checked by others");
            status(format_args!(
                "worker     {}: {} matches, {checked}{languages}",
                clean(name),
                worker.matches
            ));
        }
        let ((checked, deals), skipped) = (self.checks.count(None), self.checks.skipped);
        let by: Vec<String> = self
            .checks
            .by
            .iter()
            .take(MOST_LISTED)
            .map(|name| clean(name))
            .collect();
        let how = match by.as_slice() {
            [] => ": no other worker played any of them again".into(),
            by => format!(", played again by {} with the same result", by.join(", ")),
        };
        let skipped = if skipped > 0 {
            format!("; {skipped} more were drawn and not checked")
        } else {
            String::new()
        };
        status(format_args!(
            "checked    {checked} of {deals} deals{how}{skipped}"
        ));
        if !self.proves_names {
            status(
                "names      not proved: the queue has no users, so anybody who reaches it can pose as any worker",
            );
        }
    }
}

impl Players for Coordinator {
    fn play_round(
        &mut self,
        ongoing: &mut Ongoing<'_>,
        meetings: &[Meeting],
    ) -> anyhow::Result<Round> {
        let runtime = Arc::clone(&self.runtime);
        let played = runtime.block_on(self.play(ongoing, meetings));
        if played.is_err() {
            // This may fail too, if it was the ledger that failed.
            let _ = self.take_back_unsettled(ongoing.ledger);
        }
        played
    }
}

/// The archives of all bots that are programs, and for each bot the hash of its archive if it has one.
fn pack_bots(session: &Session<'_>) -> anyhow::Result<(Vec<Option<String>>, Vec<Bundle>)> {
    let packed = bundle::of_spec(session.spec, &[session.dir])?;
    for (bot, bundle) in session.spec.bots.iter().zip(&packed) {
        if let Some(bundle) = bundle {
            status(format_args!(
                "travels    {}",
                clean(&bundle.summary(&bot.name))
            ));
            bundle
                .warnings
                .iter()
                .for_each(|warning| status(format_args!("warning: bot {}: {warning}", bot.name)));
        }
    }
    let hashes = packed
        .iter()
        .map(|bundle| bundle.as_ref().map(|bundle| bundle.sha256.clone()));
    Ok((hashes.collect(), packed.into_iter().flatten().collect()))
}

/// What bots answer in a rehearsal here. Where they cannot be started, workers are not compared with this machine.
fn openings(session: &Session<'_>) -> Openings {
    let found = tokio::task::block_in_place(|| rehearsal::openings(session.spec, &session.stop));
    let all = rehearsal::programs(session.spec).len();
    let known = found
        .as_ref()
        .map_or(0, |openings| openings.iter().flatten().count());
    let why = found
        .as_ref()
        .err()
        .map(|error| format!(" ({error:#})"))
        .unwrap_or_default();
    status(format_args!(
        "rehearsed  {known} of {all} programs gave the same answers twice here, and must do so on every worker{why}"
    ));
    found.unwrap_or_default()
}

/// What names a plan: all that its matches follow from.
fn plan(session: &Session<'_>, bundles: &[Option<String>], build: &Build) -> String {
    short_hash(message::encode(&(
        session.spec,
        bundles,
        &build.version,
        &build.rules,
    )))
}

/// Answers others that would coordinate the same tournament.
async fn answer_rivals(client: Client, mut questions: Subscriber, name: String) {
    while let Some(question) = questions.next().await {
        if let Some(reply) = question.reply {
            // A rival that gets no answer still receives the pulses.
            let _ = client.publish(reply, name.clone().into()).await;
        }
    }
}
