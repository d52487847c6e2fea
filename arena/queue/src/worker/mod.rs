//! The worker: waits for a tournament, gets its bots, and plays units until there are no more.

mod held;
mod serve;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use arena_config::diagnostic::UsageError;
use arena_runner::Stop;
use arena_runner::short_hash::short_hash;
use arena_runner::status::status;
use arena_sandbox::cores;
use arena_sandbox::executable;
use arena_session::cache::Cache;
use arena_session::stopping;
use arena_session::trust;
use arena_tournament::entrant::Bot;
use arena_tournament::printable::clean;
use arena_tournament::spec::{Local, Spec};
use async_nats::{Client, ConnectError};
use futures_util::StreamExt;
use tokio::time::{sleep, timeout};

use self::serve::Served;
use crate::build::Build;
use crate::bundle;
use crate::connection;
use crate::message::{Pulse, Tournament};
use crate::options::Working;
use crate::queue::{PULSES, Queue};

/// Interval between checks of the stop flag.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Works until it is stopped or, with `--once`, until a tournament has ended.
pub fn run(options: &Working) -> anyhow::Result<ExitCode> {
    let cores = cores::count();
    let jobs = options.jobs.unwrap_or(cores);
    if jobs == 0 || (jobs > cores && !options.oversubscribe) {
        let why = format!(
            "{jobs} jobs on {cores} cores: use 1 to {cores}, or more with --oversubscribe, where clocks are slower"
        );
        return Err(UsageError::one(why).into());
    }
    let stop = stopping::on_ctrl_c(
        "stopping: unfinished work is given back; press Ctrl-C again to stop at once",
    )?;
    let worker = Worker {
        options,
        name: options.name.clone().unwrap_or_else(super::machine),
        jobs,
        build: Build::this()?,
        stop,
    };
    super::runtime()?.block_on(worker.work())
}

struct Worker<'a> {
    options: &'a Working,
    name: String,
    jobs: usize,
    build: Build,
    stop: Arc<Stop>,
}

impl Worker<'_> {
    async fn work(&self) -> anyhow::Result<ExitCode> {
        let interrupted = ExitCode::from(stopping::INTERRUPTED);
        let Some(client) = self.connect().await? else {
            return Ok(interrupted);
        };
        let subject = format!("arena.worker.{}", short_hash(&self.name));
        if let Some(other) = connection::claim(&client, subject).await? {
            let name = clean(&self.name);
            bail!("another worker, {other}, is already named {name}: choose another --name");
        }
        status(format_args!(
            "worker {}: waiting for a tournament",
            clean(&self.name)
        ));
        // Tournaments that cannot be played here, each with the build of its coordinator.
        let mut refused = BTreeSet::new();
        while let Some((plan, pulse)) = self.next_tournament(&client, &refused).await? {
            let queue = Queue::new(client.clone(), &plan);
            match self.play(&queue, &pulse).await {
                Ok(Served::Ended) if self.options.once => return Ok(ExitCode::SUCCESS),
                Ok(Served::Ended | Served::Left) => {}
                Ok(Served::Stopped) => break,
                Err(why) if self.options.once => return Err(why),
                Err(why) => {
                    status(format_args!("{why:#}; waiting for another tournament"));
                    refused.insert((plan, pulse.build));
                }
            }
        }
        Ok(interrupted)
    }

    /// Waits for a tournament that has not been refused. Returns its plan, or `None` if the worker is stopped first.
    async fn next_tournament(
        &self,
        client: &Client,
        refused: &BTreeSet<(String, Build)>,
    ) -> anyhow::Result<Option<(String, Pulse)>> {
        let mut pulses = client.subscribe(PULSES).await?;
        while !self.stop.is_set() {
            let Ok(message) = timeout(CHECK_INTERVAL, pulses.next()).await else {
                continue;
            };
            let message = message.context("the connection to the queue is closed")?;
            let plan = message.subject.split('.').nth(1).unwrap_or_default();
            let Ok(pulse) = serde_json::from_slice::<Pulse>(&message.payload) else {
                continue;
            };
            let tournament = (plan.to_owned(), pulse.build.clone());
            if !pulse.ends && !refused.contains(&tournament) {
                return Ok(Some((tournament.0, pulse)));
            }
        }
        Ok(None)
    }

    /// Plays for a tournament until it ends.
    async fn play(&self, queue: &Queue, pulse: &Pulse) -> anyhow::Result<Served> {
        self.build.check(&pulse.build)?;
        let Some(tournament) = self.get(queue, &pulse.tournament).await else {
            return Ok(Served::Left);
        };
        let tournament: Tournament = serde_json::from_slice(&tournament)?;
        let name = clean(&tournament.spec.name);
        let served = async {
            match self.prepare(queue, tournament).await? {
                Some(spec) => serve::serve(self, queue, spec).await,
                None => Ok(Served::Left),
            }
        };
        let served = served.await;
        served.map_err(|why| anyhow!("the tournament {name} cannot be played here: {why:#}"))
    }

    /// Connects as soon as a server is available.
    async fn connect(&self) -> anyhow::Result<Option<Client>> {
        let mut attempts = 0;
        loop {
            match connection::connect(&self.options.server, "worker", &self.name).await {
                Err(error)
                    if error
                        .downcast_ref::<ConnectError>()
                        .is_some_and(connection::is_absent) =>
                {
                    if attempts == 0 {
                        status(format_args!("{error:#}; trying again"));
                    }
                }
                connected => return connected.map(Some),
            }
            attempts += 1;
            let began = Instant::now();
            while began.elapsed() < connection::pause(attempts) {
                if self.stop.is_set() {
                    return Ok(None);
                }
                sleep(CHECK_INTERVAL).await;
            }
        }
    }

    /// Returns an object of the queue. If the server has lost it, the coordinator stores it again.
    async fn get(&self, queue: &Queue, name: &str) -> Option<Vec<u8>> {
        let got = queue.get(name).await;
        if got.is_err() {
            sleep(CHECK_INTERVAL).await;
        }
        got.ok()
    }

    /// Prepares to play a tournament on this machine, with the bots from the cache and this machine's number of jobs. Returns `None` if the
    /// queue does not have the bots yet.
    async fn prepare(&self, queue: &Queue, tournament: Tournament) -> anyhow::Result<Option<Spec>> {
        let mut spec = tournament.spec;
        for (bot, bundle) in spec.bots.iter_mut().zip(&tournament.bundles) {
            let (Bot::Program(program), Some(bundle)) = (&mut bot.bot, bundle) else {
                continue;
            };
            if !bundle::is_here(&bundle.sha256)? {
                let Some(archive) = self.get(queue, &bundle.sha256).await else {
                    return Ok(None);
                };
                bundle::unpack(&archive, &bundle.sha256)
                    .with_context(|| format!("bot {}", clean(&bot.name)))?;
            }
            bundle::relocate(program, bundle)?;
            executable::find(program).map_err(|why| anyhow!("bot {}: {why}", clean(&bot.name)))?;
        }
        if !self.options.trust {
            trust::check(&spec, Cache::open()?.folder())?;
        }
        spec.local = Local {
            jobs: self.jobs,
            oversubscribe: self.options.oversubscribe,
            as_root: self.options.as_root,
            in_place: true,
            ..Local::default()
        };
        Ok(Some(spec))
    }
}
