//! `arena bench`: the speed of things on this machine.

mod engine;
mod wire;

use std::process::ExitCode;

use crate::cli::Bench;

/// Runs the bench.
pub fn run(bench: &Bench) -> anyhow::Result<ExitCode> {
    match bench {
        Bench::Engine(asked) => engine::run(asked),
        Bench::Wire(asked) => wire::run(asked),
        Bench::Echo => wire::echo(),
    }
}
