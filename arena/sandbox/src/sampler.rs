//! What the processes of a bot compute where no control group counts it, sampled at moments that the bot cannot foresee.
//!
//! A process that nobody waits for leaves no trace when it ends. So the time between two samples is uncertain if the processes are
//! not the same at both: if a process computes for some part of the time and hides, it makes at least that part of the
//! time uncertain, on average. Samples are taken from other cores than the bot's where there are such, or they would be taken
//! when the bot leaves its core to others.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::cores;
use crate::lock;
use crate::meter::{Meter, Process};

/// The stack of the thread that takes samples.
const STACK: usize = 256 << 10;

/// Takes samples until it is dropped.
#[derive(Debug)]
pub struct Sampler {
    state: Arc<Mutex<State>>,
    /// Ends the thread with its own end.
    _open: Sender<()>,
}

/// What was found since the sampler was started.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// What was computed at least.
    pub computed: Duration,
    /// The time in which more may have been computed.
    pub uncertain: Duration,
}

#[derive(Debug)]
struct State {
    meter: Arc<Meter>,
    cores: u32,
    processes: BTreeMap<u32, Process>,
    at: Instant,
    totals: Totals,
    /// What children have computed that were waited for, and how much of that was counted when they were still there.
    reaped: Duration,
    ended: Duration,
}

impl Sampler {
    /// Samples the processes that this measures and that run on these cores, at random moments with this time between them on
    /// average.
    pub fn start(meter: Arc<Meter>, bot: &[usize], pace: Duration) -> io::Result<Self> {
        let mut elsewhere = cores::allowed();
        elsewhere.retain(|core| !bot.contains(core));
        let state = Arc::new(Mutex::new(State {
            processes: meter.processes(),
            meter,
            cores: bot.len().max(1) as u32,
            at: Instant::now(),
            totals: Totals::default(),
            reaped: Duration::ZERO,
            ended: Duration::ZERO,
        }));
        let (open, closed) = mpsc::channel();
        let sampler = Self {
            state: Arc::clone(&state),
            _open: open,
        };
        thread::Builder::new().stack_size(STACK).spawn(move || {
            let _ = cores::bind(&if elsewhere.is_empty() {
                cores::allowed()
            } else {
                elsewhere
            });
            while closed.recv_timeout(random(pace)) == Err(RecvTimeoutError::Timeout) {
                lock(&state).sample();
            }
        })?;
        Ok(sampler)
    }

    /// Takes a sample now.
    pub fn sample(&self) -> Totals {
        lock(&self.state).sample()
    }
}

/// A time after which something happens that can happen at any moment.
fn random(mean: Duration) -> Duration {
    // Nothing that a bot could find out; no result depends on it.
    let bits = RandomState::new().build_hasher().finish() as u32;
    mean.mul_f64((f64::from(u32::MAX) + 1.0).ln() - (f64::from(bits) + 1.0).ln())
}

impl State {
    fn sample(&mut self) -> Totals {
        let mut processes = self.meter.processes();
        let since = self.at.elapsed();
        self.at = Instant::now();
        let mut computed = Duration::ZERO;
        for (pid, process) in &mut processes {
            let before = self.processes.get(pid).copied();
            let Process { own, reaped } = before.unwrap_or(Process {
                own: Duration::ZERO,
                ..*process
            });
            // The clock of one that has ended may not be readable.
            process.own = process.own.max(own);
            computed += process.own - own;
            self.reaped += process.reaped.saturating_sub(reaped);
        }
        let gone = self
            .processes
            .iter()
            .filter(|(pid, _)| !processes.contains_key(pid));
        self.ended += gone
            .map(|(_, process)| process.own + process.reaped)
            .sum::<Duration>();
        if !self.processes.keys().eq(processes.keys()) {
            self.totals.uncertain += since;
        }
        self.processes = processes;
        // A process that the last sample missed is no newer for that.
        self.totals.computed += computed.min(since * self.cores);
        let unseen = self.reaped.saturating_sub(self.ended + cores::TICK * 2);
        Totals {
            computed: self.totals.computed + unseen,
            ..self.totals
        }
    }
}
