//! `arena export`: the matches for other programs.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use arena_results::export::{self, With};
use arena_results::ledger::Ledger;

use crate::cli::{Export, ExportFormat};

/// Writes the matches to standard output.
pub fn run(asked: &Export) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&asked.dir)?;
    let mut out = BufWriter::new(io::stdout().lock());
    match asked.format {
        ExportFormat::Jsonl => export::jsonl(&ledger, With { times: asked.times, notes: asked.notes }, &mut out)?,
        ExportFormat::Csv => export::csv(&ledger, &mut out)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
