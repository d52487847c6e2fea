//! The terminal: its width, and whether it shows colours.

use std::env;
use std::io::{self, IsTerminal};

use terminal_size::{Width, terminal_size_of};

/// A colour of text on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Beside the point, and paler.
    Dim = 2,
    /// Right.
    Green = 32,
    /// A warning.
    Yellow = 33,
    /// Wrong.
    Red = 31,
}

/// True if a stream may be coloured: it is a terminal, and `NO_COLOR` is not set.
pub fn has_colours(stream: &impl IsTerminal) -> bool {
    let plain = env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
    !plain && stream.is_terminal()
}

/// A text for standard output, in this colour if that is a terminal with colours.
pub fn painted(text: &str, colour: Colour) -> String {
    let code = colour as u8;
    if has_colours(&io::stdout()) {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

/// The columns of what is no terminal.
const COLUMNS: usize = 80;
/// No table is drawn for less, since numbers are never cut.
const NARROWEST: usize = 40;

/// The columns of standard output: those of the terminal; else `COLUMNS`, or 80.
pub fn width() -> usize {
    let terminal = terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into());
    let columns = || env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(columns).unwrap_or(COLUMNS).max(NARROWEST)
}
