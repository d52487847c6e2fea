//! What bots compute outside their turns: a bot that computes more than an allowance is frozen there from then on, in all of
//! its processes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use super::meter::{Meter, Reading};
use crate::lock;

/// What a process may compute outside its turns in its life, since compilers and collectors of garbage have work left...
const ALLOWANCE: Duration = Duration::from_secs(1);
/// ...beside a share of the time.
const SHARE: u32 = 10;
/// The least time between two readings.
const SHORT: Duration = Duration::from_millis(2);
/// The time between two measurements of processes that no control group counts, since those cost more.
const PACE: Duration = Duration::from_millis(100);

/// The bots of a run, and which of them are frozen outside their turns.
#[derive(Debug, Default)]
pub struct Watchlist {
    /// What each had computed outside its turns when it was frozen, in milliseconds; 0 if it is not.
    frozen: Mutex<BTreeMap<String, Arc<AtomicU64>>>,
    idlers: Mutex<Vec<Weak<Idler>>>,
}

/// A process of a bot, in turns and outside them.
#[derive(Debug)]
pub struct Idler {
    bot: String,
    meter: Arc<Meter>,
    began: Instant,
    /// The cores that it may use at the same time.
    cores: u32,
    frozen: Arc<AtomicU64>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    open: u32,
    /// When its CPU time was last read, and how much that was.
    read: Option<(Instant, Reading)>,
    /// The same of processes beside the main one, if they are counted apart.
    others: Option<(Instant, Duration)>,
    turn_began: Option<Instant>,
    /// The time that it spent in turns since it was read, and since the others were.
    in_turns: Duration,
    in_turns_of_others: Duration,
    /// What it has computed outside its turns, at least.
    computed: Duration,
}

impl Watchlist {
    /// Adds a process of the bot of this name.
    pub fn add(&self, bot: &str, meter: Arc<Meter>, cores: u32) -> Arc<Idler> {
        let frozen = Arc::clone(lock(&self.frozen).entry(bot.to_owned()).or_default());
        let (bot, began, state) = (bot.to_owned(), Instant::now(), Mutex::default());
        let idler = Arc::new(Idler {
            bot,
            meter,
            began,
            cores,
            frozen,
            state,
        });
        let mut idlers = lock(&self.idlers);
        idlers.retain(|idler| idler.strong_count() > 0);
        idlers.push(Arc::downgrade(&idler));
        idler
    }

    /// The bots that were frozen, each in a sentence.
    pub fn frozen(&self) -> Vec<String> {
        let line = |(bot, frozen): (&String, &Arc<AtomicU64>)| match frozen.load(Ordering::Relaxed)
        {
            0 => None,
            ms => Some(format!(
                "froze {bot} outside its turns: one of its processes had computed for {ms} ms there"
            )),
        };
        lock(&self.frozen).iter().filter_map(line).collect()
    }

    /// Measures all bots that are outside their turns, and freezes those that have computed too much there.
    pub fn check(&self) {
        self.running().iter().for_each(|idler| idler.check());
    }

    /// What the processes of each running bot hold: see [`Meter::held`].
    pub fn held(&self) -> BTreeMap<String, [u64; 3]> {
        let mut held: BTreeMap<String, [u64; 3]> = BTreeMap::new();
        for idler in self.running() {
            let sums = held.entry(idler.bot.clone()).or_default();
            sums.iter_mut()
                .zip(idler.meter.held())
                .for_each(|(sum, more)| *sum += more);
        }
        held
    }

    /// What measures those that nobody has ended for memory.
    pub fn meters(&self) -> Vec<Arc<Meter>> {
        let meters = self
            .running()
            .into_iter()
            .map(|idler| Arc::clone(&idler.meter));
        meters
            .filter(|meter| meter.reclaimed().is_none() && !meter.is_gone())
            .collect()
    }

    fn running(&self) -> Vec<Arc<Idler>> {
        lock(&self.idlers)
            .iter()
            .filter_map(Weak::upgrade)
            .collect()
    }
}

impl Idler {
    /// True if the bot is frozen outside its turns.
    pub fn is_frozen(&self) -> bool {
        self.frozen.load(Ordering::Relaxed) > 0
    }

    /// A turn is about to be sent, or the bot must be able to run for another reason.
    pub fn begin_turn(&self, now: Instant) {
        let mut state = lock(&self.state);
        if state.open == 0 {
            self.measure(&mut state, now);
            state.turn_began = Some(now);
            if self.is_frozen() {
                self.meter.thaw();
            }
        }
        state.open += 1;
    }

    /// The turn is over.
    pub fn end_turn(&self, now: Instant) {
        let mut state = lock(&self.state);
        state.open = state.open.saturating_sub(1);
        let is_last = state.open == 0;
        let Some(began) = state.turn_began.take_if(|_| is_last) else {
            return;
        };
        let took = now - began;
        if took < SHORT && state.read.is_some() {
            state.in_turns += took;
        } else {
            state.read = self.meter.read().map(|reading| (now, reading));
            state.in_turns = Duration::ZERO;
        }
        state.in_turns_of_others += took;
        if self.is_frozen() {
            self.meter.freeze();
        }
    }

    fn check(&self) {
        let mut state = lock(&self.state);
        if state.open == 0 && !self.is_frozen() {
            self.measure(&mut state, Instant::now());
            if self.is_frozen() {
                self.meter.freeze();
            }
        }
    }

    /// Adds what was computed since the last reading, less all that can have been computed in turns.
    fn measure(&self, state: &mut State, now: Instant) {
        let Some((_, before)) = state.read.filter(|(then, _)| now - *then >= SHORT) else {
            return;
        };
        let Some(reading) = self.meter.read() else {
            return;
        };
        let computed = reading.since(before).unwrap_or_default();
        state.computed += computed.saturating_sub(state.in_turns * self.cores);
        (state.read, state.in_turns) = (Some((now, reading)), Duration::ZERO);
        if !self.meter.counts_all() {
            self.measure_others(state, now);
        }
        if state.computed > ALLOWANCE + self.began.elapsed() / SHARE {
            self.frozen
                .store(state.computed.as_millis() as u64, Ordering::Relaxed);
        }
    }

    /// The same for processes beside the main one.
    fn measure_others(&self, state: &mut State, now: Instant) {
        if state.others.is_some_and(|(then, _)| now - then < PACE) {
            return;
        }
        let computed = self.meter.read_others();
        if let Some((_, before)) = state.others {
            let outside = computed
                .saturating_sub(before)
                .saturating_sub(state.in_turns_of_others * self.cores);
            state.computed += outside;
        }
        (state.others, state.in_turns_of_others) = (Some((now, computed)), Duration::ZERO);
    }
}
