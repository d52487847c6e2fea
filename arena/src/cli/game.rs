//! Games on the command line: by name, or by the folder of one.

use std::ffi::OsStr;
use std::path::Path;

use arena_engine::table;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{Error, ErrorKind};
use clap::{Arg, Command};

/// Parses a game of this program, or loads the one in a folder, whose path holds a slash. Returns its full name.
#[derive(Clone)]
pub struct GameParser;

impl TypedValueParser for GameParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        match value.to_str().filter(|value| value.contains('/')) {
            Some(path) => load(path).map_err(|why| {
                Error::raw(ErrorKind::ValueValidation, why + "\n").with_cmd(command)
            }),
            None => names().parse_ref(command, arg, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = table::names().iter();
        Some(Box::new(names.map(PossibleValue::new)))
    }
}

/// Loads the game if this is the path of its folder. Other names are checked later.
///
/// # Errors
/// If it cannot be loaded.
pub fn loaded(name: &str) -> Result<String, String> {
    if name.contains('/') {
        load(name)
    } else {
        Ok(name.to_owned())
    }
}

fn load(path: &str) -> Result<String, String> {
    table::load(Path::new(path)).map(|entry| entry.name.to_owned())
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(table::names())
}
