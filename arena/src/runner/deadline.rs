//! The clock of a seat and the one deadline: how long a bot may take, less what a busy machine kept it from computing.

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use arena_protocol::message::Clock;
use arena_tournament::spec::TimeControl;
#[cfg(target_os = "linux")]
use nix::time::ClockId;
use tokio::time::{Instant, timeout_at};

use crate::units::millis;

/// A share of the limit after which it is looked at what the bot has waited for a core so far.
const FIRST_LOOK: u32 = 4;
/// What a machine may keep from a bot without anybody noticing.
const MARGIN: Duration = Duration::from_millis(5);
/// The number of times its limit a turn may last on a machine that does not let the bot compute; then the match is void.
const PATIENCE: u32 = 20;
/// The least time that a turn may last on such a machine.
const LEAST_PATIENCE: Duration = Duration::from_secs(5);

/// The time that a seat has in one match.
#[derive(Clone, Copy, Debug)]
pub struct SeatClock {
    control: TimeControl,
    bank: Option<Duration>,
}

impl SeatClock {
    /// A full clock.
    pub fn new(control: TimeControl) -> Self {
        Self { control, bank: control.bank_ms.map(Duration::from_millis) }
    }

    /// The time that the next answer may take; no limit if none.
    pub fn limit(&self) -> Option<Duration> {
        match (self.control.move_ms.map(Duration::from_millis), self.bank) {
            (Some(per_move), Some(bank)) => Some(per_move.min(bank)),
            (limit, bank) => limit.or(bank),
        }
    }

    /// Takes the time of an answer out of the bank, and adds the increment.
    pub fn spend(&mut self, elapsed: Duration) {
        if let Some(left) = &mut self.bank {
            *left = left.saturating_sub(elapsed) + Duration::from_millis(self.control.increment_ms);
        }
    }

    /// The time as the bot is sent it.
    pub fn message(&self) -> Clock {
        Clock {
            move_ms: self.control.move_ms,
            bank_ms: self.bank.map(millis),
            increment_ms: self.bank.map(|_| self.control.increment_ms),
        }
    }
}

/// Why an answer is not awaited any longer.
#[derive(Debug, PartialEq, Eq)]
pub enum Expired {
    /// The bot's time is over.
    Late {
        /// It computed for most of the time that the machine left it.
        computing: bool,
    },
    /// The bot did not have its time.
    Void(Void),
}

/// The machine was too busy, or asleep, for a bot to have had its time; says how.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Void(pub String);

/// Waits for an answer until the time of the bot is over. The time in which the bot, though ready to run, was given no
/// core, and that in which the arena itself overslept, is not counted; neither ever restarts the clock.
///
/// The answer counts if it is there when the clock is looked at, however late that is.
pub async fn within<T>(
    limit: Option<Duration>,
    bot: Option<u32>,
    answer: impl Future<Output = T>,
) -> Result<T, Expired> {
    let Some(limit) = limit else { return Ok(answer.await) };
    let mut answer = pin!(answer);
    let (began, asleep) = (Instant::now(), suspended());
    let first_look = began + limit / FIRST_LOOK;
    if let Ok(answer) = timeout_at(first_look, &mut answer).await {
        return Ok(answer);
    }
    let mut overslept = first_look.elapsed();
    let (since, queue) = (Instant::now(), bot.map(Queue::look));
    let patience = began + (limit * PATIENCE).max(LEAST_PATIENCE);
    let mut until = began + limit;
    loop {
        if let Ok(answer) = timeout_at(until, &mut answer).await {
            return Ok(answer);
        }
        overslept += until.elapsed();
        let slept = suspended().saturating_sub(asleep);
        if slept > Duration::from_millis(100) {
            return Err(void(format!("the machine was suspended for {} ms meanwhile", millis(slept))));
        }
        let used = queue.as_ref().map(Queue::usage).unwrap_or_default();
        let kept = overslept.max(used.waited);
        let due = began + limit + kept;
        if due <= until + MARGIN {
            let left = since.elapsed().saturating_sub(used.waited);
            return Err(Expired::Late { computing: used.computed * 2 > left });
        }
        if due > patience {
            let (waited, kept) = (millis(began.elapsed()), millis(kept));
            return Err(void(format!("the machine was too busy: of {waited} ms the bot was kept waiting {kept} ms")));
        }
        until = due;
    }
}

fn void(why: String) -> Expired {
    Expired::Void(Void(why))
}

/// What the threads of a bot, and of what it has started, had computed and waited for a core when it was looked.
struct Queue {
    pid: u32,
    looked: Instant,
    threads: HashMap<u32, Usage>,
}

impl Queue {
    fn look(pid: u32) -> Self {
        let threads = threads(pid).into_iter().filter_map(|thread| Some((thread, usage(thread)?)));
        Self { pid, looked: Instant::now(), threads: threads.collect() }
    }

    /// What all threads have computed since, and how much longer the one that waited most has waited; but what the bot
    /// computed itself it was not kept from, lest its threads get it time by waiting for each other.
    fn usage(&self) -> Usage {
        let (mut computed, mut waited) = (Duration::ZERO, Duration::ZERO);
        for thread in threads(self.pid) {
            let Some(now) = usage(thread) else { continue };
            let before = self.threads.get(&thread).copied().unwrap_or_default();
            computed += now.computed.saturating_sub(before.computed);
            waited = waited.max(now.waited.saturating_sub(before.waited));
        }
        Usage { computed, waited: waited.min(self.looked.elapsed().saturating_sub(computed)) }
    }
}

/// What threads have computed, and how long they have waited for a core.
#[derive(Clone, Copy, Default)]
struct Usage {
    computed: Duration,
    waited: Duration,
}

/// What a thread has used in its life (Linux: the first two fields of `schedstat`, in nanoseconds).
fn usage(thread: u32) -> Option<Usage> {
    let stat = std::fs::read_to_string(format!("/proc/{thread}/schedstat")).ok()?;
    let mut fields = stat.split_whitespace().map(|field| field.parse().ok().map(Duration::from_nanos));
    Some(Usage { computed: fields.next()??, waited: fields.next()?? })
}

/// The threads of a process and of all that it has started.
fn threads(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut processes = vec![pid];
    while let Some(process) = processes.pop() {
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{process}/task")) else { continue };
        for task in tasks.flatten().filter_map(|task| task.file_name().to_str()?.parse().ok()) {
            found.push(task);
            let children = std::fs::read_to_string(format!("/proc/{process}/task/{task}/children")).unwrap_or_default();
            processes.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
    }
    found
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

/// The processor time of a process, to tell what it computed between two looks.
#[derive(Clone, Copy)]
pub struct Cpu(#[cfg(target_os = "linux")] ClockId);

impl Cpu {
    /// The processor clock of a process, if the system has one.
    pub fn of(pid: u32) -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            ClockId::pid_cpu_clock_id(nix::unistd::Pid::from_raw(pid.cast_signed())).ok().map(Self)
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = pid;
            None
        }
    }

    /// What the process has computed in its life; none once it has ended.
    pub fn read(self) -> Option<Duration> {
        #[cfg(target_os = "linux")]
        {
            self.0.now().ok().map(Duration::from)
        }
        #[cfg(not(target_os = "linux"))]
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn clock(move_ms: Option<u64>, bank_ms: Option<u64>, increment_ms: u64) -> SeatClock {
        SeatClock::new(TimeControl { move_ms, bank_ms, increment_ms, start_ms: 1_000 })
    }

    #[test]
    fn the_bank_is_spent_and_grows_by_the_increment() {
        let mut time = clock(Some(300), Some(500), 20);
        assert_eq!(time.limit(), Some(Duration::from_millis(300)));
        time.spend(Duration::from_millis(290));
        assert_eq!(time.limit(), Some(Duration::from_millis(230)));
        assert_eq!(
            (time.message().move_ms, time.message().bank_ms, time.message().increment_ms),
            (Some(300), Some(230), Some(20))
        );
        time.spend(Duration::from_millis(999));
        assert_eq!(time.limit(), Some(Duration::from_millis(20)));
        assert_eq!(clock(None, None, 0).limit(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_there_when_the_clock_is_looked_at_counts() {
        let late = std::future::pending::<()>();
        assert_eq!(within(Some(Duration::from_millis(50)), None, late).await, Err(Expired::Late { computing: false }));
        let in_time = tokio::time::sleep(Duration::from_millis(49));
        assert_eq!(within(Some(Duration::from_millis(50)), None, in_time).await, Ok(()));
    }
}
