//! What is said on standard error.

use std::fmt;
use std::io::{self, Write};

/// Says something on standard error. That nobody listens there must not end a tournament.
pub fn tell(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
