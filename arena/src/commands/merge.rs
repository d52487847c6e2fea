//! `arena merge`: joins the separately played parts of a tournament.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_ledger::about::Days;
use arena_ledger::ledger::Ledger;
use arena_ledger::merge::{self, Missing, Part};
use arena_results::json;
use arena_tournament::difference::differences_between;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;
use serde::Serialize;

use super::{print, shown, summary, wrong_use};
use crate::cli::Merge;
use arena_runner::status::status;
use arena_session::open::{lock, open_same};
use arena_session::{crash, folder, shard};

/// Maximum number of ranges of missing deals listed.
const MAX_RANGES_SHOWN: usize = 20;

/// Result of a merge.
#[derive(Serialize)]
pub struct MergeResult {
    /// Number of planned matches.
    planned: u64,
    /// Number of planned matches that are now finished.
    finished: u64,
    /// Number of matches that this merge added.
    added: u64,
    /// True if all planned matches are finished.
    complete: bool,
    /// The parts, in command-line order.
    parts: Vec<MergedPart>,
    /// Deals with missing matches, in order.
    missing: Vec<Missing>,
}

/// A merged part.
#[derive(Serialize)]
struct MergedPart {
    /// The folder of the part.
    folder: String,
    /// Number of finished matches in the part.
    matches: u64,
}

/// Merges parts into the folder of the complete tournament.
pub fn run(args: &Merge) -> anyhow::Result<ExitCode> {
    let dir = std::path::absolute(&*args.dir)?;
    let mut all = read(&args.parts)?;
    shard::check(&all.spec)?;
    // Fail early if the folder cannot be written, because reading the parts may take hours.
    let begun = if folder::is_one(&dir) {
        Some(begun(&dir, &all, &args.parts[0])?)
    } else {
        None
    };
    let own = begun
        .as_ref()
        .map(|ledger| Part::new(&dir, ledger))
        .transpose()?;
    all.parts.extend(own);
    let missing = merge::compare(&all.spec, &mut all.parts)?;
    all.parts.truncate(args.parts.len());
    let mut ledger = match begun {
        Some(ledger) => ledger,
        None => open_same(all.spec.clone(), &dir)?.1,
    };
    let before = ledger.count()?;
    merge::append(&mut all.parts, &mut ledger, &dir)?;
    crash::point("merged");
    all.days
        .into_iter()
        .try_for_each(|days| ledger.add_days(&days))?;
    let (planned, finished) = (ledger.spec().matches(), ledger.count()?);
    let folders = args.parts.iter().map(|folder| folder.display().to_string());
    let parts = folders
        .zip(&all.parts)
        .map(|(folder, part)| MergedPart {
            folder,
            matches: part.matches,
        })
        .collect();
    let complete = missing.is_empty();
    let merged = MergeResult {
        planned,
        finished,
        added: finished - before,
        complete,
        parts,
        missing,
    };
    print_result(&merged, args, &mut ledger, &dir)
}

/// All parts, verified to belong to one tournament.
struct Parts {
    spec: Spec,
    parts: Vec<Part>,
    days: Vec<Days>,
}

fn read(folders: &[std::path::PathBuf]) -> anyhow::Result<Parts> {
    let mut all: Option<Parts> = None;
    for folder in folders {
        let read = || -> Result<_, arena_ledger::error::LedgerError> {
            let ledger = Ledger::open_read_only(folder)?;
            Ok((
                Part::new(folder, &ledger)?,
                ledger.days().cloned(),
                ledger.spec().clone(),
            ))
        };
        let (part, days, spec) = read().with_context(|| folder.display().to_string())?;
        let all = all.get_or_insert_with(|| Parts {
            spec: spec.clone(),
            parts: Vec::new(),
            days: Vec::new(),
        });
        check_same([&all.spec, &spec], [&folders[0], folder])?;
        all.parts.push(part);
        all.days.extend(days);
    }
    all.context("no parts are given")
}

/// Opens the existing ledger to which the parts are added.
fn begun(dir: &Path, all: &Parts, first: &Path) -> anyhow::Result<Ledger> {
    let ledger = lock(dir)?;
    check_same([ledger.spec(), &all.spec], [shown(dir), first])?;
    Ok(ledger)
}

/// Refuses parts of different tournaments.
fn check_same(specs: [&Spec; 2], folders: [&Path; 2]) -> anyhow::Result<()> {
    let [first, second] = folders.map(|folder| folder.display().to_string());
    let differences = differences_between(specs, [&format!("in {first}"), &format!("in {second}")]);
    if differences.is_empty() {
        for (bot, _) in specs[0]
            .bots
            .iter()
            .zip(&specs[1].bots)
            .filter(|(one, other)| one.sources() != other.sources())
        {
            let name = clean(&bot.name);
            status(format_args!(
                "warning    files in the folder of {name} differ between {first} and {second}"
            ));
        }
        return Ok(());
    }
    wrong_use(format!(
        "{first} and {second} do not belong to the same tournament:\n         {}",
        differences.join("\n         ")
    ))
}

/// Prints the standings if all matches are finished. Otherwise, prints the missing matches.
fn print_result(
    merged: &MergeResult,
    args: &Merge,
    ledger: &mut Ledger,
    dir: &Path,
) -> anyhow::Result<ExitCode> {
    if args.json {
        if merged.complete {
            summary::write(ledger, dir)?;
        }
        return print(&json::document(merged)?);
    }
    let MergeResult {
        planned,
        finished,
        added,
        parts,
        missing,
        ..
    } = merged;
    let from = if parts.len() == 1 {
        "1 part".to_owned()
    } else {
        format!("{} parts", parts.len())
    };
    status(format_args!(
        "merged: {added} matches of {from}; {finished} of {planned} are finished"
    ));
    if merged.complete {
        summary::print_all(ledger, dir)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text: String = missing
        .iter()
        .take(MAX_RANGES_SHOWN)
        .map(|missing| format!("missing: {missing}\n"))
        .collect();
    if missing.len() > MAX_RANGES_SHOWN {
        text += &format!(
            "and {} more (--json lists them all)\n",
            missing.len() - MAX_RANGES_SHOWN
        );
    }
    let done = print(&text)?;
    status(format_args!(
        "play them  arena run {}",
        shown(dir).display()
    ));
    Ok(done)
}
