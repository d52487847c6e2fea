//! Properties of the terminal: its width and colour support.

use std::env;
use std::io::{self, IsTerminal};

use terminal_size::{Width, terminal_size_of};

/// A text colour on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Secondary text, in a paler shade.
    Dim = 2,
    /// Success.
    Green = 32,
    /// A warning.
    Yellow = 33,
    /// An error.
    Red = 31,
}

/// Returns true if a stream may be coloured: it is a terminal, and `NO_COLOR` is not set.
pub fn has_colours(stream: &impl IsTerminal) -> bool {
    let plain = env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
    !plain && stream.is_terminal()
}

/// Colours a text for standard output if that is a terminal that supports colours.
pub fn painted(text: &str, colour: Colour) -> String {
    let code = colour as u8;
    if has_colours(&io::stdout()) {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

/// Width assumed if the output is not a terminal.
const DEFAULT_WIDTH: usize = 80;
/// Minimum width. Tables cannot be narrower, because numbers are never truncated.
const MIN_WIDTH: usize = 40;

/// Returns the width of standard output: that of the terminal, `$COLUMNS`, or 80, whichever is known first.
pub fn width() -> usize {
    let terminal = terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into());
    let columns = || env::var("COLUMNS").ok()?.parse().ok();
    terminal
        .or_else(columns)
        .unwrap_or(DEFAULT_WIDTH)
        .max(MIN_WIDTH)
}
