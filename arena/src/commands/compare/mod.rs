//! `arena compare`: plays two bots until a test decides which is stronger, and says how sure that is.

mod find;
mod flags;
mod news;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_engine::by_name;
use arena_engine::game::Game;
use arena_ledger::ledger::Ledger;
use arena_results::json;
use arena_statistics::compare::Comparison;
use arena_tournament::spec::Spec;

use self::news::News;
use super::{print, shown, work};
use crate::cli::compare::Compare;
use crate::cli::queue::QueueArgs;
use arena_runner::status::status;
use arena_session::progress::ProgressMode;
use arena_session::session::{Machines, Session};
use arena_session::{crash, folder};

/// What is kept of the result beside the ledger.
const RESULT: &str = "comparison.json";

/// Compares two bots, or goes on with it.
pub fn run(args: &Compare) -> anyhow::Result<ExitCode> {
    let machines = work::machines(&args.queue)?;
    let (spec, dir) = find::find(args)?;
    let (mode, json) = (args.progress.mode(), args.json);
    let play = Play { spec: &spec, dir: &dir, mode, json, machines, queue: &args.queue };
    by_name!(spec.plan.game, G => play.run::<G>()).context("no such game")?
}

struct Play<'a> {
    spec: &'a Spec,
    dir: &'a Path,
    mode: ProgressMode,
    json: bool,
    machines: Machines,
    queue: &'a QueueArgs,
}

impl Play<'_> {
    fn run<G: Game>(self) -> anyhow::Result<ExitCode> {
        let Play { spec, dir, json, .. } = self;
        let mut ledger = folder::open(spec, dir)?;
        let mut unplayed = Vec::new();
        if !by_ledger(&ledger)?.verdict().is_final() {
            unplayed = self.play::<G>(&mut ledger)?;
        }
        crash::point("before-report");
        // By the ledger alone, whatever has been seen while playing.
        let comparison = by_ledger(&ledger)?;
        report(&comparison, &ledger, dir, json)?;
        if !unplayed.is_empty() {
            let (seed, list) = (spec.plan.seed, unplayed.join("\n       "));
            anyhow::bail!("a match came to no result, and no bot is to blame (seed {seed}):\n       {list}");
        }
        Ok(if comparison.verdict().is_final() {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(arena_session::stopping::INTERRUPTED)
        })
    }

    /// Plays until it is decided, or somebody stops it. Returns the matches that came to no result.
    fn play<G: Game>(&self, ledger: &mut Ledger) -> anyhow::Result<Vec<String>> {
        let Play { spec, dir, mode, machines, queue, .. } = *self;
        let session = Session::new(spec, dir, mode, machines)?;
        let mut news = News::new(mode, ledger)?;
        let played = work::play::<G>(&session, queue, ledger, &mut news);
        news.end();
        played
    }
}

/// Writes what the folder holds beside the ledger, and prints the result.
fn report(comparison: &Comparison, ledger: &Ledger, dir: &Path, as_json: bool) -> anyhow::Result<()> {
    let shown = shown(dir).display();
    let report = comparison.report(ledger.spec());
    let written = json::document(&report)?;
    fs::write(dir.join(RESULT), &written)?;
    let printed = if as_json { written } else { arena_results::text::comparison(&report) };
    print(&printed)?;
    let verdict = comparison.verdict();
    status("");
    if comparison.beyond() > 0 {
        status(format_args!("{} more matches were finished by then; they are kept, not counted", comparison.beyond()));
    }
    if !verdict.is_final() {
        status(format_args!("go on      arena compare {shown}"));
    }
    if report.results.iter().any(|results| results.forfeits > 0) {
        status(format_args!("faults     arena faults {shown}"));
    }
    status(format_args!("matches    arena show {shown}"));
    Ok(())
}

/// The comparison by the matches in the ledger.
fn by_ledger(ledger: &Ledger) -> anyhow::Result<Comparison> {
    let mut comparison = Comparison::new(ledger.spec())?;
    ledger.scores(|scored| anyhow::Ok(comparison.add(scored)?))?;
    Ok(comparison)
}
