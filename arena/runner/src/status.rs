//! Status lines on standard error.

use std::fmt;
use std::io::{self, Write};

/// Prints one line on standard error. That nobody reads it must not end a tournament.
pub fn status(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
