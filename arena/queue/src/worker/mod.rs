//! A worker: offers to play, gets a tournament and its bots, and plays units until there are no more.

mod held;
mod languages;
mod offer;
mod serve;
mod transfer;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arena_tournament::entrant::Bot;
use arena_tournament::printable::clean;
use arena_tournament::spec::{Local, Spec};
use async_nats::{Client, ConnectError};
use futures_util::StreamExt;
use tokio::time::{sleep, timeout};

use self::serve::Served;
use super::bundle::{self, Unpacked};
use super::connection;
use super::message::{self, Answer, Hello, Pulse, Welcome};
use super::queue::{JOIN, Queue};
use crate::options::Working;
use arena_config::trust;
use arena_runner::Stop;
use arena_runner::status::status;
use arena_session::stopping;

/// How long a coordinator may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait for a bot that is not on the server.
const FETCHING: Duration = Duration::from_secs(60);

/// The pause of a loop that checks whether the worker is to stop.
const CHECK: Duration = Duration::from_millis(100);
/// The pause of a worker whose bots do not start or answer otherwise.
const ASIDE: Duration = Duration::from_secs(60);
/// The number of attempts after which pauses grow no longer.
const MOST_PAUSES: usize = 4;

/// Works until it is stopped, or with `--once` until a tournament has ended.
pub fn run(options: &Working) -> anyhow::Result<ExitCode> {
    let stop = stopping::on_ctrl_c(
        "stopping: unfinished work is given back; press Ctrl-C again to stop at once",
    )?;
    let hello = offer::measure(options)?;
    let cache = cache(options)?;
    let worker = Worker {
        options,
        hello,
        cache,
        stop,
    };
    super::runtime()?.block_on(worker.work())
}

/// Where bots are kept.
fn cache(options: &Working) -> anyhow::Result<PathBuf> {
    let of_user = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let of_user = of_user.or_else(|| std::env::home_dir().map(|home| home.join(".cache")));
    let cache = options.cache.clone().unwrap_or_else(|| {
        of_user
            .unwrap_or_else(std::env::temp_dir)
            .join("coda-arena/bots")
    });
    bundle::private(&cache)
        .with_context(|| format!("cannot make the folder {}", cache.display()))?;
    std::path::absolute(&cache).with_context(|| cache.display().to_string())
}

struct Worker<'a> {
    options: &'a Working,
    hello: Hello,
    cache: PathBuf,
    stop: Arc<Stop>,
}

impl Worker<'_> {
    async fn work(&self) -> anyhow::Result<ExitCode> {
        let Some(client) = self.connect().await? else {
            return Ok(ExitCode::from(stopping::INTERRUPTED));
        };
        status(format_args!(
            "worker {}: waiting for a tournament",
            clean(&self.hello.worker)
        ));
        // The tournaments that this worker left to others.
        let mut lent: Vec<Queue> = Vec::new();
        while let Some(welcome) = self.join(&client).await? {
            let spec = &welcome.spec;
            status(format_args!(
                "playing {} ({}, {} bots)",
                clean(&spec.name),
                spec.plan.game,
                spec.bots.len()
            ));
            let queue = Queue::new(client.clone(), &welcome.plan);
            let served = match self.ready(&queue, &welcome).await {
                Ok(Some((spec, _in_use))) => {
                    serve::serve(self, &queue, spec, welcome.openings).await?
                }
                Ok(None) if self.options.once => {
                    bail!("the bots of {} cannot be fetched", clean(&spec.name))
                }
                Ok(None) => continue,
                Err(error) => bail!(
                    "the tournament {} cannot be played here: {error:#}",
                    clean(&spec.name)
                ),
            };
            match served {
                Served::Ended if self.options.once && !goes_on(&mut lent).await => {
                    return Ok(ExitCode::SUCCESS);
                }
                Served::Ended => {}
                Served::Released => {
                    status("leaving this tournament for another one, which has fewer workers");
                    lent.retain(|other| other.subject("") != queue.subject(""));
                    lent.push(queue);
                }
                Served::Refused => {
                    status("another coordinator has taken over, and does not accept this worker");
                }
                Served::Excluded => {
                    bail!("the coordinator excluded this worker: its results failed verification")
                }
                Served::StandsAside(failure) if self.options.once => {
                    bail!("this worker stands aside: {}", failure.why)
                }
                Served::StandsAside(failure) => {
                    let why = failure.why;
                    status(format_args!(
                        "standing aside: {why}; trying again in {} s",
                        ASIDE.as_secs()
                    ));
                    self.rest(ASIDE).await;
                }
                Served::Stopped => break,
            }
        }
        Ok(ExitCode::from(stopping::INTERRUPTED))
    }

    /// Tries until it succeeds, with pauses; none if the worker is stopped before.
    async fn retry<T>(
        &self,
        mut attempt: impl AsyncFnMut() -> anyhow::Result<Option<T>>,
    ) -> anyhow::Result<Option<T>> {
        let (mut attempts, mut next) = (0, Instant::now());
        while !self.stop.is_set() {
            if Instant::now() >= next {
                if let Some(done) = attempt().await? {
                    return Ok(Some(done));
                }
                attempts += 1;
                next = Instant::now() + connection::pause(attempts.min(MOST_PAUSES));
            }
            sleep(CHECK).await;
        }
        Ok(None)
    }

    /// Waits, unless the worker is stopped.
    async fn rest(&self, pause: Duration) {
        let began = Instant::now();
        while began.elapsed() < pause && !self.stop.is_set() {
            sleep(CHECK).await;
        }
    }

    /// Connects, as soon as there is a server.
    async fn connect(&self) -> anyhow::Result<Option<Client>> {
        let (mut is_first, role) = (true, format!("worker.{}", self.hello.worker));
        let connect =
            async || match connection::connect(&self.options.server, &role, &self.hello.worker)
                .await
            {
                Ok(client) => Ok(Some(client)),
                Err(error)
                    if error
                        .downcast_ref::<ConnectError>()
                        .is_some_and(connection::is_absent) =>
                {
                    if std::mem::take(&mut is_first) {
                        status(format_args!("{error:#}; trying again"));
                    }
                    Ok(None)
                }
                Err(error) => Err(error),
            };
        self.retry(connect).await
    }

    /// Offers to play until a coordinator admits it.
    async fn join(&self, client: &Client) -> anyhow::Result<Option<Welcome>> {
        let (mut refused, subject) = (None, format!("{JOIN}.{}", self.hello.worker));
        let offer = async || {
            let answer = timeout(
                PATIENCE,
                client.request(subject.clone(), message::encode(&self.hello).into()),
            )
            .await;
            let Ok(Ok(answer)) = answer else {
                return Ok(None);
            };
            let answer = serde_json::from_slice(&answer.payload);
            match answer.context(
                "the coordinator is of another version, which this worker does not understand",
            )? {
                Answer::Welcome(welcome) => return Ok(Some(*welcome)),
                Answer::Refused(why) if self.options.once => {
                    bail!("the coordinator refuses this worker: {}", clean(&why))
                }
                Answer::Refused(why) | Answer::NotNow(why) if refused.as_ref() != Some(&why) => {
                    status(format_args!(
                        "the coordinator refuses this worker: {}; offering again",
                        clean(&why)
                    ));
                    refused = Some(why);
                }
                _ => {}
            }
            Ok(None)
        };
        self.retry(offer).await
    }

    /// The tournament as it is played here: with bots from the cache, and this machine's jobs.
    /// None if the bots cannot be fetched, such as when the tournament has ended meanwhile.
    async fn ready(
        &self,
        queue: &Queue,
        welcome: &Welcome,
    ) -> anyhow::Result<Option<(Spec, Vec<Unpacked>)>> {
        let (mut spec, mut in_use) = (welcome.spec.clone(), Vec::new());
        for (bot, sha256) in spec.bots.iter_mut().zip(&welcome.bundles) {
            if let (Bot::Program(program), Some(sha256)) = (&mut bot.bot, sha256) {
                let unpacked = self
                    .fetch(queue, sha256)
                    .await
                    .with_context(|| format!("bot {}", clean(&bot.name)))?;
                let Some(unpacked) = unpacked else {
                    return Ok(None);
                };
                *program = unpacked.program.clone();
                in_use.push(unpacked);
            }
        }
        let Working {
            oversubscribe,
            as_root,
            trust,
            ..
        } = *self.options;
        if !trust {
            trust::check(&spec, &self.cache)?;
        }
        spec.local = Local {
            jobs: self.hello.jobs,
            oversubscribe,
            as_root,
            in_place: true,
            ..Local::default()
        };
        Ok(Some((spec, in_use)))
    }

    /// A bot, from the cache or from the queue.
    async fn fetch(&self, queue: &Queue, sha256: &str) -> anyhow::Result<Option<Unpacked>> {
        if let Some(unpacked) = bundle::cached(&self.cache, sha256)? {
            return Ok(Some(unpacked));
        }
        let began = Instant::now();
        let fetch = async || match queue.get(sha256).await {
            Ok(archive) => Ok(Some(Some(archive))),
            Err(error) if began.elapsed() > FETCHING => {
                status(format_args!("a bot cannot be fetched: {error:#}"));
                Ok(Some(None))
            }
            // A coordinator puts it there again if the server has lost it.
            Err(_) => Ok(None),
        };
        let archive = self.retry(fetch).await?.flatten();
        archive
            .map(|archive| bundle::unpack(&archive, &self.cache, sha256, &bundle::LIMITS))
            .transpose()
    }
}

/// True if one of these tournaments still wants workers; forgets those that have ended.
async fn goes_on(lent: &mut Vec<Queue>) -> bool {
    while let Some(queue) = lent.last() {
        let pulse = async {
            queue
                .client
                .subscribe(queue.subject("pulse"))
                .await
                .ok()?
                .next()
                .await
        };
        let pulse = timeout(PATIENCE, pulse).await.ok().flatten();
        let pulse = pulse.and_then(|pulse| serde_json::from_slice::<Pulse>(&pulse.payload).ok());
        if pulse.is_some_and(|pulse| !pulse.ends) {
            return true;
        }
        lent.pop();
    }
    false
}
