//! `arena tools completions` and `arena tools man`: the command line described for shells, and for `man`.

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

/// Writes a man page for the arena and for each of its commands.
pub fn man(args: &Manual) -> anyhow::Result<ExitCode> {
    let written = fs::create_dir_all(&args.dir)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), &args.dir));
    written.with_context(|| format!("cannot write man pages into {}", args.dir.display()))?;
    Ok(ExitCode::SUCCESS)
}
