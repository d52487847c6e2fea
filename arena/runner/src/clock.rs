//! The clock of a turn: the time that has passed, less what the bot's threads waited for a core; or what its processes computed,
//! if that is more.
//!
//! The kernel books a wait when it is over. So while a thread is runnable and its counters stand still, nothing is decided. Time in
//! which a bot is stopped is never credited, since it can have itself stopped in many ways.

use std::collections::HashMap;
use std::future::Future;
use std::pin::{Pin, pin};
use std::time::Duration;

pub use arena_tournament::played::Void;
use futures_util::future::poll_immediate;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};

use crate::units::millis;
use arena_sandbox::{Meter, Thread};

/// Quicker answers are charged the time that has passed.
pub const QUICK: Duration = Duration::from_millis(2);
/// The part of a limit that is forgiven to an answer that comes after it, since clocks of processes are not exact...
const TOLERANCE: u32 = 20;
/// ...and the most of it.
const MAX_TOLERANCE: Duration = Duration::from_millis(5);
/// The part of its time that a bot must have computed to count as computing if it was about to go on.
const BUSY: u32 = 10;
/// The time between the first samples while a thread is runnable. It doubles...
const MIN_STEP: Duration = Duration::from_millis(5);
/// ...up to this.
const MAX_STEP: Duration = Duration::from_millis(20);
/// The number of times its limit a turn may last on a machine that does not let the bot compute; then the match is void.
const PATIENCE: u32 = 20;
/// The least time that a turn may last on such a machine.
const MIN_PATIENCE: Duration = Duration::from_secs(5);
/// How often a match may be void before it is given up.
pub const VOIDS: usize = 3;

/// Why an answer is not awaited any longer.
#[derive(Debug, PartialEq, Eq)]
pub enum Expired {
    /// The bot's time is over.
    Late {
        /// It computed for most of the time that the machine left it.
        computing: bool,
        /// What its processes computed, as far as is known.
        computed: Duration,
    },
    /// The machine did not give the bot its time.
    Void(Void),
}

/// The time of an answer that was not quick.
#[derive(Clone, Copy, Debug)]
pub struct Charge {
    /// What the bot is charged.
    pub time: Duration,
    /// What its processes computed, as far as is known.
    pub computed: Duration,
}

/// A turn of a bot.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// What measures its processes.
    pub meter: &'a Meter,
    /// The number of cores that it may use at the same time.
    pub cores: u32,
    /// When it began.
    pub began: Instant,
}

/// Waits for an answer until the time of the bot is over. Returns it with what the bot is charged, unless that is all the time that
/// passed.
pub async fn within<T>(
    turn: Turn<'_>,
    limit: Option<Duration>,
    answer: impl Future<Output = T>,
) -> Result<(T, Option<Charge>), Expired> {
    let mut answer = pin!(answer);
    let Some(limit) = limit else {
        return Ok((answer.await, None));
    };
    let first_sample = turn.began + QUICK.min(limit / 4);
    if let Ok(answer) = timeout_at(first_sample, &mut answer).await {
        return Ok((answer, None));
    }
    // In a box, since quick answers would have to carry it about.
    let (answer, charge) = Box::pin(judged(Clock::new(turn, limit), answer)).await?;
    Ok((answer, Some(charge)))
}

/// Waits for an answer that is not quick.
async fn judged<T>(
    mut clock: Clock<'_>,
    mut answer: Pin<&mut impl Future<Output = T>>,
) -> Result<(T, Charge), Expired> {
    let began = clock.turn.began;
    let mut due = began + clock.limit;
    loop {
        let mut answered = timeout_at(due, &mut answer).await.ok();
        if answered.is_none() {
            // What the bot wrote before this process slept counts; the runtime must go on to notice it.
            yield_now().await;
            answered = poll_immediate(&mut answer).await;
        }
        let sample = clock.sample();
        match answered {
            // An answer that is there when the arena looks came by the moment when it meant to.
            Some(answer) => {
                let elapsed = sample.elapsed.min(due - began);
                return clock
                    .accept(elapsed, &sample)
                    .map(|charge| (answer, charge));
            }
            None => due = clock.judge(&sample)?,
        }
    }
}

/// The time of a turn, sample by sample.
struct Clock<'a> {
    turn: Turn<'a>,
    limit: Duration,
    /// What was counted as computed at the first sample.
    counted_first: Option<Duration>,
    threads_first: HashMap<u32, Thread>,
    /// The threads as they were last, with those that have ended since.
    threads: HashMap<u32, Thread>,
    /// The time before the first sample, in which waits may have been booked that nobody saw.
    unseen: Duration,
    pending: Option<Pending>,
}

/// A sample that cannot be judged yet.
struct Pending {
    elapsed: Duration,
    /// The threads that were runnable then and have not been seen to run or sleep since.
    runnable: HashMap<u32, Thread>,
    /// The time until the next sample.
    step: Duration,
}

/// All threads at one moment.
struct Sample {
    elapsed: Duration,
    /// What was computed since the first sample.
    computed: Duration,
    waited: Duration,
    threads: HashMap<u32, Thread>,
}

impl<'a> Clock<'a> {
    fn new(turn: Turn<'a>, limit: Duration) -> Self {
        let threads = turn.meter.threads();
        Self {
            turn,
            limit,
            counted_first: turn.meter.read(),
            threads_first: threads.clone(),
            threads,
            unseen: turn.began.elapsed(),
            pending: None,
        }
    }

    fn sample(&mut self) -> Sample {
        let elapsed = self.turn.began.elapsed();
        let threads = self.turn.meter.threads();
        self.threads.extend(&threads);
        let mut waited = self.unseen;
        let mut computed = Duration::ZERO;
        for (id, thread) in &self.threads {
            let first = self.threads_first.get(id).copied().unwrap_or_default();
            waited += thread.waited.saturating_sub(first.waited);
            computed += thread.computed.saturating_sub(first.computed);
        }
        let counted = self
            .counted_first
            .and_then(|first| self.turn.meter.read()?.checked_sub(first));
        Sample {
            elapsed,
            computed: computed.max(counted.unwrap_or_default()),
            waited,
            threads,
        }
    }

    /// The computing of a sample as if all of the bot's cores had shared it.
    fn computed(&self, sample: &Sample) -> Duration {
        sample.computed / self.turn.cores.max(1)
    }

    /// What a bot is charged for the elapsed time, as far as a sample shows.
    fn charged(&self, elapsed: Duration, sample: &Sample) -> Duration {
        let computed = self.computed(sample).min(elapsed);
        elapsed.saturating_sub(sample.waited).max(computed)
    }

    /// The charge for an answer, if it came in time.
    fn accept(&self, elapsed: Duration, sample: &Sample) -> Result<Charge, Expired> {
        let time = self.charged(elapsed, sample);
        if time > self.limit + (self.limit / TOLERANCE).min(MAX_TOLERANCE) {
            return Err(self.late(sample));
        }
        Ok(Charge {
            time,
            computed: sample.computed,
        })
    }

    fn late(&self, sample: &Sample) -> Expired {
        let had = sample.elapsed.saturating_sub(sample.waited);
        // The machine may have kept a thread that still wants to compute from it without booking that, such as by a quota.
        let wants_more = sample.threads.values().any(|thread| thread.is_runnable);
        let part = if wants_more { BUSY } else { 2 };
        Expired::Late {
            computing: self.computed(sample) * part > had,
            computed: sample.computed,
        }
    }

    /// Judges a sample without an answer: the moment of the next one, or why there is none.
    fn judge(&mut self, sample: &Sample) -> Result<Instant, Expired> {
        if self.computed(sample) > self.limit + MAX_TOLERANCE {
            return Err(self.late(sample));
        }
        if sample.elapsed > (self.limit * PATIENCE).max(MIN_PATIENCE) {
            return Err(Expired::Void(self.void(sample)));
        }
        let mut pending = self.pending.take().unwrap_or_else(|| Pending::new(sample));
        pending
            .runnable
            .retain(|id, thread| sample.threads.get(id) == Some(thread));
        if !pending.runnable.is_empty() {
            let step = pending.step;
            pending.step = (step * 2).min(MAX_STEP);
            self.pending = Some(pending);
            return Ok(Instant::now() + step);
        }
        if self.charged(pending.elapsed, sample) >= self.limit {
            return Err(self.late(sample));
        }
        let left = self
            .limit
            .saturating_sub(self.charged(sample.elapsed, sample));
        Ok(Instant::now() + left.max(MIN_STEP))
    }

    fn void(&self, sample: &Sample) -> Void {
        let limit = millis(self.limit);
        let elapsed = millis(sample.elapsed);
        let charged = millis(self.charged(sample.elapsed, sample));
        Void::of(format!(
            "this machine is too busy for a limit of {limit} ms: in {elapsed} ms it left the bot only {charged} ms; run fewer jobs, stop other programs, or set a longer limit"
        ))
    }
}

impl Pending {
    fn new(sample: &Sample) -> Self {
        let threads = sample.threads.iter();
        Self {
            elapsed: sample.elapsed,
            runnable: threads
                .filter(|(_, thread)| thread.is_runnable)
                .map(|(id, thread)| (*id, *thread))
                .collect(),
            step: MIN_STEP,
        }
    }
}
