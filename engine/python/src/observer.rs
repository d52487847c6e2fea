//! The class `Observer`: the observations of one seat, computed from the protocol messages that any bot receives.

use std::sync::Mutex;

use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::games::code_777::Code777;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::player::Start;
use arena_engine::seat::Seat;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::convert::{dumps, loads, no_game, seed_of, variant_of, writable};
use crate::slot::Result;
use crate::space::{self, Space, Variant};
use crate::table::{parse, value};

/// One seat of a match that is played elsewhere.
#[pyclass(frozen, module = "arena_engine")]
pub struct Observer {
    /// Number of actions.
    #[pyo3(get)]
    actions: usize,
    /// Length of an observation.
    #[pyo3(get)]
    length: usize,
    seen: Mutex<Box<dyn Seen>>,
}

/// The observer of a seat, independent of the game.
trait Seen: Send {
    fn see(&mut self, events: &str) -> Result<()>;
    fn write(&mut self, prompt: &str, obs: &mut [i16], mask: &mut [i8]) -> Result<()>;
    fn action(&self, index: usize) -> Option<Value>;
}

impl<G: Space> Seen for space::Observer<G> {
    fn see(&mut self, events: &str) -> Result<()> {
        self.see(parse::<Vec<G::Event>>(events, "the events")?.into_iter());
        Ok(())
    }

    fn write(&mut self, prompt: &str, obs: &mut [i16], mask: &mut [i8]) -> Result<()> {
        let prompt = parse(prompt, "the prompt")?;
        G::mask(self, &prompt, mask);
        self.write(obs, mask);
        Ok(())
    }

    fn action(&self, index: usize) -> Option<Value> {
        G::action(self, index).map(|action| value(&action))
    }
}

impl Observer {
    /// Creates the observer of a seat in this game; the rules are JSON text.
    fn from_start<G: Space>(start: &Start<'_, str>, variant: Variant) -> Result<Self> {
        let rules = parse(start.rules, "the rules")?;
        let seats = start.seats;
        arena_engine::machine::check::<G>(&rules, seats).map_err(|error| error.to_string())?;
        let start = Start {
            rules: &rules,
            seat: start.seat,
            seats,
            seed: start.seed,
            move_ms: None,
        };
        let observer = space::Observer::<G>::new(&start, variant);
        let actions = G::actions(&rules, seats)?;
        let length = observer.schema(actions).length();
        Ok(Self {
            actions,
            length,
            seen: Mutex::new(Box::new(observer)),
        })
    }
}

#[pymethods]
impl Observer {
    /// Creates an observer from the protocol message `start`.
    #[new]
    #[pyo3(signature = (start, variant="private"))]
    fn new(start: &Bound<'_, PyDict>, variant: &str) -> PyResult<Self> {
        let item = |key: &str| start.as_any().get_item(key);
        let (seats, seat): (usize, u8) = (item("seats")?.extract()?, item("seat")?.extract()?);
        let (game, rules): (String, String) = (item("game")?.extract()?, dumps(&item("rules")?)?);
        let (seed, variant) = (seed_of(item("seed")?.extract()?)?, variant_of(variant)?);
        let new = match &*game {
            Coda::NAME => Self::from_start::<Coda>,
            Code777::NAME => Self::from_start::<Code777>,
            CrackTheCode::NAME => Self::from_start::<CrackTheCode>,
            DigitCode::NAME => Self::from_start::<DigitCode>,
            _ => return Err(no_game(&game)),
        };
        let start = Start {
            rules: &*rules,
            seat: Seat(seat),
            seats,
            seed,
            move_ms: None,
        };
        new(&start, variant).map_err(PyValueError::new_err)
    }

    /// Processes the events of a `turn` message.
    fn see(&self, events: &Bound<'_, PyAny>) -> PyResult<()> {
        let events = dumps(events)?;
        self.seen().see(&events).map_err(PyValueError::new_err)
    }

    /// Writes the observation and the mask for a prompt: int16 [length] and int8 [actions].
    fn write(
        &self,
        prompt: &Bound<'_, PyAny>,
        obs: &Bound<'_, PyAny>,
        mask: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let py = prompt.py();
        let (obs, mask) = (
            writable(obs, "obs", self.length)?,
            writable(mask, "mask", self.actions)?,
        );
        let (mut numbers, mut legal) = (vec![0; self.length], vec![0; self.actions]);
        let prompt = dumps(prompt)?;
        self.seen()
            .write(&prompt, &mut numbers, &mut legal)
            .map_err(PyValueError::new_err)?;
        obs.copy_from_slice(py, &numbers)?;
        mask.copy_from_slice(py, &legal)
    }

    /// Returns the action with this index as protocol JSON.
    fn action<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let action = if index < self.actions {
            self.seen().action(index)
        } else {
            None
        };
        let none = || PyValueError::new_err(format!("there is no action {index} now"));
        loads(py, &action.ok_or_else(none)?)
    }
}

impl Observer {
    fn seen(&self) -> std::sync::MutexGuard<'_, Box<dyn Seen>> {
        self.seen
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
