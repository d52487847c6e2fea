//! What each command does.

pub mod audit;
pub mod bench;
pub mod bot;
pub mod check;
pub mod compare;
pub mod departures;
pub mod doctor;
pub mod export;
pub mod extend;
pub mod faults;
pub mod init;
pub mod list;
pub mod logs;
pub mod manual;
pub mod plan;
pub mod report;
pub mod repro;
pub mod reset;
pub mod run;
pub mod schema;
pub mod show;
pub mod single;
pub mod stop;
pub mod verify;

use std::io::{self, Write};
use std::process::ExitCode;

use crate::spec::diagnostic::UsageError;

/// Prints the whole output of a command, which is done with that.
fn print(text: &str) -> anyhow::Result<ExitCode> {
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses what the command line asks for, and says why.
fn wrong_use<T>(why: impl Into<String>) -> anyhow::Result<T> {
    Err(UsageError::one(why).into())
}
