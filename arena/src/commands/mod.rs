//! One module per command.

mod absent;
pub mod analyse;
pub mod bot;
pub mod check;
pub mod compare;
pub mod completions;
pub mod doctor;
pub mod export;
pub mod extend;
pub mod faults;
pub mod init;
pub mod list;
mod logs;
pub mod merge;
pub mod new;
pub mod plan;
pub mod rate;
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
use arena_config::read::Flags;
use arena_config::word;
use arena_runner::status::status;
use arena_session::open::changes::Opened;

/// Maximum number of bots whose start commands are listed in a line.
const MAX_STARTS: usize = 4;

/// Prints the output of a successful command.
fn print(text: &str) -> anyhow::Result<ExitCode> {
    let printed = io::stdout().lock().write_all(text.as_bytes());
    printed.context("cannot write to standard output")?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a line that says how the bots given by files and folders are started, if there are any such bots.
fn starts(spec: &Spec, flags: &Flags) -> Option<String> {
    let words = flags.values.iter().filter(|flag| flag.path == "bots");
    let paths = words
        .filter_map(|flag| flag.value.as_str())
        .filter(|word| word::is_path(word));
    let started: Vec<String> = paths
        .filter_map(|word| {
            let name = word::name(word)?;
            let bot = spec.bots.iter().find(|bot| bot.name == name)?;
            let command = shlex::try_join(bot.program()?.command.iter().map(String::as_str));
            Some(clean(&format!("{name}: {}", command.ok()?)))
        })
        .collect();
    let more = if started.len() > MAX_STARTS {
        ", …"
    } else {
        ""
    };
    let shown = started[..started.len().min(MAX_STARTS)].join(", ");
    (!started.is_empty()).then(|| format!("bots       {shown}{more}"))
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

/// Returns the program that runs a built-in bot in a separate process.
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
fn last_log_lines(evidence: &Evidence) -> Vec<String> {
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

/// Prints the changes that opening a tournament makes.
fn print_changes(opened: &Opened) {
    opened.lines().for_each(status);
    opened.summary.iter().for_each(status);
}

/// Fails if broken bots were left out. `then` is the advice to print. The names of the bots have already been printed.
fn check_left_out(spec: &Spec, then: &str) -> anyhow::Result<ExitCode> {
    let broken = spec.left_out.iter().filter(|bot| !bot.is_gone).count();
    let bots = if broken == 1 { "bot is" } else { "bots are" };
    anyhow::ensure!(broken == 0, "{broken} {bots} broken and left out{then}");
    Ok(ExitCode::SUCCESS)
}

/// Returns a usage error with this reason.
fn wrong_use<T>(why: impl Into<String>) -> anyhow::Result<T> {
    Err(UsageError::one(why).into())
}
