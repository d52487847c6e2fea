//! A position in a batch, at which matches are played one after the other, and the threads that play them.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use arena_engine::chance::Seed;
use arena_engine::draws::Draws;
use arena_engine::fault::Fault;
use arena_engine::machine::Match;
use arena_engine::outcome::{Outcome, Verdict};
use arena_engine::player::{Player, Start, act, bot_seed};
use arena_engine::record::{RecordOf, Replied, Reply};
use arena_engine::seat::Seat;
use serde::{Deserialize, Serialize};

use crate::space::{Observer, Space, Variant};

/// Index of the action that forfeits.
pub const FORFEIT: i32 = -1;

/// Settings shared by all matches of a batch.
#[derive(Clone)]
pub struct Setup {
    pub seats: usize,
    pub seed: Seed,
    pub variant: Variant,
    /// Names of the built-in bots, by seat; the caller plays the other seats.
    pub opponents: Vec<Option<String>>,
    pub auto_reset: bool,
    pub threads: usize,
}

/// The caller's data of one match.
pub struct Row {
    pub obs: Vec<i16>,
    /// Length of the prefix of the observation that the last call may have changed.
    pub changed: usize,
    /// Length of the prefix of the observation after which everything is 0.
    pub used: usize,
    pub mask: Vec<i8>,
    /// True if the last call wrote the mask.
    pub masked: bool,
    /// The seat that must act; -1 if the match is over.
    pub seat: i32,
    pub reward: Vec<f32>,
    /// True if the last call ended a match.
    pub done: bool,
}

/// The error of a call that was interrupted before its end.
pub struct Interrupted;

/// The result of an interruptible call.
pub type Ended = std::result::Result<(), Interrupted>;

/// A result with an error message for the caller.
pub type Result<T> = std::result::Result<T, String>;

/// Minimum work that justifies starting another thread.
const MIN_WORK_PER_THREAD: Duration = Duration::from_micros(300);

/// Number of matches without opponents played between reads of the clock.
const UNTIMED_MATCHES: usize = 16;

/// Initial capacity for a match's events.
pub const EVENT_CAPACITY: usize = 128;

/// Interval at which the calling thread checks for interrupts.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A position in the batch, at which matches are played one after the other.
pub struct Slot<G: Space> {
    pub draws: Draws,
    pub table: Match<G>,
    /// Seeds of the seats' own randomness.
    pub seeds: Vec<Seed>,
    pub players: Vec<Option<Box<dyn Player<G>>>>,
    pub observers: Vec<Observer<G>>,
    /// Number of matches begun in this slot.
    pub begun: u64,
    pub finished: Option<(Verdict, RecordOf<G>)>,
    pub row: Row,
}

/// Saved state of a slot: the draws and replies of its match, and the result of the last call.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Saved<G: Space> {
    pub begun: u64,
    pub draws: Draws,
    pub seeds: Vec<Seed>,
    pub replies: Vec<Replied<G::Action>>,
    pub finished: Option<(Verdict, RecordOf<G>)>,
    pub reward: Vec<f32>,
    pub done: bool,
}

impl<G: Space> Slot<G> {
    /// Begins a match, and plays until the caller must act.
    pub fn begin(&mut self, rules: &G::Rules, setup: &Setup, seed: Seed) {
        self.begun += 1;
        let table = Match::new(rules, setup.seats, seed).expect("rules and seats were checked");
        self.sit_down(
            rules,
            setup,
            table,
            seed.into(),
            own_seeds(seed, setup.seats),
        );
        self.play_opponents();
        assert!(
            !self.table.is_over(),
            "the opponents forfeited before the caller could act"
        );
    }

    /// Starts to observe a match, given the seeds of the seats' own randomness.
    pub fn sit_down(
        &mut self,
        rules: &G::Rules,
        setup: &Setup,
        table: Match<G>,
        draws: Draws,
        seeds: Vec<Seed>,
    ) {
        self.table = table;
        self.draws = draws;
        self.seeds = seeds;
        self.observers.clear();
        for (seat, player) in Seat::all(setup.seats).into_iter().zip(&mut self.players) {
            let start = Start {
                rules,
                seat,
                seats: setup.seats,
                seed: self.seeds[seat.index()],
                move_ms: None,
            };
            self.observers.push(Observer::new(&start, setup.variant));
            player.iter_mut().for_each(|player| player.start(&start));
        }
    }

    /// Returns the state from which the slot can continue.
    pub fn save(&self) -> Saved<G> {
        let opened = self.table.record().replies.iter().cloned();
        let sealed = self.table.sealed();
        let sealed = sealed.map(|(seat, reply)| Replied(seat, reply.clone()));
        Saved {
            begun: self.begun,
            draws: self.draws.clone(),
            seeds: self.seeds.clone(),
            replies: opened.chain(sealed).collect(),
            finished: self.finished.clone(),
            reward: self.row.reward.clone(),
            done: self.row.done,
        }
    }

    /// Replays a saved match. Opponents compute their moves again, so that they continue as they would have without the interruption.
    pub fn load(&mut self, rules: &G::Rules, setup: &Setup, saved: Saved<G>) -> Result<()> {
        let bad = |error: &dyn Display| format!("the saved match cannot be played again: {error}");
        let table = Match::new(rules, setup.seats, saved.draws.clone());
        let table = table.map_err(|error| bad(&error))?;
        if saved.seeds.len() != setup.seats || saved.reward.len() != setup.seats {
            return Err(bad(&"it has other seats"));
        }
        self.sit_down(rules, setup, table, saved.draws, saved.seeds);
        for Replied(seat, reply) in saved.replies {
            if let Some(player) = self.players.get_mut(seat.index()).and_then(Option::as_mut)
                && self.table.to_act().contains(seat)
            {
                act(&mut self.table, seat, player.as_mut());
            }
            let played = self.table.reply(seat, reply);
            played.map_err(|error| bad(&error))?;
        }
        self.begun = saved.begun;
        self.finished = saved.finished;
        self.show_all();
        self.row.reward.copy_from_slice(&saved.reward);
        self.row.done = saved.done;
        Ok(())
    }

    /// Returns the seed of the next match in this slot, independent of the other slots.
    pub fn next_seed(&self, setup: &Setup, at: usize) -> Seed {
        setup
            .seed
            .child("batch", at as u64)
            .child("match", self.begun)
    }

    /// Lets the opponents act until the caller must act or the match is over.
    pub fn play_opponents(&mut self) {
        while let Some(seat) = self
            .table
            .to_act()
            .into_iter()
            .find(|seat| self.players[seat.index()].is_some())
        {
            if let Some(player) = &mut self.players[seat.index()] {
                let reply = act(&mut self.table, seat, player.as_mut());
                self.table.reply(seat, reply).expect("the seat had to act");
            }
        }
    }

    /// Carries out an action of the caller.
    #[inline]
    pub fn step(&mut self, rules: &G::Rules, setup: &Setup, at: usize, index: i32) {
        self.row.reward.fill(0.0);
        self.row.done = false;
        self.finished = None;
        let Some(acting) = self.table.to_act().first() else {
            return self.show();
        };
        let action = usize::try_from(index)
            .ok()
            .and_then(|index| G::action(&self.observers[acting.index()], index));
        let reply = action.map_or_else(|| Reply::Failed(forfeit(index)), Reply::Act);
        self.table
            .reply(acting, reply)
            .expect("the seat had to act");
        self.play_opponents();
        if self.table.is_over() {
            self.end(rules, setup, at);
        }
        self.show();
    }

    /// Handles the end of a match, and begins the next one if requested.
    pub fn end(&mut self, rules: &G::Rules, setup: &Setup, at: usize) {
        let outcome = self
            .table
            .verdict()
            .expect("the match is over")
            .outcome
            .clone();
        self.row.done = true;
        reward(&outcome, &mut self.row.reward);
        for (seat, player) in Seat::all(setup.seats).into_iter().zip(&mut self.players) {
            if let Some(player) = player
                && self.table.fault(seat).is_none()
            {
                player.end(&mut self.table.new_events(seat), &outcome);
            }
        }
        if setup.auto_reset {
            let next =
                Match::new(rules, setup.seats, setup.seed).expect("rules and seats were checked");
            let finished = std::mem::replace(&mut self.table, next).finish();
            self.finished = finished.map(|end| (end.verdict, end.record));
            self.begin(rules, setup, self.next_seed(setup, at));
        }
    }

    /// Writes the complete row of a match.
    pub fn show_all(&mut self) {
        self.row.done = false;
        self.row.reward.fill(0.0);
        // The row may hold anything, even the result of half a step. Rewrite it completely.
        self.row.used = self.row.obs.len();
        self.row.seat = -1;
        self.show();
    }

    /// Writes the observation and mask of the seat that must act.
    #[inline]
    pub fn show(&mut self) {
        let (row, acting) = (&mut self.row, self.table.to_act().first());
        let acted = row.seat >= 0;
        if let Some(seat) = acting {
            let observer = &mut self.observers[seat.index()];
            observer.see(self.table.new_events(seat));
            row.masked = !(G::ALL_LEGAL && acted);
            if row.masked {
                G::mask(observer, &self.table.game().options(seat), &mut row.mask);
            }
            let before = row.used;
            row.obs[..before].fill(0);
            row.used = observer.write(&mut row.obs, &row.mask);
            row.changed = before.max(row.used);
        } else {
            row.masked = acted;
            row.mask.fill(0);
            row.changed = 0;
        }
        row.seat = acting.map_or(-1, |seat| seat.0.into());
    }
}

/// Returns the fault of a seat that gave up or chose an action that does not exist.
fn forfeit(index: i32) -> Fault {
    let given_up = index == FORFEIT;
    Fault::illegal(if given_up {
        "gave up".into()
    } else {
        format!("there is no action {index} now")
    })
}

/// Writes each seat's reward, from -1 to 1: the fraction of other seats placed below it minus the fraction placed above it.
fn reward(outcome: &Outcome, rewards: &mut [f32]) {
    for (reward, mine) in rewards.iter_mut().zip(&outcome.seats) {
        let ahead: i32 = outcome
            .seats
            .iter()
            .map(|other| (other.place.cmp(&mine.place)) as i32)
            .sum();
        *reward = ahead as f32 / (outcome.seats.len() - 1) as f32;
    }
}

/// Runs slots one after the other, starting at index `first`, until interrupted.
fn run<G: Space>(
    first: usize,
    slots: &mut [Slot<G>],
    work: impl Fn(usize, &mut Slot<G>),
    on: &mut dyn FnMut() -> bool,
) {
    for (at, slot) in (first..).zip(slots) {
        // Without opponents, poll only once every few matches.
        if (at % UNTIMED_MATCHES == 0 || slot.players.iter().any(Option::is_some)) && !on() {
            return;
        }
        work(at, slot);
    }
}

/// Runs every slot, on several threads if `cost`, the total time of the last call, justifies them.
pub fn each<G: Space>(
    slots: &mut [Slot<G>],
    threads: usize,
    cost: &mut Duration,
    work: impl Fn(usize, &mut Slot<G>) + Sync,
    poll: &mut dyn FnMut() -> bool,
) -> Ended {
    let n = slots.len();
    let worth = 1 + (cost.as_nanos() / MIN_WORK_PER_THREAD.as_nanos()) as usize;
    let size = n.div_ceil(worth.min(threads));
    if is_quick(slots) {
        run(0, slots, work, &mut || true);
        return Ok(());
    }
    let began = Instant::now();
    let stop = AtomicBool::new(false);
    let mut polled = began;
    let mut on = || {
        if polled.elapsed() > POLL_INTERVAL {
            polled = Instant::now();
            stop.fetch_or(!poll(), Ordering::Relaxed);
        }
        !stop.load(Ordering::Relaxed)
    };
    if size == n {
        run(0, slots, &work, &mut on);
    } else {
        thread::scope(|scope| {
            let (mine, others) = slots.split_at_mut(size);
            for (first, others) in (size..).step_by(size).zip(others.chunks_mut(size)) {
                let (work, stop) = (&work, &stop);
                scope
                    .spawn(move || run(first, others, work, &mut || !stop.load(Ordering::Relaxed)));
            }
            run(0, mine, &work, &mut on);
        });
    }
    *cost = began.elapsed() * n.div_ceil(size) as u32;
    if stop.load(Ordering::Relaxed) {
        Err(Interrupted)
    } else {
        Ok(())
    }
}

/// Returns `true` for a few slots without opponents.
pub fn is_quick<G: Space>(slots: &[Slot<G>]) -> bool {
    slots.len() < UNTIMED_MATCHES
        && slots
            .iter()
            .all(|slot| slot.players.iter().all(Option::is_none))
}

/// Returns the seeds of the seats' own randomness in a match with this seed.
pub fn own_seeds(seed: Seed, seats: usize) -> Vec<Seed> {
    let seats = Seat::all(seats).into_iter();
    seats.map(|seat| bot_seed(seed, seat)).collect()
}
