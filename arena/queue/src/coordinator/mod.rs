//! The coordinator: publishes the units of a tournament, and saves the results of the workers.

mod pace;
mod round;
mod units;
mod workers;

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Context, bail};
use arena_config::diagnostic::UsageError;
use arena_runner::short_hash::short_hash;
use arena_session::session::Session;
use arena_session::sha256;
use arena_session::{Ongoing, Players, sandbox};
use arena_tournament::field::Meeting;
use arena_tournament::printable::clean;
use async_nats::Subscriber;
use async_nats::jetstream::consumer::pull;
use tokio::runtime::Runtime;

use self::pace::Pace;
use self::workers::Workers;
use crate::build::Build;
use crate::bundle;
use crate::connection;
use crate::message::{self, Pulse, Tournament};
use crate::options::Server;
use crate::queue::Queue;

/// Minimum number of bytes of a bot that must fit into a message.
const MIN_ROOM: usize = 1_024;

/// Plays on other machines through a queue.
pub struct Coordinator {
    runtime: Arc<Runtime>,
    pulse: Pulse,
    queue: Queue,
    /// Tournament and bots, by their SHA-256.
    objects: Vec<(String, Vec<u8>)>,
    workers: Workers,
    pace: Pace,
    /// Lines that have been shown, so that each is shown only once.
    shown: BTreeSet<String>,
    statuses: Subscriber,
    results: Option<pull::Stream>,
    ticks: u32,
    /// Number of consecutive comparisons with the streams in which all workers were idle although units were open.
    idle: u32,
}

impl Coordinator {
    /// Starts to coordinate a tournament: packs its bots, and ensures that it has no other coordinator.
    pub fn new(server: &Server, session: &Session<'_>) -> anyhow::Result<Self> {
        let runtime = Arc::new(super::runtime()?);
        runtime.block_on(Self::open(Arc::clone(&runtime), server, session))
    }

    async fn open(
        runtime: Arc<Runtime>,
        server: &Server,
        session: &Session<'_>,
    ) -> anyhow::Result<Self> {
        let build = Build::this()?;
        // The plan is identified by everything that determines the matches.
        let plan = short_hash(message::encode(&(session.spec, &build.version)));
        let objects = objects(session)?;
        let client = connection::connect(server, "coordinator", "arena coordinator").await?;
        let queue = Queue::new(client.clone(), &plan);
        if let Some(other) = connection::claim(&client, queue.subject("coordinator")).await? {
            bail!("this tournament already has a coordinator, {other}: stop it first");
        }
        queue.ensure_fits("a part of a bot", MIN_ROOM)?;
        queue.prepare().await?;
        // An earlier coordinator may have divided the deals differently.
        queue.clear().await?;
        let coordinator = Self {
            runtime,
            pulse: Pulse {
                build,
                tournament: objects
                    .last()
                    .map(|(sha256, _)| sha256.clone())
                    .unwrap_or_default(),
                ends: false,
            },
            objects,
            workers: Workers::default(),
            pace: Pace::default(),
            shown: BTreeSet::new(),
            statuses: client.subscribe(queue.subject("status")).await?,
            results: None,
            ticks: 0,
            idle: 0,
            queue,
        };
        coordinator.put_objects().await?;
        coordinator.pulse().await;
        Ok(coordinator)
    }

    /// Dismisses the workers, and clears the queue. After an error, the queue is not cleared, because its content is still useful.
    pub fn end(mut self, is_well: bool) {
        self.pulse.ends = true;
        self.runtime.block_on(async {
            self.pulse().await;
            if is_well {
                self.queue.remove().await;
            }
            connection::flush(&self.queue.client).await;
        });
    }

    /// Stores the tournament and its bots on the server, unless they exist already.
    async fn put_objects(&self) -> anyhow::Result<()> {
        for (name, bytes) in &self.objects {
            let put = self.queue.put(name, bytes).await;
            put.context("the bots cannot be put on the queue's server")?;
        }
        Ok(())
    }

    /// Sends a heartbeat.
    async fn pulse(&self) {
        self.queue.send("pulse", &self.pulse).await;
    }
}

impl Players for Coordinator {
    fn play_round(
        &mut self,
        ongoing: &mut Ongoing<'_>,
        meetings: &[Meeting],
    ) -> anyhow::Result<()> {
        let runtime = Arc::clone(&self.runtime);
        runtime.block_on(self.play(ongoing, meetings))
    }
}

/// Packs the bots and the description of a tournament, each under its SHA-256; the description is last.
fn objects(session: &Session<'_>) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let spec = session.spec;
    let mut bundles = Vec::new();
    let mut objects = Vec::new();
    for (bot, copied) in spec.bots.iter().zip(sandbox::copies(spec, session.dir)?) {
        let packed = copied.map(bundle::pack).transpose().map_err(|why| {
            UsageError::one(format!(
                "bot {} cannot be sent to workers: {why:#}",
                clean(&bot.name)
            ))
        })?;
        bundles.push(packed.as_ref().map(|(bundle, _)| bundle.clone()));
        objects.extend(packed.map(|(bundle, archive)| (bundle.sha256, archive)));
    }
    let tournament = Tournament {
        spec: spec.clone(),
        bundles,
    };
    let tournament = message::encode(&tournament);
    objects.push((sha256::of_reader(tournament.as_slice())?, tournament));
    Ok(objects)
}
