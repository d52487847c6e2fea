//! Python bindings of the engine: batches of matches whose observations are written in place, and the observations of a single bot.

mod batch;
mod convert;
mod games;
mod observer;
mod slot;
mod space;
mod table;

use pyo3::prelude::*;

/// The compiled part of `arena_engine`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::batch::{_panic, Batch};
    #[pymodule_export]
    use super::observer::Observer;

    use super::{Bound, PyModule, PyModuleMethods, PyResult};
    use arena_bots::roster;
    use arena_engine::table;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("GAMES", table::names())?;
        let bots = table::names()
            .iter()
            .map(|game| (*game, roster::names(game).collect::<Vec<_>>()));
        module.add("BOTS", bots.collect::<std::collections::BTreeMap<_, _>>())
    }
}
