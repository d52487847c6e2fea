//! The clock of a seat: how long a bot may take, and how much of that it was kept from computing by a busy machine.

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use arena_protocol::message;
#[cfg(target_os = "linux")]
use nix::time::ClockId;
use tokio::time::{Instant, timeout_at};

use crate::setup::{Clock, millis};

/// A share of the limit after which it is looked at what the bot has waited for a core so far.
const FIRST_LOOK: u32 = 4;
/// What a machine may keep from a bot without anybody noticing.
const MARGIN: Duration = Duration::from_millis(5);
/// How many times its limit a turn may last on a machine that does not let the bot compute; then the match is void.
const PATIENCE: u32 = 20;
/// The least time that a turn may last on such a machine.
const LEAST_PATIENCE: Duration = Duration::from_secs(5);

/// The time that a seat has in one match.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    clock: Clock,
    bank: Option<Duration>,
}

impl Time {
    /// A full clock.
    pub fn new(clock: Clock) -> Self {
        Self { clock, bank: clock.bank.map(|bank| bank.total) }
    }

    /// How long the next answer may take; no limit if none.
    pub fn limit(&self) -> Option<Duration> {
        match (self.clock.per_move, self.bank) {
            (Some(per_move), Some(bank)) => Some(per_move.min(bank)),
            (limit, bank) => limit.or(bank),
        }
    }

    /// Takes what an answer took out of the bank, and adds the increment.
    pub fn spend(&mut self, took: Duration) {
        if let (Some(left), Some(bank)) = (&mut self.bank, self.clock.bank) {
            *left = left.saturating_sub(took) + bank.increment;
        }
    }

    /// What the bot is told of its time.
    pub fn told(&self) -> message::Clock {
        message::Clock {
            move_ms: self.clock.per_move.map(millis),
            bank_ms: self.bank.map(millis),
            increment_ms: self.clock.bank.map(|bank| millis(bank.increment)),
        }
    }
}

/// Why an answer was not waited for any longer.
#[derive(Debug, PartialEq, Eq)]
pub enum Over {
    /// The bot's time is over.
    Late,
    /// The machine was too busy, or asleep, for the bot to have had its time.
    Void(String),
}

/// Waits for an answer until the time of the bot is over. The time in which the bot, though ready to run, was given no
/// core, and that in which the arena itself overslept, is not counted; neither ever restarts the clock.
///
/// The answer counts if it is there when the clock is looked at, however late that is.
pub async fn within<T>(limit: Option<Duration>, bot: Option<u32>, answer: impl Future<Output = T>) -> Result<T, Over> {
    let Some(limit) = limit else { return Ok(answer.await) };
    let mut answer = pin!(answer);
    let (began, asleep) = (Instant::now(), suspended());
    let first_look = began + limit / FIRST_LOOK;
    if let Ok(answer) = timeout_at(first_look, &mut answer).await {
        return Ok(answer);
    }
    let mut lost = Lost { overslept: first_look.elapsed(), queue: bot.map(Queue::look) };
    let patience = began + (limit * PATIENCE).max(LEAST_PATIENCE);
    let mut until = began + limit;
    loop {
        if let Ok(answer) = timeout_at(until, &mut answer).await {
            return Ok(answer);
        }
        lost.overslept += until.elapsed();
        let slept = suspended().saturating_sub(asleep);
        if slept > Duration::from_millis(100) {
            return Err(Over::Void(format!("the machine was suspended for {} ms during the turn", millis(slept))));
        }
        let due = began + limit + lost.total();
        if due <= until + MARGIN {
            return Err(Over::Late);
        }
        if due > patience {
            let (waited, kept) = (millis(began.elapsed()), millis(lost.total()));
            return Err(Over::Void(format!(
                "the machine was too busy: of {waited} ms the bot was kept waiting {kept} ms"
            )));
        }
        until = due;
    }
}

/// What a busy machine has kept from a bot in one turn.
struct Lost {
    overslept: Duration,
    queue: Option<Queue>,
}

impl Lost {
    fn total(&self) -> Duration {
        self.overslept.max(self.queue.as_ref().map_or(Duration::ZERO, Queue::grown))
    }
}

/// What the threads of a bot, and of what it has started, had computed and waited for a core when it was looked.
struct Queue {
    pid: u32,
    looked: Instant,
    threads: HashMap<u32, Stood>,
}

impl Queue {
    fn look(pid: u32) -> Self {
        let threads = threads(pid).into_iter().filter_map(|thread| Some((thread, stood(thread)?)));
        Self { pid, looked: Instant::now(), threads: threads.collect() }
    }

    /// How much longer the thread that waited most has waited since; but what the bot computed itself it was not kept
    /// from, lest its threads get it time by waiting for each other.
    fn grown(&self) -> Duration {
        let (mut computed, mut waited) = (Duration::ZERO, Duration::ZERO);
        for thread in threads(self.pid) {
            let Some(now) = stood(thread) else { continue };
            let before = self.threads.get(&thread).copied().unwrap_or_default();
            computed += now.computed.saturating_sub(before.computed);
            waited = waited.max(now.waited.saturating_sub(before.waited));
        }
        waited.min(self.looked.elapsed().saturating_sub(computed))
    }
}

/// What a thread has computed, and how long it has waited for a core, in its life.
#[derive(Clone, Copy, Default)]
struct Stood {
    computed: Duration,
    waited: Duration,
}

/// Where a thread stands (Linux: the first two fields of `schedstat`, in nanoseconds).
fn stood(thread: u32) -> Option<Stood> {
    let stat = std::fs::read_to_string(format!("/proc/{thread}/schedstat")).ok()?;
    let mut fields = stat.split_whitespace().map(|field| field.parse().ok().map(Duration::from_nanos));
    Some(Stood { computed: fields.next()??, waited: fields.next()?? })
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

/// How long the machine has been suspended since it was started.
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
    use crate::setup::Bank;

    fn clock(per_move: Option<u64>, bank: Option<(u64, u64)>) -> Clock {
        let ms = Duration::from_millis;
        let bank = bank.map(|(total, increment)| Bank { total: ms(total), increment: ms(increment) });
        Clock { per_move: per_move.map(ms), bank, start: ms(1_000) }
    }

    #[test]
    fn the_bank_is_spent_and_grows_by_the_increment() {
        let mut time = Time::new(clock(Some(300), Some((500, 20))));
        assert_eq!(time.limit(), Some(Duration::from_millis(300)));
        time.spend(Duration::from_millis(290));
        assert_eq!(time.limit(), Some(Duration::from_millis(230)));
        assert_eq!(
            (time.told().move_ms, time.told().bank_ms, time.told().increment_ms),
            (Some(300), Some(230), Some(20))
        );
        time.spend(Duration::from_millis(999));
        assert_eq!(time.limit(), Some(Duration::from_millis(20)));
        assert_eq!(Time::new(clock(None, None)).limit(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_there_when_the_clock_is_looked_at_counts() {
        let late = std::future::pending::<()>();
        assert_eq!(within(Some(Duration::from_millis(50)), None, late).await, Err(Over::Late));
        let in_time = tokio::time::sleep(Duration::from_millis(49));
        assert_eq!(within(Some(Duration::from_millis(50)), None, in_time).await, Ok(()));
    }
}
