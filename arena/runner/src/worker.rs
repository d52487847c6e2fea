//! Workers. Each is a thread with its own runtime, and keeps its bots running from match to match.
//!
//! Matches between built-in bots are interleaved with others, so that at any time all bots have played about equally many. While a match
//! with a program is open on the same worker, they are postponed, because the program would have to wait for them.

use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use arena_engine::player;
use arena_engine::table::Dealer;
use arena_tournament::played::Played;
use futures_util::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::runtime::{self, Runtime};
use tokio::time::sleep;

use super::clock::{MAX_VOIDS, Void};
use super::gate::{Gate, Gates};
use super::in_process;
use super::play_match;
use super::pool::ProcessPool;
use super::run::{Finished, Run, Unplayed};
use arena_sandbox::{cores, lock};
use arena_tournament::schedule::Planned;

/// Maximum number of concurrent matches per worker, if its bots allow it.
const MAX_CONCURRENT: usize = 256;
/// Maximum number of postponed matches between built-in bots.
const MAX_POSTPONED: usize = 64;
/// Delay before a void match is retried, multiplied by the number of attempts.
const RETRY_DELAY: Duration = Duration::from_millis(200);

/// Source of a worker's matches.
pub trait Source: Sync {
    /// Returns the next match, waiting if necessary; `None` at the end.
    fn next(&self) -> Option<Planned>;
    /// Returns the next match if one is available now.
    fn next_now(&self) -> Option<Planned>;
}

/// Makes a list of matches a source.
impl<I: Iterator<Item = Planned> + Send> Source for Mutex<I> {
    fn next(&self) -> Option<Planned> {
        lock(self).next()
    }

    fn next_now(&self) -> Option<Planned> {
        self.next()
    }
}

/// Plays matches as they arrive with `jobs` workers.
pub fn play_from(
    run: Run<'_>,
    dealer: &dyn Dealer,
    source: &dyn Source,
    finished: &SyncSender<Finished>,
) -> anyhow::Result<()> {
    let mut jobs = run.spec.local.jobs;
    if (0..run.spec.bots.len()).all(|bot| run.is_builtin(bot)) {
        // More workers than cores would only compete for the cores.
        jobs = jobs.min(cores::count());
    }
    let gates = if run.spec.local.pin {
        Gates::pinned(jobs)
    } else {
        Gates::shared()
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs)
            .map(|number| {
                let finished = finished.clone();
                let gate = gates.gate(number);
                scope.spawn(move || {
                    gate.core.into_iter().for_each(cores::stay_on);
                    let matches = Cell::new(0);
                    let worker = Worker {
                        run,
                        dealer,
                        pool: ProcessPool::new(run, gate),
                        finished,
                        matches,
                    };
                    runtime()?.block_on(async {
                        let done = worker.play(source).await;
                        worker.pool.quit().await;
                        done
                    })
                })
            })
            .collect();
        let ended = workers.into_iter().map(|worker| {
            worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        ended.collect()
    })
}

/// Plays one match on this thread with bots started for it, in seat order.
pub fn play_one(run: Run<'_>) -> anyhow::Result<Played> {
    let dealer = run.dealer()?;
    let planned = Planned {
        deal: 1,
        seats: (0..run.spec.plan.seats).collect(),
    };
    runtime()?.block_on(async {
        let pool = ProcessPool::new(run, Gate::shared());
        let running = play_match::play(run, &*dealer, &planned, 1, &pool).await;
        pool.quit().await;
        let running = running.map_err(|unplayed| anyhow::anyhow!("{unplayed}"))?;
        Ok(running.finish())
    })
}

/// Creates a worker's runtime: one thread, with timers and processes.
pub fn runtime() -> anyhow::Result<Runtime> {
    runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a worker")
}

struct Worker<'a> {
    run: Run<'a>,
    dealer: &'a dyn Dealer,
    pool: ProcessPool<'a>,
    finished: SyncSender<Finished>,
    /// Number of matches this worker has begun, used as the number on the wire.
    matches: Cell<u64>,
}

impl Worker<'_> {
    /// Plays matches until there are no more, concurrently if the bots allow it.
    async fn play(&self, source: &dyn Source) -> anyhow::Result<()> {
        let mut waiting = VecDeque::new();
        while let Some(planned) = self.next(&mut waiting, || source.next()) {
            if self.is_builtin(&planned) {
                let played = in_process::play_match(self.run, self.dealer, &planned);
                let played = played.with_context(|| self.run.title(&planned))?;
                self.finished
                    .send(played)
                    .context("the result channel is closed")?;
            } else if self.pool.has_room(&planned) {
                waiting.push_front(planned);
                self.together(&mut waiting, source).await?;
            } else {
                self.one(planned).await?;
            }
        }
        Ok(())
    }

    /// Plays matches concurrently as long as their bots have room. Matches between built-in bots are postponed.
    async fn together(
        &self,
        waiting: &mut VecDeque<Planned>,
        source: &dyn Source,
    ) -> anyhow::Result<()> {
        let (mut playing, mut after) = (FuturesUnordered::new(), VecDeque::new());
        loop {
            while playing.len() < MAX_CONCURRENT
                && after.len() < MAX_POSTPONED
                && let Some(planned) = self.next(waiting, || source.next_now())
            {
                if self.is_builtin(&planned) {
                    after.push_back(planned);
                    continue;
                }
                if !self.pool.has_room(&planned) {
                    waiting.push_front(planned);
                    break;
                }
                playing.push(self.one(planned));
                // Let the match take its seats first. The room for the next match is known only then.
                if let Some(done) = futures_util::future::poll_immediate(playing.next())
                    .await
                    .flatten()
                {
                    done?;
                }
            }
            match playing.next().await {
                Some(done) => done?,
                None => {
                    after.append(waiting);
                    *waiting = after;
                    return Ok(());
                }
            }
        }
    }

    fn is_builtin(&self, planned: &Planned) -> bool {
        planned.seats.iter().all(|bot| self.run.is_builtin(*bot))
    }

    fn next(
        &self,
        waiting: &mut VecDeque<Planned>,
        more: impl FnOnce() -> Option<Planned>,
    ) -> Option<Planned> {
        if self.run.stop.is_set() {
            None
        } else {
            waiting.pop_front().or_else(more)
        }
    }

    /// Plays one match, repeating it while it is void, and sends the result.
    async fn one(&self, planned: Planned) -> anyhow::Result<()> {
        let mut voids = Vec::new();
        let finished = loop {
            self.matches.set(self.matches.get() + 1);
            let play = play_match::play(
                self.run,
                self.dealer,
                &planned,
                self.matches.get(),
                &self.pool,
            );
            match AssertUnwindSafe(play)
                .catch_unwind()
                .await
                .unwrap_or_else(|panic| self.panicked(&*panic))
            {
                Ok(mut running) => {
                    running.voids = voids;
                    break Finished::Played(Box::new(running.finish()));
                }
                Err(Unplayed::Arena(error)) => return Err(error.context(self.run.title(&planned))),
                Err(Unplayed::Void(void)) => voids.push(void),
                Err(Unplayed::Paused(paused)) => {
                    self.run.stop.stop();
                    break Finished::Paused(paused);
                }
            }
            match voids.last() {
                Some(void) if voids.len() > MAX_VOIDS => {
                    break self.run.unplayed(&planned, void.why.clone());
                }
                // The cause may be transient: back off.
                _ => sleep(RETRY_DELAY * voids.len() as u32).await,
            }
        };
        let mut all = self
            .pool
            .given_up()
            .into_iter()
            .map(Finished::GivenUp)
            .chain([finished]);
        all.try_for_each(|one| self.finished.send(one))
            .context("the result channel is closed")
    }

    /// Handles a panic in the arena, for which no bot is to blame. The processes of the match are retired, because their state is unknown.
    fn panicked<T>(&self, panic: &(dyn Any + Send)) -> Result<T, Unplayed> {
        self.pool.retire_all();
        Err(Void::new(format!(
            "this is a bug in the arena, please report it: {}",
            player::panic_message(panic)
        ))
        .into())
    }
}
