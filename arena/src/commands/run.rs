//! `arena run`: plays a tournament or goes on with one, saves every match as it ends, and shows the standings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_results::analysis::Analysis;
use arena_results::ledger::Ledger;
use arena_results::{chart, json, markdown, printable};
use arena_tournament::spec::Spec;

use super::{print, report, show, work, wrong_use};
use crate::cli::queue::QueueArgs;
use crate::cli::{self, Run};
use crate::demo;
use crate::spec::read;
use crate::status::status;
use crate::tournament::progress::{Progress, ProgressMode};
use crate::tournament::session::Session;
use crate::tournament::{crash, folder};

/// Plays a tournament.
pub fn run(args: &Run) -> anyhow::Result<ExitCode> {
    work::machines(&args.queue)?;
    let (spec, dir) = find(args)?;
    if spec.plan.test.is_some() {
        return wrong_use(format!(
            "{} compares two bots until a test decides; `arena compare` with its folder goes on with it",
            dir.display()
        ));
    }
    let play = Play { spec: &spec, dir: &dir, mode: args.progress.mode(), wire: args.log_wire, queue: &args.queue };
    games::visit(&spec.plan.game, play).context("no such game")?
}

/// The tournament that is asked for, and its folder: a folder that holds one goes on; a file has the folder of its name beside
/// it; what is given by flags has a new one.
fn find(args: &Run) -> anyhow::Result<(Spec, PathBuf)> {
    let flags = args.spec.flags();
    let absolute = |path: &Path| std::path::absolute(path).with_context(|| path.display().to_string());
    match &args.spec.file {
        Some(dir) if dir.is_dir() => {
            let dir = absolute(dir)?;
            Ok((folder::spec(&dir, &flags)?, dir))
        }
        Some(file) => {
            let mut spec = read::of_file(file, &flags)?;
            let dir = absolute(&args.out.clone().unwrap_or_else(|| file.with_extension("")))?;
            folder::keep(&mut spec, &dir);
            Ok((spec, dir))
        }
        None => {
            let mut spec = read::of_flags(&flags)?;
            let is_demo = spec.bots.is_empty();
            let name = if is_demo { "demo" } else { &spec.name };
            let dir = absolute(&args.out.clone().unwrap_or_else(|| folder::new(name)))?;
            if is_demo {
                demo::fill(&mut spec, &dir)?;
                read::choose_format(&mut spec, &flags)?;
            }
            folder::keep(&mut spec, &dir);
            Ok((spec, dir))
        }
    }
}

struct Play<'a> {
    spec: &'a Spec,
    dir: &'a Path,
    mode: ProgressMode,
    wire: bool,
    queue: &'a QueueArgs,
}

impl Visitor for Play<'_> {
    type Out = anyhow::Result<ExitCode>;

    fn visit<G: Game>(self) -> Self::Out {
        let Play { spec, dir, mode, wire, queue } = self;
        let mut ledger = folder::open(spec, dir)?;
        let mut session = Session::new(spec, dir, mode, work::machines(queue)?)?;
        session.wire = wire;
        let mut progress = Progress::new(mode, &ledger)?;
        let played = work::play::<G>(&session, queue, &mut ledger, &mut progress);
        let stopped = session.stop.is_set();
        progress.end(if played.is_err() || !stopped { "played" } else { "stopped" });
        drop(session);
        let unplayed = played?;
        crash::point("before-report");
        report(&mut ledger, dir)?;
        if !unplayed.is_empty() {
            let (count, seed) = (unplayed.len(), spec.plan.seed);
            let list = unplayed.join("\n       ");
            anyhow::bail!("{count} matches came to no result, and no bot is to blame (seed {seed}):\n       {list}");
        }
        Ok(if stopped { ExitCode::from(cli::INTERRUPTED) } else { ExitCode::SUCCESS })
    }
}

/// Writes what the folder holds beside the ledger, and prints the standings.
fn report(ledger: &mut Ledger, dir: &Path) -> anyhow::Result<()> {
    let analysis = Analysis::kept_of(ledger)?;
    let standings = &analysis.standings;
    let here = std::env::current_dir().ok();
    let shown = here.and_then(|here| dir.strip_prefix(here).ok()).unwrap_or(dir);
    let charts = chart::write_all(&dir.join("charts"), ledger, &analysis)?;
    fs::write(dir.join("standings.md"), markdown::standings(&analysis))?;
    fs::write(dir.join("standings.json"), json::analysis(&analysis)?)?;
    report::write(&dir.join(report::FILE), dir, ledger, &analysis, &charts)?;
    // Only now, since whoever reads this may have gone away.
    print(&show::report(&analysis, shown)?)?;
    status("");
    status(format_args!("report     {}", shown.join(report::FILE).display()));
    let shown = shown.display();
    status(format_args!("charts     {shown}/charts"));
    let lacking = chart::lacking_in_png(&analysis.bots);
    if !lacking.is_empty() {
        let names = printable::clean(&lacking.join(", "));
        status(format_args!(
            "note       the PNG charts show boxes in {names}: their font lacks letters; SVG and report have them"
        ));
    }
    status(format_args!("standings  arena show {shown}"));
    status(format_args!("matches    arena export {shown} --as jsonl"));
    if standings.forfeits() > 0 {
        status(format_args!("faults     arena faults {shown}"));
        status(format_args!("bots' logs {shown}/logs"));
    }
    if standings.complete {
        let spec = ledger.spec();
        if let Some(more) = spec.plan.format.listed().more {
            let now = if more == "deals" { spec.plan.deals } else { spec.rounds() };
            status(format_args!("more       arena extend {shown} --{more} {}", u64::from(now) * 2));
        }
    } else {
        status(format_args!("go on      arena run {shown}"));
    }
    Ok(())
}
