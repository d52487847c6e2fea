//! `arena tools completions`: prints shell completions.

use std::process::ExitCode;

use clap::CommandFactory;

use super::print;
use crate::cli::{Cli, Completions};

/// Prints the completions for a shell.
pub fn completions(args: &Completions) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "arena", &mut script);
    print(&String::from_utf8(script)?)
}
