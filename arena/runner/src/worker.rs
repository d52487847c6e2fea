//! Matches with programs: each worker is a thread with its own runtime, and keeps the bots it started from match to match. It plays
//! those of built-in bots alone as they come, so that all bots have about the same number of matches at any time, but never while
//! a program has a match with it, which would wait.

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

use super::clock::{VOIDS, Void};
use super::gate::{Gate, Gates};
use super::in_process;
use super::play_match;
use super::pool::ProcessPool;
use super::run::{Finished, Run, Unplayed};
use arena_sandbox::{cores, lock};
use arena_tournament::schedule::Planned;

/// The most matches that one worker plays at the same time, where its bots can.
const AT_ONCE: usize = 256;
/// The most matches of built-in bots that wait until it plays none of these.
const AFTER: usize = 64;
/// The pause before a match is played again, for each time that it was void.
const PAUSE: Duration = Duration::from_millis(200);

/// Where workers get matches from.
pub trait Source: Sync {
    /// The next match; none if there will be no other. May wait for one.
    fn next(&self) -> Option<Planned>;
    /// The next match, if there is one now.
    fn next_now(&self) -> Option<Planned>;
}

/// A list of matches.
impl<I: Iterator<Item = Planned> + Send> Source for Mutex<I> {
    fn next(&self) -> Option<Planned> {
        lock(self).next()
    }

    fn next_now(&self) -> Option<Planned> {
        self.next()
    }
}

/// Plays matches as they come with `jobs` workers.
pub fn play_from(
    run: Run<'_>,
    dealer: &dyn Dealer,
    source: &dyn Source,
    finished: &SyncSender<Finished>,
) -> anyhow::Result<()> {
    let mut jobs = run.spec.local.jobs;
    if (0..run.spec.bots.len()).all(|bot| run.is_builtin(bot)) {
        // More would only get in each other's way.
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
                let gate = gates.of(number);
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

/// Plays one match here and now with bots that are started for it, in their order by seat.
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

/// What a worker runs on: one thread, with timers and processes.
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
    /// How many matches this worker has begun, which numbers them on the wire.
    matches: Cell<u64>,
}

impl Worker<'_> {
    /// Plays one match after the other until there are no more; those whose bots can play several at once, together.
    async fn play(&self, source: &dyn Source) -> anyhow::Result<()> {
        let mut waiting = VecDeque::new();
        while let Some(planned) = self.next(&mut waiting, || source.next()) {
            if self.is_builtin(&planned) {
                let played = in_process::play_match(self.run, self.dealer, &planned)?;
                self.finished
                    .send(played)
                    .context("the results are not taken any more")?;
            } else if self.pool.has_room(&planned) {
                waiting.push_front(planned);
                self.together(&mut waiting, source).await?;
            } else {
                self.one(planned).await?;
            }
        }
        Ok(())
    }

    /// Many matches at once, as long as their bots have room for them. Those of built-in bots alone come after these.
    async fn together(
        &self,
        waiting: &mut VecDeque<Planned>,
        source: &dyn Source,
    ) -> anyhow::Result<()> {
        let (mut playing, mut after) = (FuturesUnordered::new(), VecDeque::new());
        loop {
            while playing.len() < AT_ONCE
                && after.len() < AFTER
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
                // Let it take its seats, so that the next one sees how much room is left.
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

    /// One match, played again if it is void, and sent on.
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
                Err(Unplayed::Arena(error)) => return Err(error),
                Err(Unplayed::Void(void)) => voids.push(void),
                Err(Unplayed::Paused(paused)) => {
                    self.run.stop.stop();
                    break Finished::Paused(paused);
                }
            }
            match voids.last() {
                Some(void) if voids.len() > VOIDS => {
                    break self.run.unplayed(&planned, void.why.clone());
                }
                // What stood in the way may pass.
                _ => sleep(PAUSE * voids.len() as u32).await,
            }
        };
        let mut all = self
            .pool
            .given_up()
            .into_iter()
            .map(Finished::GivenUp)
            .chain([finished]);
        all.try_for_each(|one| self.finished.send(one))
            .context("the results are not taken any more")
    }

    /// A mistake of the arena's own costs no bot anything; where the processes in that match stand nobody knows.
    fn panicked<T>(&self, panic: &(dyn Any + Send)) -> Result<T, Unplayed> {
        self.pool.retire_all();
        Err(Void::of(format!(
            "this is a bug in the arena, please report it: {}",
            player::panic_message(panic)
        ))
        .into())
    }
}
