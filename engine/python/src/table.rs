//! The matches of a batch, behind a trait that is independent of the game.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use arena_bots::roster;
use arena_engine::chance::Seed;
use arena_engine::draws::Draws;
use arena_engine::fault::Fault;
use arena_engine::game::Game;
use arena_engine::machine::{BadTable, Match};
use arena_engine::outcome::{Outcome, Verdict};
use arena_engine::player::{Player, Start, act, bot_seed};
use arena_engine::record::{RecordOf, Replied, Reply};
use arena_engine::resample::{resample, seen};
use arena_engine::seat::{BySeat, Seat};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::space::{Observer, Schema, Space, Variant};

/// Index of the action that forfeits.
pub const FORFEIT: i32 = -1;

/// Minimum work that justifies starting another thread.
const MIN_WORK_PER_THREAD: Duration = Duration::from_micros(300);

/// Number of matches without opponents played between reads of the clock.
const UNTIMED_MATCHES: usize = 16;

/// Initial capacity for a match's events.
const EVENT_CAPACITY: usize = 128;

/// Interval at which the calling thread checks for interrupts.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

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
    used: usize,
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

/// The reason why a batch cannot be created.
pub enum Refused {
    /// The arguments are invalid.
    Arguments(String),
    /// There is not enough memory for this many matches.
    Memory(usize),
}

impl From<String> for Refused {
    fn from(complaint: String) -> Self {
        Refused::Arguments(complaint)
    }
}

/// The matches of a batch, independent of the game.
pub trait Tables: Send {
    /// Returns the slices of observations.
    fn schema(&self) -> Schema;
    /// Returns the number of actions.
    fn actions(&self) -> usize;
    /// Returns a match's row after the last call.
    fn row(&self, at: usize) -> &Row;
    /// Returns `true` for a few matches without opponents, whose play takes less time than reading the clock.
    fn is_quick(&self) -> bool;
    /// Begins all matches, with these seeds if given. `poll` returns `false` to interrupt.
    fn reset(&mut self, seeds: Option<&[Seed]>, poll: &mut dyn FnMut() -> bool) -> Ended;
    /// Carries out an action in each match, followed by the opponents' replies.
    fn step(&mut self, actions: &[i32], poll: &mut dyn FnMut() -> bool) -> Ended;
    /// Returns the matches that ended in the last call, by index: verdict and record.
    fn finished(&self) -> Vec<(usize, Value)>;
    /// Writes the observation and mask of a seat of a match.
    fn observe(&mut self, at: usize, seat: Seat, obs: &mut [i16], mask: &mut [i8]) -> Result<()>;
    /// Returns the action with an index, for the seat that must act.
    fn action(&self, at: usize, index: usize) -> Result<Option<Value>>;
    /// Returns the index of an action, for the seat that must act.
    fn index(&self, at: usize, action: &str) -> Result<Option<usize>>;
    /// Returns the view of a seat.
    fn view(&mut self, at: usize, seat: Seat) -> Result<Value>;
    /// Returns a key that encodes the seat that must act, and everything that this seat has seen.
    fn state_key(&self, at: usize) -> Result<Vec<u8>>;
    /// Returns one match per seed, each of which may be this match as far as the seat that must act knows.
    fn resample(&self, at: usize, seeds: &[Seed]) -> std::result::Result<Box<dyn Tables>, Refused>;
    /// Returns the state from which the matches can continue.
    fn save(&self) -> Value;
    /// Restores a saved state of a batch with the same settings. `begun` tells whether its matches had begun.
    fn load(&mut self, saved: &str, begun: bool) -> Result<()>;
    /// Returns the events of a match so far, one sentence each, with nothing hidden.
    fn text(&self, at: usize) -> Result<Vec<String>>;
}

/// The matches of a batch in one game.
struct Batch<G: Space> {
    rules: G::Rules,
    setup: Setup,
    slots: Vec<Slot<G>>,
    /// Total time of the last call, summed over all threads.
    cost: Duration,
}

/// A position in the batch, at which matches are played one after the other.
struct Slot<G: Space> {
    draws: Draws,
    table: Match<G>,
    /// Seeds of the seats' own randomness.
    seeds: Vec<Seed>,
    players: Vec<Option<Box<dyn Player<G>>>>,
    observers: Vec<Observer<G>>,
    /// Number of matches begun in this slot.
    begun: u64,
    finished: Option<(Verdict, RecordOf<G>)>,
    row: Row,
}

/// Saved state of a slot: the draws and replies of its match, and the result of the last call.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Saved<G: Space> {
    begun: u64,
    draws: Draws,
    seeds: Vec<Seed>,
    replies: Vec<Replied<G::Action>>,
    finished: Option<(Verdict, RecordOf<G>)>,
    reward: Vec<f32>,
    done: bool,
}

/// Creates `n` matches, none of which has begun.
pub fn new<G: Space>(
    rules: Option<&str>,
    n: usize,
    setup: Setup,
) -> std::result::Result<Box<dyn Tables>, Refused> {
    let rules = rules.map_or(Ok(G::Rules::default()), |text| parse(text, "the rules"))?;
    Ok(Box::new(Batch::<G>::new(rules, n, setup)?))
}

impl<G: Space> Batch<G> {
    fn new(rules: G::Rules, n: usize, setup: Setup) -> std::result::Result<Self, Refused> {
        let bad = |error: BadTable| error.to_string();
        arena_engine::machine::check::<G>(&rules, setup.seats).map_err(bad)?;
        for name in setup.opponents.iter().flatten() {
            let names = || roster::names(G::NAME).collect::<Vec<_>>().join(", ");
            roster::make::<G>(name).ok_or_else(|| {
                format!("there is no bot {name} for {}: choose {}", G::NAME, names())
            })?;
        }
        let actions = G::actions(&rules, setup.seats)?;
        let start = Start {
            rules: &rules,
            seat: Seat(0),
            seats: setup.seats,
            seed: setup.seed,
            move_ms: None,
        };
        let length = Observer::<G>::new(&start, setup.variant)
            .schema(actions)
            .length();
        // Matches and rows are many small allocations. Therefore first check that a single allocation of their total size succeeds.
        let row = size_of_val(&[0_i16]) * length + actions + size_of_val(&[0_f32]) * setup.seats;
        let room =
            (size_of::<Slot<G>>() + EVENT_CAPACITY * size_of::<G::Event>() + row).checked_mul(n);
        let has_room = |room| Vec::<u8>::new().try_reserve_exact(room).is_ok();
        if !room.is_some_and(has_room) {
            return Err(Refused::Memory(n));
        }
        let slot = |_| {
            let draws = Draws::from(setup.seed);
            let table = Match::new(&rules, setup.seats, draws.clone()).map_err(bad)?;
            let players = setup
                .opponents
                .iter()
                .map(|name| name.as_ref().and_then(|name| roster::make(name)))
                .collect();
            let obs = vec![0; length];
            let mask = vec![0; actions];
            let reward = vec![0.0; setup.seats];
            let row = Row {
                obs,
                changed: length,
                used: 0,
                mask,
                masked: true,
                seat: -1,
                reward,
                done: false,
            };
            Ok(Slot {
                draws,
                table,
                seeds: Vec::new(),
                players,
                observers: Vec::new(),
                begun: 0,
                finished: None,
                row,
            })
        };
        let slots = (0..n).map(slot).collect::<Result<_>>()?;
        Ok(Self {
            rules,
            setup,
            slots,
            cost: Duration::ZERO,
        })
    }
}

/// Parses JSON. `what` names the value in errors.
pub fn parse<T: serde::de::DeserializeOwned>(text: &str, what: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| format!("{what} cannot be read: {error}"))
}

/// Converts a value to JSON.
pub fn value(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("what leaves the engine can be written as JSON")
}

impl<G: Space> Batch<G> {
    fn slot(&self, at: usize) -> Result<&Slot<G>> {
        self.slots
            .get(at)
            .ok_or_else(|| no_match(at, self.slots.len()))
    }

    /// Returns the up-to-date observer of a seat played by the caller.
    fn observer(&mut self, at: usize, seat: Seat) -> Result<(&mut Match<G>, &mut Observer<G>)> {
        let n = self.slots.len();
        let slot = self.slots.get_mut(at).ok_or_else(|| no_match(at, n))?;
        if slot.players.get(seat.index()).is_none_or(Option::is_some) {
            return Err(format!("seat {seat} is not the caller's"));
        }
        let observer = slot
            .observers
            .get_mut(seat.index())
            .ok_or("call reset first")?;
        observer.see(slot.table.new_events(seat));
        Ok((&mut slot.table, observer))
    }

    /// Returns a slot, and the seat that must act there.
    fn acting(&self, at: usize) -> Result<(&Slot<G>, Seat)> {
        let slot = self.slot(at)?;
        let seat = slot.table.to_act().first().filter(|_| slot.begun > 0);
        seat.map(|seat| (slot, seat))
            .ok_or_else(|| format!("nobody acts in match {at}: call reset"))
    }

    /// Returns the observer of the seat that must act.
    fn observing(&self, at: usize) -> Result<&Observer<G>> {
        let (slot, seat) = self.acting(at)?;
        Ok(&slot.observers[seat.index()])
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
fn each<G: Space>(
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
fn is_quick<G: Space>(slots: &[Slot<G>]) -> bool {
    slots.len() < UNTIMED_MATCHES
        && slots
            .iter()
            .all(|slot| slot.players.iter().all(Option::is_none))
}

/// Returns the seeds of the seats' own randomness in a match with this seed.
fn own_seeds(seed: Seed, seats: usize) -> Vec<Seed> {
    let seats = Seat::all(seats).into_iter();
    seats.map(|seat| bot_seed(seed, seat)).collect()
}

fn no_match(at: usize, n: usize) -> String {
    format!(
        "there is no match {at}: matches are numbered from 0 to {}",
        n - 1
    )
}

impl<G: Space> Slot<G> {
    /// Begins a match, and plays until the caller must act.
    fn begin(&mut self, rules: &G::Rules, setup: &Setup, seed: Seed) {
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
    fn sit_down(
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
    fn save(&self) -> Saved<G> {
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
    fn load(&mut self, rules: &G::Rules, setup: &Setup, saved: Saved<G>) -> Result<()> {
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
    fn next_seed(&self, setup: &Setup, at: usize) -> Seed {
        setup
            .seed
            .child("batch", at as u64)
            .child("match", self.begun)
    }

    /// Lets the opponents act until the caller must act or the match is over.
    fn play_opponents(&mut self) {
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
    fn step(&mut self, rules: &G::Rules, setup: &Setup, at: usize, index: i32) {
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
    fn end(&mut self, rules: &G::Rules, setup: &Setup, at: usize) {
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
    fn show_all(&mut self) {
        self.row.done = false;
        self.row.reward.fill(0.0);
        // The row may hold anything, even the result of half a step. Rewrite it completely.
        self.row.used = self.row.obs.len();
        self.row.seat = -1;
        self.show();
    }

    /// Writes the observation and mask of the seat that must act.
    #[inline]
    fn show(&mut self) {
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

impl<G: Space> Tables for Batch<G> {
    fn schema(&self) -> Schema {
        let Setup {
            seats,
            seed,
            variant,
            ..
        } = self.setup;
        let start = Start {
            rules: &self.rules,
            seat: Seat(0),
            seats,
            seed,
            move_ms: None,
        };
        Observer::<G>::new(&start, variant).schema(self.actions())
    }

    fn actions(&self) -> usize {
        self.slots[0].row.mask.len()
    }

    fn row(&self, at: usize) -> &Row {
        &self.slots[at].row
    }

    fn is_quick(&self) -> bool {
        is_quick(&self.slots)
    }

    fn reset(&mut self, seeds: Option<&[Seed]>, poll: &mut dyn FnMut() -> bool) -> Ended {
        let Self {
            rules,
            setup,
            slots,
            cost,
        } = self;
        let begin = |at: usize, slot: &mut Slot<G>| {
            let seed = seeds.map_or_else(|| slot.next_seed(setup, at), |seeds| seeds[at]);
            slot.finished = None;
            slot.begin(rules, setup, seed);
            slot.show_all();
        };
        each(slots, setup.threads, cost, begin, poll)
    }

    fn step(&mut self, actions: &[i32], poll: &mut dyn FnMut() -> bool) -> Ended {
        let Self {
            rules,
            setup,
            slots,
            cost,
        } = self;
        each(
            slots,
            setup.threads,
            cost,
            |at, slot| slot.step(rules, setup, at, actions[at]),
            poll,
        )
    }

    fn finished(&self) -> Vec<(usize, Value)> {
        let auto = self.slots.iter().map(|slot| {
            slot.finished
                .as_ref()
                .map(|(verdict, record)| (verdict, record))
        });
        let here = self.slots.iter().map(|slot| {
            Some((
                slot.table.verdict().filter(|_| slot.row.done)?,
                slot.table.record(),
            ))
        });
        let ends = auto
            .zip(here)
            .map(|(before, now)| before.or(now))
            .enumerate();
        let json = |verdict, record| json!({ "verdict": value(verdict), "record": value(record) });
        ends.filter_map(|(at, end)| end.map(|(verdict, record)| (at, json(verdict, record))))
            .collect()
    }

    fn observe(&mut self, at: usize, seat: Seat, obs: &mut [i16], mask: &mut [i8]) -> Result<()> {
        let (table, observer) = self.observer(at, seat)?;
        mask.fill(0);
        if table.to_act().first() == Some(seat) {
            G::mask(observer, &table.game().options(seat), mask);
        }
        observer.write(obs, mask);
        Ok(())
    }

    fn action(&self, at: usize, index: usize) -> Result<Option<Value>> {
        let known = index < self.actions();
        Ok(G::action(self.observing(at)?, index)
            .filter(|_| known)
            .map(|action| value(&action)))
    }

    fn index(&self, at: usize, action: &str) -> Result<Option<usize>> {
        Ok(G::index(self.observing(at)?, &parse(action, "the action")?))
    }

    fn view(&mut self, at: usize, seat: Seat) -> Result<Value> {
        Ok(value(&self.observer(at, seat)?.1.view))
    }

    fn state_key(&self, at: usize) -> Result<Vec<u8>> {
        let (slot, seat) = self.acting(at)?;
        let events: Vec<G::Event> = seen(&slot.table, seat).collect();
        Ok(value(&(seat, events)).to_string().into_bytes())
    }

    fn resample(&self, at: usize, seeds: &[Seed]) -> std::result::Result<Box<dyn Tables>, Refused> {
        let (slot, seat) = self.acting(at)?;
        let setup = Setup {
            seed: seeds[0],
            opponents: vec![None; self.setup.seats],
            auto_reset: false,
            ..self.setup.clone()
        };
        let mut batch = Self::new(self.rules.clone(), seeds.len(), setup)?;
        for (other, seed) in batch.slots.iter_mut().zip(seeds) {
            let none = || format!("found no deal that fits what seat {seat} knows");
            let (draws, table) = resample(&slot.table, seat, *seed).ok_or_else(none)?;
            let mut seeds = own_seeds(draws.seed(), batch.setup.seats);
            // The seat knows its own draws.
            seeds[seat.index()] = slot.seeds[seat.index()];
            other.sit_down(&batch.rules, &batch.setup, table, draws, seeds);
            other.begun = 1;
            other.show_all();
        }
        Ok(Box::new(batch))
    }

    fn save(&self) -> Value {
        let saved: Vec<_> = self.slots.iter().map(Slot::save).collect();
        value(&saved)
    }

    fn load(&mut self, saved: &str, begun: bool) -> Result<()> {
        let saved: Vec<Saved<G>> = parse(saved, "the saved batch")?;
        if saved.len() != self.slots.len() {
            return Err(format!(
                "{} matches were saved, not {}",
                saved.len(),
                self.slots.len()
            ));
        }
        for (slot, saved) in self.slots.iter_mut().zip(saved) {
            if begun {
                slot.load(&self.rules, &self.setup, saved)?;
            } else {
                slot.begun = saved.begun;
            }
        }
        Ok(())
    }

    fn text(&self, at: usize) -> Result<Vec<String>> {
        let names = BySeat::new(self.setup.seats, |seat| format!("seat {seat}"));
        Ok(self
            .slot(at)?
            .table
            .events()
            .iter()
            .map(|event| <G as Game>::describe(event, &names))
            .collect())
    }
}
