//! Conversions between Python and Rust: arrays, JSON, names and integers.

use arena_engine::chance::Seed;
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

use crate::space::{Schema, Variant};

/// Reads integers of 32 or 64 bits. Integers that are too large become [`i32::MAX`], which is not an action.
pub fn integers(array: &Bound<'_, PyAny>) -> PyResult<Vec<i32>> {
    fn read<T: Element + TryInto<i32>>(array: &Bound<'_, PyAny>) -> PyResult<Vec<i32>> {
        let numbers = PyBuffer::<T>::get(array)?.to_vec(array.py())?;
        let numbers = numbers.into_iter();
        Ok(numbers
            .map(|one| one.try_into().unwrap_or(i32::MAX))
            .collect())
    }
    read::<i32>(array)
        .or_else(|_| read::<i64>(array))
        .or_else(|_| read::<u32>(array))
        .or_else(|_| read::<u64>(array))
        .or_else(|_| array.extract().map(|one| vec![one]))
        .map_err(|_| PyTypeError::new_err("actions are integers of 32 or 64 bits"))
}

/// Copies numbers into an array that has been checked by [`writable`].
#[expect(
    unsafe_code,
    reason = "pyo3 copies whole arrays only, and most of an observation stays as it is"
)]
pub fn copy<T: Element>(_: Python<'_>, from: &[T], array: &PyBuffer<T>, at: usize) {
    assert!(
        at + from.len() <= array.item_count(),
        "the rows fit the arrays"
    );
    // SAFETY: the array is contiguous, aligned and not read-only, the buffer keeps it in place, and the numbers lie within it. As in
    // `PyBuffer::copy_from_slice`, the interpreter is held, and no reference to the array is made.
    unsafe {
        array
            .buf_ptr()
            .cast::<T>()
            .add(at)
            .copy_from_nonoverlapping(from.as_ptr(), from.len())
    }
}

/// Returns the buffer of an array if it can be written in place and has this many items.
pub fn writable<T: Element>(
    array: &Bound<'_, PyAny>,
    name: &str,
    items: usize,
) -> PyResult<PyBuffer<T>> {
    let buffer = PyBuffer::<T>::get(array)?;
    let complaint = if buffer.readonly() {
        "is read-only".to_owned()
    } else if !buffer.is_c_contiguous() {
        "is not contiguous".to_owned()
    } else if buffer.item_count() != items {
        format!("has {} items, {items} are needed", buffer.item_count())
    } else {
        return Ok(buffer);
    };
    Err(PyValueError::new_err(format!("{name} {complaint}")))
}

/// Converts a JSON value to a Python object.
pub fn loads<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?
        .call_method1("loads", (value.to_string(),))
}

/// Converts a Python object to JSON.
pub fn dumps(value: &Bound<'_, PyAny>) -> PyResult<String> {
    value
        .py()
        .import("json")?
        .call_method1("dumps", (value,))?
        .extract()
}

/// Returns the seed with this number.
pub fn seed_of(seed: u64) -> PyResult<Seed> {
    Seed::try_from(seed).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Returns the variant with this name.
pub fn variant_of(name: &str) -> PyResult<Variant> {
    let found = Variant::ALL.into_iter().find(|(other, _)| *other == name);
    let names = || Variant::ALL.map(|(name, _)| name).join(", ");
    let found = found.ok_or_else(|| {
        PyValueError::new_err(format!("there is no variant {name}: choose {}", names()))
    })?;
    Ok(found.1)
}

/// Returns the exception for an unknown game.
pub fn no_game(name: &str) -> PyErr {
    PyValueError::new_err(format!(
        "there is no game {name}: choose {}",
        arena_engine::table::names().join(", ")
    ))
}

/// Converts slices to Python dictionaries.
pub fn fields<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyList>> {
    let field = |field: &crate::space::Field| {
        let dict = PyDict::new(py);
        dict.set_item("name", field.name)?;
        dict.set_item("start", field.start)?;
        dict.set_item("shape", field.shape.clone())?;
        dict.set_item("high", field.high)?;
        dict.set_item("dtype", "int16")?;
        Ok(dict)
    };
    PyList::new(
        py,
        schema.0.iter().map(field).collect::<PyResult<Vec<_>>>()?,
    )
}
