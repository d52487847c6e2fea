//! Clock of a turn: charges the elapsed time minus the time the bot's threads waited for a core, or the CPU time if that is more.
//!
//! The kernel accounts for a wait only once it is over, so the clock makes no decision while a thread is runnable and its counters do not
//! change. The time in which a bot is stopped is charged, because a bot can stop itself in many ways.

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

/// Time below which an answer is charged its elapsed time.
pub const QUICK_ANSWER: Duration = Duration::from_millis(2);
/// Late answers are tolerated up to the limit divided by this, because the clocks of processes are not exact.
const TOLERANCE_DIVISOR: u32 = 20;
/// Maximum tolerance for late answers.
const MAX_TOLERANCE: Duration = Duration::from_millis(5);
/// A bot that is still runnable counts as computing if it has computed for the available time divided by this.
const BUSY_DIVISOR: u32 = 10;
/// Initial sampling interval while a thread is runnable. It doubles up to `MAX_STEP`.
const MIN_STEP: Duration = Duration::from_millis(5);
/// Maximum sampling interval.
const MAX_STEP: Duration = Duration::from_millis(20);
/// Multiple of the limit after which a turn on an overloaded machine voids the match.
const MAX_LIMIT_MULTIPLE: u32 = 20;
/// Minimum wait before an overloaded machine voids a match.
const MIN_VOID_TIMEOUT: Duration = Duration::from_secs(5);
/// Number of void attempts after which a match is given up.
pub const MAX_VOIDS: usize = 3;

/// The reason why an answer is no longer awaited.
#[derive(Debug, PartialEq, Eq)]
pub enum Expired {
    /// The bot exceeded its time limit.
    Late {
        /// True if the bot computed for most of the time that the machine gave it.
        computing: bool,
        /// CPU time of the bot's processes, as far as known.
        computed: Duration,
    },
    /// The machine was too busy to give the bot its time.
    Void(Void),
}

/// Time charged for an answer that was not quick.
#[derive(Clone, Copy, Debug)]
pub struct Charge {
    /// Charged time.
    pub time: Duration,
    /// CPU time of the bot's processes, as far as known.
    pub computed: Duration,
}

/// A bot's turn.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// Meter of the bot's processes.
    pub meter: &'a Meter,
    /// Number of cores that the bot may use at the same time.
    pub cores: u32,
    /// Start of the turn.
    pub began: Instant,
}

/// Waits for an answer until the bot's time is up. Returns the answer with its charge. If the charge is `None`, the bot is charged the
/// elapsed time.
pub async fn within<T>(
    turn: Turn<'_>,
    limit: Option<Duration>,
    answer: impl Future<Output = T>,
) -> Result<(T, Option<Charge>), Expired> {
    let mut answer = pin!(answer);
    let Some(limit) = limit else {
        return Ok((answer.await, None));
    };
    let first_sample = turn.began + QUICK_ANSWER.min(limit / 4);
    if let Ok(answer) = timeout_at(first_sample, &mut answer).await {
        return Ok((answer, None));
    }
    // Boxed, so that quick answers do not carry this future.
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
            // Output written while the arena overslept counts, so let the runtime notice it.
            yield_now().await;
            answered = poll_immediate(&mut answer).await;
        }
        let sample = clock.sample();
        match answered {
            // An answer found now arrived before the planned check.
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

/// Charges a turn sample by sample.
struct Clock<'a> {
    turn: Turn<'a>,
    limit: Duration,
    /// CPU time counted at the first sample.
    counted_first: Option<Duration>,
    threads_first: HashMap<u32, Thread>,
    /// Last known state of each thread, including those that have exited since.
    threads: HashMap<u32, Thread>,
    /// Time before the first sample. Waits in this time were not observed.
    unseen: Duration,
    pending: Option<Pending>,
}

/// A sample that cannot be judged yet.
struct Pending {
    elapsed: Duration,
    /// Threads that were runnable at that time and have not been seen to run or sleep since then.
    runnable: HashMap<u32, Thread>,
    /// Time until the next sample.
    step: Duration,
}

/// State of all threads at one moment.
struct Sample {
    elapsed: Duration,
    /// CPU time since the first sample.
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

    /// Returns the CPU time of a sample divided by the number of the bot's cores.
    fn computed(&self, sample: &Sample) -> Duration {
        sample.computed / self.turn.cores.max(1)
    }

    /// Returns the charge for the elapsed time, as far as this sample tells.
    fn charged(&self, elapsed: Duration, sample: &Sample) -> Duration {
        let computed = self.computed(sample).min(elapsed);
        elapsed.saturating_sub(sample.waited).max(computed)
    }

    /// Returns the charge for an answer, or an error if the answer is late.
    fn accept(&self, elapsed: Duration, sample: &Sample) -> Result<Charge, Expired> {
        let time = self.charged(elapsed, sample);
        if time > self.limit + (self.limit / TOLERANCE_DIVISOR).min(MAX_TOLERANCE) {
            return Err(self.late(sample));
        }
        Ok(Charge {
            time,
            computed: sample.computed,
        })
    }

    fn late(&self, sample: &Sample) -> Expired {
        let had = sample.elapsed.saturating_sub(sample.waited);
        // A quota may have kept a runnable thread from computing, and the kernel records no wait for that.
        let wants_more = sample.threads.values().any(|thread| thread.is_runnable);
        let part = if wants_more { BUSY_DIVISOR } else { 2 };
        Expired::Late {
            computing: self.computed(sample) * part > had,
            computed: sample.computed,
        }
    }

    /// Judges a sample without an answer. Returns the time of the next sample, or the reason to stop waiting.
    fn judge(&mut self, sample: &Sample) -> Result<Instant, Expired> {
        if self.computed(sample) > self.limit + MAX_TOLERANCE {
            return Err(self.late(sample));
        }
        if sample.elapsed > (self.limit * MAX_LIMIT_MULTIPLE).max(MIN_VOID_TIMEOUT) {
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
        Void::new(format!(
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
