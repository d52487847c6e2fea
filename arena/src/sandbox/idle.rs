//! What bots compute outside their turns, when nothing is asked of them: more than an allowance, and they are frozen there
//! from then on, in all of their processes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::platform::{Meter, Reading};

/// What a process may compute outside its turns in its life, since compilers and collectors of garbage have work left...
const ALLOWANCE: Duration = Duration::from_secs(1);
/// ...beside a share of the time.
const SHARE: u32 = 10;
/// A shorter time between two turns is not looked at.
const SHORT: Duration = Duration::from_millis(2);
/// The time between two looks at processes that no control group counts, since those cost more.
const PACE: Duration = Duration::from_millis(100);

/// The bots of a run, and which of them are frozen outside their turns.
#[derive(Debug, Default)]
pub struct Watchlist {
    frozen: Mutex<BTreeMap<String, Arc<AtomicBool>>>,
    idlers: Mutex<Vec<Weak<Idler>>>,
}

/// A process of a bot, in turns and outside them.
#[derive(Debug)]
pub struct Idler {
    meter: Arc<Meter>,
    began: Instant,
    /// The cores that it may use at the same time.
    cores: u32,
    is_frozen: Arc<AtomicBool>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    open: u32,
    /// When its last turn ended or it was last looked at, and what it had computed then.
    since: Option<(Instant, Reading)>,
    /// The same for processes beside the main one, if they are counted apart, and the time spent in turns since then.
    others: Option<(Instant, Duration)>,
    in_turns: Duration,
    turn_began: Option<Instant>,
    /// What it has computed outside its turns.
    computed: Duration,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watchlist {
    /// Adds a process of the bot of this name.
    pub fn add(&self, bot: &str, meter: Arc<Meter>, cores: u32) -> Arc<Idler> {
        let is_frozen = Arc::clone(lock(&self.frozen).entry(bot.to_owned()).or_default());
        let idler = Idler { meter, began: Instant::now(), cores, is_frozen, state: Mutex::default() };
        let idler = Arc::new(idler);
        let mut idlers = lock(&self.idlers);
        idlers.retain(|idler| idler.strong_count() > 0);
        idlers.push(Arc::downgrade(&idler));
        idler
    }

    /// Looks at all bots that are not to compute now, and freezes those that do so beyond measure.
    pub fn look(&self) {
        let idlers: Vec<Arc<Idler>> = lock(&self.idlers).iter().filter_map(Weak::upgrade).collect();
        idlers.iter().for_each(|idler| idler.look());
    }
}

impl Idler {
    /// True if the bot is frozen outside its turns.
    pub fn is_frozen(&self) -> bool {
        self.is_frozen.load(Ordering::Relaxed)
    }

    /// Its processes are about to be sent a turn, or must be able to go on for another reason. Returns what they have
    /// computed so far, if that is known.
    pub fn begin_turn(&self) -> Option<Reading> {
        let mut state = lock(&self.state);
        if state.open == 0 {
            self.measure(&mut state);
            state.turn_began = Some(Instant::now());
            if self.is_frozen() {
                self.meter.thaw();
            }
        }
        state.open += 1;
        state.since.map(|(_, reading)| reading).or_else(|| self.meter.read())
    }

    /// The turn is over. Returns what its processes have computed so far, if that is known.
    pub fn end_turn(&self) -> Option<Reading> {
        let reading = self.meter.read();
        let mut state = lock(&self.state);
        state.open = state.open.saturating_sub(1);
        if state.open == 0 {
            state.since = reading.map(|reading| (Instant::now(), reading));
            let turn = state.turn_began.take().map_or(Duration::ZERO, |began| began.elapsed());
            state.in_turns += turn;
            if self.is_frozen() {
                self.meter.freeze();
            }
        }
        reading
    }

    fn look(&self) {
        let mut state = lock(&self.state);
        if state.open == 0 && !self.is_frozen() {
            self.measure(&mut state);
            if self.is_frozen() {
                self.meter.freeze();
            }
        }
    }

    /// Adds what was computed since the last turn.
    fn measure(&self, state: &mut State) {
        let Some((since, before)) = state.since else { return };
        if since.elapsed() < SHORT {
            return;
        }
        let Some(now) = self.meter.read() else { return };
        state.computed += now.since(before).unwrap_or_default();
        state.since = Some((Instant::now(), now));
        if !self.meter.counts_all() {
            self.measure_others(state);
        }
        if state.computed > ALLOWANCE + self.began.elapsed() / SHARE {
            self.is_frozen.store(true, Ordering::Relaxed);
        }
    }

    /// Adds what processes beside the main one have computed, less all that they can have computed in turns.
    fn measure_others(&self, state: &mut State) {
        if state.others.is_some_and(|(then, _)| then.elapsed() < PACE) {
            return;
        }
        let now = self.meter.read_others();
        if let Some((_, before)) = state.others {
            state.computed += now.saturating_sub(before).saturating_sub(state.in_turns * self.cores);
        }
        state.others = Some((Instant::now(), now));
        state.in_turns = Duration::ZERO;
    }
}
