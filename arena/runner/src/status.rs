//! Status lines on standard error.

use std::fmt;
use std::io::{self, Write};

use arena_tournament::printable::clean_lines;

/// Prints a line, or several, on standard error. That nobody reads it must not end a tournament.
pub fn status(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", clean_lines(&line.to_string()));
}
