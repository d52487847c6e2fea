//! One module per command.

mod absent;
pub mod analyse;
pub mod bot;
pub mod check;
pub mod compare;
pub mod doctor;
pub mod export;
pub mod extend;
pub mod faults;
pub mod init;
pub mod list;
mod logs;
pub mod manual;
pub mod merge;
pub mod new;
pub mod plan;
pub mod report;
pub mod repro;
pub mod reset;
mod rules;
pub mod run;
pub mod schema;
pub mod serve;
pub mod show;
pub mod single;
pub mod status;
pub mod stop;
mod summary;
pub mod tune;
pub mod update;
pub mod verify;
pub mod work;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use arena_ledger::ledger::Ledger;
use arena_tournament::entrant::Program;
use arena_tournament::played::{Evidence, Played};
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;

use arena_config::diagnostic::UsageError;
use arena_runner::status::status;

/// Prints the output of a successful command.
fn print(text: &str) -> anyhow::Result<ExitCode> {
    let printed = io::stdout().lock().write_all(text.as_bytes());
    printed.context("cannot write to standard output")?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the path relative to the current folder if it lies inside it.
fn shown(path: &Path) -> &Path {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok())
        .unwrap_or(path)
}

/// Returns the finished match with this id in a folder's tournament.
fn finished(ledger: &Ledger, dir: &Path, id: &str) -> anyhow::Result<Played> {
    match ledger.find(id)? {
        Some(played) => Ok(played),
        None => {
            let export = format!(
                "`arena export {} --table matches --as csv` lists them",
                dir.display()
            );
            wrong_use(format!("there is no finished match {id}; {export}"))
        }
    }
}

/// Returns the program that runs a built-in bot in a process of its own.
pub fn builtin_as_program(name: &str, dir: PathBuf) -> anyhow::Result<Program> {
    let myself = std::env::current_exe()?
        .to_str()
        .context("the path of the arena is not UTF-8")?
        .to_owned();
    Ok(Program {
        command: vec![myself, "bot".into(), name.to_owned()],
        dir,
        ..Program::default()
    })
}

/// Returns the last lines of a failed bot's log.
fn last_words(evidence: &Evidence) -> Vec<String> {
    let lines = evidence.stderr.trim_end().lines();
    lines
        .map(|line| format!("  | {}", clean(&line.replace('\t', "    "))))
        .collect()
}

/// Fails if matches ended without a result.
fn check_unplayed(spec: &Spec, unplayed: &[String]) -> anyhow::Result<()> {
    let count = unplayed.len();
    let seed = spec.plan.seed;
    let list = unplayed.join("\n       ");
    let matches = if count == 1 { "match" } else { "matches" };
    anyhow::ensure!(
        count == 0,
        "{count} {matches} without a result, and no bot is to blame (seed {seed}):\n       {list}"
    );
    Ok(())
}

/// Prints the bots that are left out, each with the reason.
fn name_left_out(spec: &Spec) {
    let all = spec.left_out.iter();
    all.for_each(|bot| status(format_args!("left out   {bot}")));
}

/// Fails if bots were left out, with advice on what to do then.
fn check_left_out(spec: &Spec, then: &str) -> anyhow::Result<ExitCode> {
    let names = spec.left_out.iter().map(|bot| match &*bot.name {
        "" => bot.to_string(),
        name => clean(name),
    });
    let names = names.collect::<Vec<_>>().join(", ");
    anyhow::ensure!(spec.left_out.is_empty(), "left out: {names}{then}");
    Ok(ExitCode::SUCCESS)
}

/// Returns a usage error.
fn wrong_use<T>(why: impl Into<String>) -> anyhow::Result<T> {
    Err(UsageError::one(why).into())
}
