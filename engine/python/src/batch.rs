//! The class `Batch`: matches of one game played side by side, written into the arrays of the learner.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard};
use std::thread::available_parallelism;

use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::games::code_777::Code777;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::player::panic_message;
use arena_engine::seat::Seat;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyTuple};

use crate::convert::{
    copy, dumps, fields, integers, loads, no_game, seed_of, variant_of, writable,
};
use crate::slot::{Ended, FORFEIT, Setup};
use crate::table::{self, Refused, Tables};

/// Matches of one game, played side by side.
#[pyclass(frozen, module = "arena_engine")]
pub struct Batch {
    #[pyo3(get)]
    game: String,
    #[pyo3(get)]
    seats: usize,
    #[pyo3(get)]
    n: usize,
    /// Number of actions.
    #[pyo3(get)]
    actions: usize,
    /// Length of an observation.
    #[pyo3(get)]
    length: usize,
    /// The rules as JSON.
    rules: Option<String>,
    setup: Setup,
    state: Mutex<State>,
}

struct State {
    tables: Box<dyn Tables>,
    arrays: Option<Arrays>,
    /// True if the batch has been reset and not failed since.
    ready: bool,
}

/// The caller's arrays.
struct Arrays {
    obs: PyBuffer<i16>,
    mask: PyBuffer<i8>,
    seat: PyBuffer<i32>,
    reward: PyBuffer<f32>,
    done: PyBuffer<i8>,
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (game, rules=None, seats=2, n=1, seed=0, opponents=None, variant="private", auto_reset=true, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        game: String,
        rules: Option<&Bound<'_, PyDict>>,
        seats: usize,
        n: usize,
        seed: u64,
        opponents: Option<&Bound<'_, PyDict>>,
        variant: &str,
        auto_reset: bool,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        if n == 0 || threads == Some(0) {
            return Err(PyValueError::new_err(
                "a batch has 1 match or more, and 1 thread or more",
            ));
        }
        let cores = || available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(cores);
        let (seed, variant) = (seed_of(seed)?, variant_of(variant)?);
        let setup = Setup {
            seats,
            seed,
            variant,
            opponents: by_seat(opponents, seats)?,
            auto_reset,
            threads,
        };
        let rules = rules.map(|rules| dumps(rules)).transpose()?;
        let tables = make(&game, rules.as_deref(), n, setup.clone())?;
        Ok(Self::around(tables, game, rules, n, setup, false))
    }

    /// Returns an independent copy that continues identically, opponents included: its matches are replayed from their seeds and replies.
    fn copy(&self) -> PyResult<Self> {
        let state = self.state()?;
        let (rules, setup) = (self.rules.clone(), self.setup.clone());
        let mut tables = make(&self.game, rules.as_deref(), self.n, setup.clone())?;
        let saved = state.tables.save().to_string();
        tables
            .load(&saved, state.ready)
            .map_err(PyValueError::new_err)?;
        let game = self.game.clone();
        Ok(Self::around(
            tables,
            game,
            rules,
            self.n,
            setup,
            state.ready,
        ))
    }

    /// Returns the arguments from which unpickling recreates the batch.
    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let setup = &self.setup;
        let rules = self.rules.as_deref();
        let rules = rules.map(|rules| py.import("json")?.call_method1("loads", (rules,)));
        let opponents = PyDict::new(py);
        for (seat, name) in setup.opponents.iter().enumerate() {
            if let Some(name) = name {
                opponents.set_item(seat, name)?;
            }
        }
        (
            &self.game,
            rules.transpose()?,
            self.seats,
            self.n,
            u64::from(setup.seed),
            opponents,
            setup.variant.name(),
            setup.auto_reset,
            setup.threads,
        )
            .into_pyobject(py)
    }

    /// Returns the state from which unpickling continues the matches.
    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, bool)> {
        let state = self.state()?;
        let saved = state.tables.save().to_string();
        Ok((PyBytes::new(py, saved.as_bytes()), state.ready))
    }

    fn __setstate__(&self, saved: (Vec<u8>, bool)) -> PyResult<()> {
        let (saved, ready) = saved;
        let mut state = self.state()?;
        let saved = String::from_utf8_lossy(&saved);
        let loaded = state.tables.load(&saved, ready);
        loaded.map_err(PyValueError::new_err)?;
        state.ready = ready;
        Ok(())
    }

    /// Returns a match that may be this one as far as the seat that must act knows; for a list of seeds, one match per
    /// seed. All seats must be the caller's, and the match in progress without a successor.
    fn resample(&self, index: usize, seed: &Bound<'_, PyAny>) -> PyResult<Self> {
        let numbers = seed.extract().map(|seed| vec![seed]);
        let numbers = numbers.or_else(|_| seed.extract::<Vec<u64>>())?;
        if numbers.is_empty() {
            return Err(PyValueError::new_err("at least one seed is needed"));
        }
        let seeds = numbers.into_iter().map(seed_of);
        let seeds = seeds.collect::<PyResult<Vec<_>>>()?;
        let tables = self.state()?.tables.resample(index, &seeds);
        let setup = Setup {
            seed: seeds[0],
            opponents: vec![None; self.seats],
            auto_reset: false,
            ..self.setup.clone()
        };
        let (game, rules) = (self.game.clone(), self.rules.clone());
        Ok(Self::around(
            tables.map_err(refused)?,
            game,
            rules,
            seeds.len(),
            setup,
            true,
        ))
    }

    /// Returns everything the seat to act has seen in the match, as bytes. For the same seat, game and rules, they are
    /// equal if and only if the events seen are.
    fn state_key<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        let key = self.state()?.tables.state_key(index);
        Ok(PyBytes::new(py, &key.map_err(PyValueError::new_err)?))
    }

    /// Returns the slices of an observation.
    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        fields(py, &self.state()?.tables.schema())
    }

    /// Binds the arrays that `reset` and `step` write: int16 [n, length], int8 [n, actions], int32 [n], float32 [n, seats]
    /// and int8 [n]. Only changes are written, so nothing else may write to the arrays.
    fn bind(
        &self,
        obs: &Bound<'_, PyAny>,
        mask: &Bound<'_, PyAny>,
        seat: &Bound<'_, PyAny>,
        reward: &Bound<'_, PyAny>,
        done: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let arrays = Arrays {
            obs: writable(obs, "obs", self.n * self.length)?,
            mask: writable(mask, "mask", self.n * self.actions)?,
            seat: writable(seat, "seat", self.n)?,
            reward: writable(reward, "reward", self.n * self.seats)?,
            done: writable(done, "done", self.n)?,
        };
        let mut state = self.state()?;
        arrays.fill(obs.py(), state.tables.as_ref(), true);
        state.arrays = Some(arrays);
        Ok(())
    }

    /// Begins all matches again.
    #[pyo3(signature = (seeds=None))]
    fn reset(&self, py: Python<'_>, seeds: Option<Vec<u64>>) -> PyResult<()> {
        let seeds = seeds
            .map(|seeds| seeds.into_iter().map(seed_of).collect::<PyResult<Vec<_>>>())
            .transpose()?;
        if seeds.as_ref().is_some_and(|seeds| seeds.len() != self.n) {
            return Err(PyValueError::new_err(format!(
                "one seed for each of the {} matches is needed",
                self.n
            )));
        }
        let mut state = self.state()?;
        // Without arrays, the batch is not ready.
        state.ready = state.arrays.is_some();
        state.play(py, |tables, poll| tables.reset(seeds.as_deref(), poll))
    }

    /// Carries out an action for each match: integers of 32 or 64 bits, or an int for a single match; -1 forfeits.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let (one, many);
        let actions = if let Ok(action) = actions.cast_exact::<PyInt>() {
            one = [action.extract()?];
            &one[..]
        } else {
            many = integers(actions)?;
            &many[..]
        };
        let legal = FORFEIT..self.actions as i32;
        if actions.len() != self.n || actions.iter().any(|action| !legal.contains(action)) {
            let (n, most) = (self.n, self.actions - 1);
            return Err(PyValueError::new_err(format!(
                "{n} actions are needed, each from -1, which forfeits, to {most}"
            )));
        }
        self.state()?
            .play(py, |tables, poll| tables.step(actions, poll))
    }

    /// Returns the matches that ended in the last call, by index: verdict and record.
    #[getter]
    fn last<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let last = PyDict::new(py);
        for (at, end) in self.state()?.tables.finished() {
            last.set_item(at, loads(py, &end)?)?;
        }
        Ok(last)
    }

    /// Writes the observation and the mask of one seat of a match; the mask is empty unless the seat must act.
    fn observe(
        &self,
        at: usize,
        seat: u8,
        obs: &Bound<'_, PyAny>,
        mask: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let py = obs.py();
        let (obs, mask) = (
            writable(obs, "obs", self.length)?,
            writable(mask, "mask", self.actions)?,
        );
        let (mut numbers, mut legal) = (vec![0; self.length], vec![0; self.actions]);
        let mut state = self.state()?;
        state
            .tables
            .observe(at, Seat(seat), &mut numbers, &mut legal)
            .map_err(PyValueError::new_err)?;
        obs.copy_from_slice(py, &numbers)?;
        mask.copy_from_slice(py, &legal)
    }

    /// Returns the action with this index as protocol JSON, for the seat that must act; None if it does not exist now.
    fn action<'py>(&self, py: Python<'py>, at: usize, index: usize) -> PyResult<Bound<'py, PyAny>> {
        loads(
            py,
            &self
                .state()?
                .tables
                .action(at, index)
                .map_err(PyValueError::new_err)?
                .unwrap_or_default(),
        )
    }

    /// Returns the index of an action; None if it is not in the space.
    fn index(&self, at: usize, action: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        self.state()?
            .tables
            .index(at, &dumps(action)?)
            .map_err(PyValueError::new_err)
    }

    /// Returns the view of a seat as protocol JSON.
    fn view<'py>(&self, py: Python<'py>, at: usize, seat: u8) -> PyResult<Bound<'py, PyAny>> {
        loads(
            py,
            &self
                .state()?
                .tables
                .view(at, Seat(seat))
                .map_err(PyValueError::new_err)?,
        )
    }

    /// Returns the events of a match, one sentence each, with nothing hidden.
    fn text(&self, at: usize) -> PyResult<Vec<String>> {
        self.state()?.tables.text(at).map_err(PyValueError::new_err)
    }
}

impl Batch {
    fn around(
        tables: Box<dyn Tables>,
        game: String,
        rules: Option<String>,
        n: usize,
        setup: Setup,
        ready: bool,
    ) -> Self {
        Self {
            game,
            seats: setup.seats,
            n,
            actions: tables.actions(),
            length: tables.schema().length(),
            rules,
            setup,
            state: Mutex::new(State {
                tables,
                arrays: None,
                ready,
            }),
        }
    }

    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        // Do not block: the thread that holds the lock may be waiting for the interpreter.
        let busy = || PyRuntimeError::new_err("another thread uses this batch");
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(std::sync::TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) => Err(busy()),
        }
    }
}

impl State {
    /// Plays and fills the arrays, and releases the interpreter for all but the shortest calls. After an interruption or a panic, the batch
    /// can only be reset.
    fn play(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn Tables, &mut dyn FnMut() -> bool) -> Ended + Send,
    ) -> PyResult<()> {
        let Some(arrays) = &self.arrays else {
            return Err(PyRuntimeError::new_err("call bind first"));
        };
        if !std::mem::take(&mut self.ready) {
            return Err(PyRuntimeError::new_err("call reset first"));
        }
        let mut signal = None;
        let tables = self.tables.as_mut();
        let is_quick = tables.is_quick();
        let run = || {
            let mut poll = || {
                Python::attach(|py| {
                    py.check_signals()
                        .map_err(|error| signal = Some(error))
                        .is_ok()
                })
            };
            catch_unwind(AssertUnwindSafe(|| work(tables, &mut poll)))
        };
        let ended = if is_quick { run() } else { py.detach(run) };
        if let Some(error) = signal {
            return Err(error);
        }
        ended
            .map_err(|panic| panicked(&*panic))?
            .map_err(|_| PyRuntimeError::new_err("interrupted"))?;
        arrays.fill(py, self.tables.as_ref(), false);
        self.ready = true;
        Ok(())
    }
}

/// Creates the matches of a new batch.
fn make(game: &str, rules: Option<&str>, n: usize, setup: Setup) -> PyResult<Box<dyn Tables>> {
    let tables = match game {
        Coda::NAME => table::new::<Coda>(rules, n, setup),
        Code777::NAME => table::new::<Code777>(rules, n, setup),
        CrackTheCode::NAME => table::new::<CrackTheCode>(rules, n, setup),
        DigitCode::NAME => table::new::<DigitCode>(rules, n, setup),
        _ => return Err(no_game(game)),
    };
    tables.map_err(refused)
}

fn refused(refused: Refused) -> PyErr {
    match refused {
        Refused::Arguments(complaint) => PyValueError::new_err(complaint),
        Refused::Memory(n) => PyMemoryError::new_err(format!("no memory for {n} matches")),
    }
}

/// Converts a panic to a Python exception.
fn panicked(panic: &(dyn Any + Send)) -> PyErr {
    PyRuntimeError::new_err(format!("the engine panicked: {}", panic_message(panic)))
}

/// Panics; used by tests.
#[pyfunction]
pub fn _panic(py: Python<'_>) -> PyResult<()> {
    py.detach(|| catch_unwind(|| panic!("on purpose")))
        .map_err(|panic| panicked(&*panic))
}

impl Arrays {
    /// Copies the row of each match to the arrays: all of it, or only the part that the last call may have changed.
    fn fill(&self, py: Python<'_>, tables: &dyn Tables, all: bool) {
        for at in 0..self.seat.item_count() {
            let row = tables.row(at);
            let changed = if all { row.obs.len() } else { row.changed };
            copy(py, &row.obs[..changed], &self.obs, at * row.obs.len());
            if all || row.masked {
                copy(py, &row.mask, &self.mask, at * row.mask.len());
            }
            copy(py, &[row.seat], &self.seat, at);
            copy(py, &row.reward, &self.reward, at * row.reward.len());
            copy(py, &[row.done.into()], &self.done, at);
        }
    }
}

/// Returns the opponents' names by seat.
fn by_seat(opponents: Option<&Bound<'_, PyDict>>, seats: usize) -> PyResult<Vec<Option<String>>> {
    let mut names = vec![None; seats];
    for (seat, name) in opponents.into_iter().flatten() {
        let seat: usize = seat.extract()?;
        let wrong = || {
            PyValueError::new_err(format!(
                "there is no seat {seat}: seats are numbered from 0 to {}",
                seats - 1
            ))
        };
        *names.get_mut(seat).ok_or_else(wrong)? = Some(name.extract()?);
    }
    if names.iter().all(Option::is_some) {
        return Err(PyValueError::new_err(
            "at least one seat must be the caller's: leave it out of the opponents",
        ));
    }
    Ok(names)
}
