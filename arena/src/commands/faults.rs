//! `arena faults`: lists the faults of a tournament, with the evidence.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use arena_engine::fault::Cause;
use arena_ledger::ledger::Ledger;
use arena_results::faults::{Failure, Faults, escaped, in_words, log, paragraph};
use arena_results::json;
use arena_runner::starts::Crashes;
use arena_session::crashes;
use arena_tournament::error_lines;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;
use serde::Serialize;

use super::{absent, print};
use crate::cli::Faults as Args;

/// Number of log lines shown.
const LOG_LINES: usize = 8;

/// The faults, and crashes that cost no match.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    faults: &'a Faults,
    crashes: BTreeMap<String, Crashes>,
}

/// Prints the faults of a tournament.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&args.dir)?;
    let mut faults = Faults::from_ledger(&ledger, args.only.as_deref())?;
    let spec = ledger.spec();
    faults
        .faults
        .iter_mut()
        .for_each(|failure| explain(failure, spec));
    let mut crashes = crashes::read(&args.dir)?;
    crashes.retain(|bot, _| args.only.as_ref().is_none_or(|only| only == bot));
    if args.json {
        return print(&json::document(&Document {
            faults: &faults,
            crashes,
        })?);
    }
    for fault in &mut faults.faults {
        fault.log = error_lines::excerpt(&fault.log, LOG_LINES).join("\n");
    }
    let mut text = in_words(&faults);
    for (bot, crashes) in &crashes {
        text.push('\n');
        paragraph(&mut text, "crash", &crashed(bot, crashes), usize::MAX);
    }
    if let Some(first) = faults.faults.first() {
        let mut others = faults.faults.iter().skip(1);
        let is_alone = args.only.is_none() && others.all(|other| other.r#match != first.r#match);
        text += &advice(&args.dir, first, is_alone);
    }
    print(&text)
}

/// Adds a hint if the log says that a file or module is missing.
fn explain(failure: &mut Failure, spec: &Spec) {
    let absent = || {
        let bot = spec.bots.iter().find(|bot| bot.name == failure.bot)?;
        absent::help(&failure.log, &bot.program()?.dir, spec.conditions.isolation)
    };
    if failure.cause == Cause::Crash
        && let Some(help) = absent()
    {
        failure.help = Some(help);
    }
}

/// Describes the crashes of a bot that cost no match.
fn crashed(bot: &str, Crashes { times, last, log }: &Crashes) -> String {
    let times = match times {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let reason = log::reason(log).map(|line| format!("; its log says: {}", escaped(&line)));
    format!(
        "{} crashed {times} after a match or at quit, which cost no match: it {}{}",
        clean(bot),
        escaped(last),
        reason.unwrap_or_default()
    )
}

/// Returns the `arena repro` command for a fault. The seat need not be named if no other failed in the match.
fn advice(dir: &Path, first: &Failure, is_alone: bool) -> String {
    let place = format!("{}:{}", first.r#match, first.turn);
    let words = [dir.display().to_string(), place];
    let words = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
    let seat = if is_alone {
        String::new()
    } else {
        format!(" --seat {}", first.seat)
    };
    format!(
        "\nto send the bot of the first fault the same lines again:\n  arena repro {words}{seat}\n"
    )
}
