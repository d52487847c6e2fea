//! `arena faults`: what went wrong in a tournament, with the evidence.

use std::path::Path;
use std::process::ExitCode;

use arena_ledger::ledger::Ledger;
use arena_results::faults::{Failure, Faults, in_words};
use arena_results::json;

use super::print;
use crate::cli::Faults as Args;

/// Prints the faults.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let faults = Faults::of(&Ledger::open_read_only(&args.dir)?, args.only.as_deref())?;
    let text = if args.json {
        json::document(&faults)?
    } else {
        in_words(&faults)
            + &faults
                .faults
                .first()
                .map(|first| advice(&args.dir, first))
                .unwrap_or_default()
    };
    print(&text)
}

/// The command that sends the bot of a fault the same lines again.
fn advice(dir: &Path, first: &Failure) -> String {
    let place = format!("{}:{}", first.r#match, first.turn);
    let words = [dir.display().to_string(), place];
    let words = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
    let seat = first.seat;
    format!(
        "\nto send the bot of the first fault the same lines again:\n  arena repro {words} --seat {seat}\n"
    )
}
