//! The width of the terminal.

use std::env;
use std::io;

use arena_results::text::WIDTH;
use terminal_size::{Width, terminal_size_of};

/// No table is drawn for less, since numbers are never cut.
const NARROWEST: usize = 40;

/// The columns of standard output: those of the terminal; where it is none, what `COLUMNS` says, or 80.
pub fn width() -> usize {
    let terminal = terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into());
    let columns = || env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(columns).unwrap_or(WIDTH).max(NARROWEST)
}
