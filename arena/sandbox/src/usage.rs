//! What can be known of a bot's processes.

use std::time::Duration;

/// What a bot has computed so far: with a control group all of its processes, else its main one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The main process, or none if all are counted.
    pub of: Option<u32>,
    /// What it has computed.
    pub computed: Duration,
}

/// A thread of a bot.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    /// Its id.
    pub id: u32,
    /// What it does.
    pub state: State,
    /// What it has computed in its life.
    pub computed: Duration,
    /// How long it has waited for a core in its life, as far as the kernel has booked that: it does when the wait is over.
    pub waited: Duration,
}

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It computes, or waits for a core.
    Runnable,
    /// It was stopped by a signal or is being traced.
    Stopped,
    /// It waits for something else.
    Asleep,
    /// It has ended, and is only not reaped.
    Ended,
}

impl Reading {
    /// What was computed since an earlier reading of the same.
    pub fn since(self, before: Self) -> Option<Duration> {
        (self.of == before.of).then(|| self.computed.saturating_sub(before.computed))
    }
}
