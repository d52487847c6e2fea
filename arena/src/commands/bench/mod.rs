//! `arena bench`: how fast things are on this machine, and how often what it says of strength is right.

mod calibration;
mod engine;
mod wire;

use std::process::ExitCode;

use crate::cli::Bench;

/// Runs the bench.
pub fn run(bench: &Bench) -> anyhow::Result<ExitCode> {
    match bench {
        Bench::Engine(asked) => engine::run(asked),
        Bench::Wire(asked) => wire::run(asked),
        Bench::Calibration(asked) => calibration::run(asked),
        Bench::Echo => wire::echo(),
    }
}
