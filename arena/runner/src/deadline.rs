//! The one deadline: how long a bot may take, less what a busy machine kept it from computing.
//!
//! What is charged at the limit is the time that has passed, less what the bot's threads have waited for a core; or what its
//! processes have computed, if that is more. It cannot have waited for others while its cores were idle or its own, and no wait
//! is credited for time in which it may have computed unseen (`Sampler`). That it was stopped is its own affair, since it can have
//! itself stopped in many ways. The kernel books a wait when it is over, so while a thread is runnable nothing is decided until
//! it has run or sleeps, unless no wait could save the bot: only then is the time of the sample judged. A bot that is charged
//! less than the limit keeps the rest.

use std::collections::HashMap;
use std::fs;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

pub use arena_tournament::played::Void;
use futures_util::future::{Either, poll_immediate, select};
#[cfg(target_os = "linux")]
use nix::time::ClockId;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};

use super::alarm::Alarm;
use crate::units::millis;
use arena_sandbox::cores;
use arena_sandbox::{Meter, Reading, Sampler, State, Thread, Totals, Usage, Watchlist};

/// Quicker answers are charged what the clock shows.
pub const QUICK: Duration = Duration::from_millis(2);
/// The part of a limit by which a turn may begin with an older reading; what that charges too much is forgiven.
const RECENT: u32 = 40;
/// The number of runnable threads, for each core, with which a bot could have delayed the first sample itself.
const CROWD: usize = 8;
/// The number of samples at random moments of a turn that lasts as long as its limit, where no control group counts.
const SAMPLES: u32 = 24;
/// The least time between these on average.
const LEAST_PACE: Duration = Duration::from_millis(5);
/// The part of a limit that is forgiven to an answer that comes after it, since clocks of processes are not exact...
const TOLERANCE: u32 = 20;
/// ...and the most of it.
const MOST_TOLERANCE: Duration = Duration::from_millis(5);
/// The times between samples while a thread is runnable; the last repeats.
const STEPS: [Duration; 3] = [
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(20),
];
/// The number of times its limit a turn may last on a machine that does not let the bot compute; then the match is void.
const PATIENCE: u32 = 20;
/// The least time that a turn may last on such a machine.
const LEAST_PATIENCE: Duration = Duration::from_secs(5);
/// How often a match may be void before it is given up.
pub const VOIDS: usize = 3;
/// The time for which a machine must have been suspended to say so.
const SUSPENDED: Duration = Duration::from_millis(100);

/// Why an answer is not awaited any longer.
#[derive(Debug, PartialEq, Eq)]
pub enum Expired {
    /// The bot's time is over.
    Late {
        /// It computed for most of the time that the machine left it.
        computing: bool,
        /// What all its processes computed, as far as is known.
        computed: Duration,
    },
    /// The bot did not have its time.
    Void(Void),
}

/// A bot whose time is measured.
pub struct Watched<'a> {
    /// Its processes.
    pub meter: &'a Arc<Meter>,
    /// The cores that it may use at the same time.
    pub cores: &'a [usize],
    /// Others, who are not to compute while it has its turn.
    pub others: &'a Watchlist,
    /// What ends the wait for a quick answer, if no other turn of the process can be open.
    pub alarm: Option<&'a Alarm>,
}

/// The time of an answer that was not quick.
#[derive(Clone, Copy, Debug)]
pub struct Charge {
    /// What the bot is charged.
    pub time: Duration,
    /// What all its processes computed, as far as is known.
    pub computed: Duration,
}

/// Waits for an answer until the time of the bot, which began some time ago, is over. Returns it with what the bot is charged,
/// unless that is all the time that passed.
pub async fn within<T>(
    began: Instant,
    limit: Option<Duration>,
    bot: &Watched<'_>,
    answer: impl Future<Output = T>,
) -> Result<(T, Option<Charge>), Expired> {
    let (mut answer, asleep) = (pin!(answer), suspended());
    let Some(limit) = limit else {
        return Ok((answer.await, None));
    };
    let counted_first = bot.meter.read_recent((limit / RECENT).min(QUICK));
    let first_sample = began + QUICK.min(limit / 4);
    let quick = match bot.alarm {
        Some(alarm) => match select(&mut answer, pin!(alarm.pass(first_sample))).await {
            Either::Left((answer, _)) => Some(answer),
            Either::Right(_) => None,
        },
        None => timeout_at(first_sample, &mut answer).await.ok(),
    };
    if let Some(answer) = quick {
        return Ok((answer, None));
    }
    let measurement = Measurement::new(bot, counted_first, began, limit)?;
    // In a box, since quick answers would have to carry it about.
    let (answer, charged) = Box::pin(judged(measurement, asleep, answer)).await?;
    Ok((answer, Some(charged)))
}

/// Waits for an answer that is not quick.
async fn judged<T>(
    mut measurement: Measurement<'_>,
    asleep: Duration,
    mut answer: Pin<&mut impl Future<Output = T>>,
) -> Result<(T, Charge), Expired> {
    let mut until = measurement.began + measurement.limit;
    loop {
        let mut answered = timeout_at(until, &mut answer).await.ok();
        if answered.is_none() {
            measurement.bot.others.check();
        }
        measurement.absent = until.elapsed();
        let sample = measurement.sample();
        if answered.is_none() {
            // What the bot wrote before it fell asleep counts; the runtime must be let go on to notice it.
            yield_now().await;
            answered = poll_immediate(&mut answer).await;
        }
        let slept = suspended().saturating_sub(asleep);
        match answered {
            Some(answer) => return measurement.accept(&sample).map(|charged| (answer, charged)),
            None if slept > SUSPENDED => {
                let why = format!(
                    "the machine was suspended for {} ms meanwhile",
                    millis(slept)
                );
                return Err(Expired::Void(Void::of(why)));
            }
            None => until = measurement.judge(&sample)?,
        }
    }
}

/// The time of a turn, sample by sample.
struct Measurement<'a> {
    bot: &'a Watched<'a>,
    began: Instant,
    limit: Duration,
    /// What all processes had computed when the turn began, if a control group counts that.
    counted_first: Option<Reading>,
    /// What samples them otherwise, since the first sample.
    sampler: Option<Sampler>,
    /// What the threads had waited.
    threads_first: HashMap<u32, Usage>,
    /// How long the arena had waited for a core at the last sample.
    own_wait: Duration,
    /// How long its cores had been idle.
    idle_first: Option<Duration>,
    /// The threads as they were last, with those that have ended since.
    threads: HashMap<u32, Usage>,
    /// The delay of the first sample, in which waits may have been booked that nobody saw.
    unseen: Duration,
    /// The time for which the arena did not listen before the last sample.
    absent: Duration,
    pending: Option<Pending>,
}

/// A sample that cannot be judged yet.
struct Pending {
    elapsed: Duration,
    /// The threads that were runnable then and have not been seen to run or sleep since.
    runnable: HashMap<u32, Usage>,
    steps: usize,
}

/// All threads at one moment.
struct Sample {
    elapsed: Duration,
    /// What was computed since the first sample, divided among the cores.
    computed: Duration,
    /// The same, undivided.
    computed_in_all: Duration,
    waited: Duration,
    /// The most for which others can have kept the bot waiting.
    kept: Duration,
    threads: Vec<Thread>,
}

impl<'a> Measurement<'a> {
    fn new(
        bot: &'a Watched<'a>,
        counted_first: Option<Reading>,
        began: Instant,
        limit: Duration,
    ) -> Result<Self, Expired> {
        let is_sampled = cfg!(target_os = "linux") && !bot.meter.counts_all();
        let pace = (limit / SAMPLES).max(LEAST_PACE);
        let sampler = is_sampled
            .then(|| Sampler::start(Arc::clone(bot.meter), bot.cores, pace))
            .transpose();
        let sampler = sampler.map_err(|error| {
            Expired::Void(Void::of(format!(
                "cannot measure the time of a bot, since no thread can be started: {error}"
            )))
        })?;
        let now = bot.meter.threads();
        let threads: HashMap<u32, Usage> =
            now.iter().map(|thread| (thread.id, thread.usage)).collect();
        let is_crowd = now
            .iter()
            .filter(|thread| thread.state == State::Runnable)
            .count()
            > CROWD * bot.cores.len();
        Ok(Self {
            bot,
            began,
            limit,
            counted_first,
            sampler,
            threads_first: threads.clone(),
            own_wait: own_wait(),
            idle_first: cores::idle(bot.cores),
            threads,
            unseen: if is_crowd { QUICK } else { began.elapsed() },
            absent: Duration::ZERO,
            pending: None,
        })
    }

    /// Takes the time, and then samples the threads.
    fn sample(&mut self) -> Sample {
        let now = Instant::now();
        let threads = self.bot.meter.threads();
        self.threads
            .extend(threads.iter().map(|thread| (thread.id, thread.usage)));
        let waited = self.threads.iter().map(|(thread, usage)| {
            usage.waited.saturating_sub(
                self.threads_first
                    .get(thread)
                    .copied()
                    .unwrap_or_default()
                    .waited,
            )
        });
        let waited = waited.sum();
        let counted = self
            .counted_first
            .and_then(|first| self.bot.meter.read()?.since(first));
        let Totals {
            computed,
            uncertain,
        } = self
            .sampler
            .as_ref()
            .map(Sampler::sample)
            .unwrap_or_default();
        let computed_in_all = counted.unwrap_or(computed);
        let cores = self.bot.cores.len().max(1) as u32;
        let kept = self.kept(now, computed_in_all + uncertain * cores);
        let (elapsed, computed) = (now - self.began, computed_in_all / cores);
        Sample {
            elapsed,
            computed,
            computed_in_all,
            waited,
            kept,
            threads,
        }
    }

    /// The most for which others can have kept the bot waiting: while its cores were neither idle nor its own. Many threads
    /// that wait for each other would gain time without it.
    fn kept(&self, now: Instant, own: Duration) -> Duration {
        let idle = self
            .idle_first
            .and_then(|first| Some(cores::idle(self.bot.cores)?.saturating_sub(first)));
        let cores = self.bot.cores.len() as u32;
        ((now - self.began) * cores + cores::TICK * 2 * cores)
            .saturating_sub(idle.unwrap_or_default() + own)
    }

    /// What a bot is charged for the elapsed time, as far as a sample shows, if there were these waits.
    fn charged(&self, elapsed: Duration, sample: &Sample, waits: Duration) -> Duration {
        elapsed
            .saturating_sub(waits.saturating_add(self.unseen).min(sample.kept))
            .max(sample.computed)
    }

    /// The time that an answer is charged, if it came in time. The arena's own absence is not charged, nor its wait for a core
    /// as far as others can have caused that.
    fn accept(&self, sample: &Sample) -> Result<Charge, Expired> {
        let own_wait = own_wait().saturating_sub(self.own_wait);
        let elapsed = sample
            .elapsed
            .saturating_sub(self.absent.saturating_sub(own_wait));
        let charged = self.charged(elapsed, sample, sample.waited + own_wait);
        let tolerance = (self.limit / TOLERANCE).min(MOST_TOLERANCE);
        let is_late = sample.elapsed > self.limit && charged > self.limit + tolerance;
        let charge = Charge {
            time: charged.min(sample.elapsed),
            computed: sample.computed_in_all,
        };
        if is_late {
            Err(self.late(sample))
        } else {
            Ok(charge)
        }
    }

    fn late(&self, sample: &Sample) -> Expired {
        let had = sample.elapsed.saturating_sub(sample.waited);
        Expired::Late {
            computing: sample.computed * 2 > had,
            computed: sample.computed_in_all,
        }
    }

    /// Judges a sample without an answer: the moment of the next one, or why there is none.
    fn judge(&mut self, sample: &Sample) -> Result<Instant, Expired> {
        if sample.computed > self.limit + MOST_TOLERANCE {
            return Err(self.late(sample));
        }
        self.own_wait = own_wait();
        let mut pending = self.pending.take().unwrap_or_else(|| Pending::new(sample));
        if self.charged(pending.elapsed, sample, Duration::MAX) >= self.limit {
            return Err(self.late(sample));
        }
        if sample.elapsed > (self.limit * PATIENCE).max(LEAST_PATIENCE) {
            return Err(Expired::Void(self.void(sample)));
        }
        pending.runnable.retain(|id, usage| {
            let is_same = |thread: &&Thread| thread.id == *id && thread.state == State::Runnable;
            sample
                .threads
                .iter()
                .find(is_same)
                .is_some_and(|thread| thread.usage == *usage)
        });
        if !pending.runnable.is_empty() {
            let step = STEPS[pending.steps.min(STEPS.len() - 1)];
            pending.steps += 1;
            self.pending = Some(pending);
            return Ok(Instant::now() + step);
        }
        if self.charged(pending.elapsed, sample, sample.waited) >= self.limit {
            return Err(self.late(sample));
        }
        let left = self
            .limit
            .saturating_sub(self.charged(sample.elapsed, sample, sample.waited));
        Ok(Instant::now() + left.max(STEPS[0]))
    }

    /// The bot did not have its time in all the time that there is.
    fn void(&self, sample: &Sample) -> Void {
        let (elapsed, limit) = (millis(sample.elapsed), millis(self.limit));
        let charged = millis(self.charged(sample.elapsed, sample, sample.waited));
        Void::of(format!(
            "this machine is too busy for a limit of {limit} ms: in {elapsed} ms it left the bot only {charged} ms; run fewer jobs, stop other programs, or set a longer limit"
        ))
    }
}

impl Pending {
    fn new(sample: &Sample) -> Self {
        let runnable = sample
            .threads
            .iter()
            .filter(|thread| thread.state == State::Runnable);
        let runnable = runnable.map(|thread| (thread.id, thread.usage)).collect();
        Self {
            elapsed: sample.elapsed,
            runnable,
            steps: 0,
        }
    }
}

/// How long this thread has waited for a core in its life (Linux: the second field of `schedstat`, in nanoseconds).
fn own_wait() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split_whitespace()
        .nth(1)
        .and_then(|field| field.parse().ok())
        .map_or(Duration::ZERO, Duration::from_nanos)
}

/// The time for which the machine has been suspended since it was started.
fn suspended() -> Duration {
    #[cfg(target_os = "linux")]
    {
        let read = |clock: ClockId| clock.now().map_or(Duration::ZERO, Duration::from);
        read(ClockId::CLOCK_BOOTTIME).saturating_sub(read(ClockId::CLOCK_MONOTONIC))
    }
    #[cfg(not(target_os = "linux"))]
    Duration::ZERO
}
