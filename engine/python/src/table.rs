//! The matches of a batch, behind a trait that is independent of the game.

use std::time::Duration;

use arena_bots::roster;
use arena_engine::chance::Seed;
use arena_engine::draws::Draws;
use arena_engine::game::Game;
use arena_engine::machine::{BadTable, Match};
use arena_engine::player::Start;
use arena_engine::resample::{resample, seen};
use arena_engine::seat::{BySeat, Seat};
use serde_json::{Value, json};

use crate::slot::{
    EVENT_CAPACITY, Ended, Result, Row, Saved, Setup, Slot, each, is_quick, own_seeds,
};
use crate::space::{Observer, Schema, Space};

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

fn no_match(at: usize, n: usize) -> String {
    format!(
        "there is no match {at}: matches are numbered from 0 to {}",
        n - 1
    )
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
