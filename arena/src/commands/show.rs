//! `arena show`: the standings of a tournament's folder.

use std::io::{self, Write};
use std::process::ExitCode;

use arena_results::ledger::Ledger;
use arena_results::standings::Standings;
use arena_results::{csv, markdown, table};

use crate::cli::Show;

/// Prints the standings in the form that is asked for.
pub fn run(show: &Show) -> anyhow::Result<ExitCode> {
    let standings = Standings::of(&Ledger::open_read_only(&show.dir)?)?;
    let text = if show.json {
        format!("{}\n", serde_json::to_string_pretty(&standings)?)
    } else if show.csv {
        csv::standings(&standings)
    } else if show.markdown {
        markdown::standings(&standings)
    } else {
        table::report(&standings)
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
