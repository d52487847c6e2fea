//! `arena bench`: the speed of things on this machine.

pub mod engine;
pub mod wire;

use std::process::ExitCode;

use crate::cli::Bench;

/// Runs the bench.
pub fn run(bench: &Bench) -> anyhow::Result<ExitCode> {
    match bench {
        Bench::Engine(args) => engine::run(args),
        Bench::Wire(args) => wire::run(args),
        Bench::Echo => wire::echo(),
    }
}
