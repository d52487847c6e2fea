//! Prints status lines on standard error.

use std::fmt;
use std::io::{self, IsTerminal, Write};

use arena_tournament::printable::{clean, clean_lines};

/// Prints a text on standard error. Write errors are ignored, because a closed standard error must not end a tournament.
pub fn status(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", clean_lines(&line.to_string()));
}

/// Prints a line on standard error. On a terminal that supports colours, the line has this colour.
pub fn coloured(line: &str, code: u8) {
    let has_colours =
        io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    let line = clean(line);
    let text = if has_colours {
        format!("\x1b[{code}m{line}\x1b[0m\n")
    } else {
        line + "\n"
    };
    let _ = io::stderr().write_all(text.as_bytes());
}
