//! `arena tools completions` and `arena tools man`: print shell completions and write man pages.

use std::fs;
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;

use super::print;
use crate::cli::{Cli, Completions, Manual};

/// Prints the completions for a shell.
pub fn completions(args: &Completions) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "arena", &mut script);
    print(&String::from_utf8(script)?)
}

/// Writes a man page for the arena and one for each command.
pub fn man(args: &Manual) -> anyhow::Result<ExitCode> {
    let written = fs::create_dir_all(&args.dir)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), &args.dir));
    written.with_context(|| format!("cannot write man pages into {}", args.dir.display()))?;
    Ok(ExitCode::SUCCESS)
}
