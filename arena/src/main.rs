//! The arena for code-breaking bots: `arena --help` lists what it does.

mod cli;
mod commands;
mod demo;

use std::process::ExitCode;

use arena_config::diagnostic::UsageError;
use arena_runner::status::status;
use clap::Parser;

use crate::cli::Cli;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(code) = arena_sandbox::linux::stage(std::env::args_os()) {
        return code;
    }
    survive_file_limit();
    if let Some(error) = cli::unquoted::find(std::env::args()) {
        return refused(&error);
    }
    match Cli::parse().command.run() {
        Ok(code) => code,
        Err(error) if cli::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let Some(wrong) = error.downcast_ref::<UsageError>() else {
                status(format_args!("error: {}", with_causes(&error)));
                return ExitCode::from(cli::FAILURE);
            };
            refused(wrong)
        }
    }
}

/// Prints what is wrong with the command line or the tournament file.
fn refused(wrong: &UsageError) -> ExitCode {
    status(wrong.report());
    ExitCode::from(cli::USAGE)
}

/// The text of an error with those causes that it does not name itself.
fn with_causes(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| match text.as_str() {
        "" => cause,
        known if known.contains(&cause) => text,
        _ => format!("{text}: {cause}"),
    })
}

/// Catches the signal of a file that grows beyond its limit, so that the write fails with a message. The signal is not ignored:
/// programs that are started inherit what is ignored.
fn survive_file_limit() {
    // If it cannot be caught, it ends the arena.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}
