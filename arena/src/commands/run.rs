//! `arena run`: plays a tournament or goes on with one, saves every match as it ends, and shows the standings.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_results::analysis::Analysis;
use arena_results::ledger::Ledger;
use arena_results::{chart, json, markdown};

use crate::cli::{self, Run};
use crate::commands::{report, show};
use crate::demo;
use crate::setup::{self, BadSetup, Setup};
use crate::status::status;
use crate::tournament::progress::{Progress, ProgressMode};
use crate::tournament::session::Session;
use crate::tournament::{self, crash, folder};

/// Plays a tournament.
pub fn run(asked: &Run) -> anyhow::Result<ExitCode> {
    let (setup, dir) = find(asked)?;
    if setup.test.is_some() {
        return Err(BadSetup::one(format!(
            "{} compares two bots until a test decides; `arena compare` with its folder goes on with it",
            dir.display()
        ))
        .into());
    }
    let mode = if asked.quiet { ProgressMode::None } else { asked.progress };
    let play = Play { setup: &setup, dir: &dir, mode, wire: asked.log_wire };
    games::visit(&setup.game, play).context("no such game")?
}

/// The tournament that is asked for, and its folder: a folder that holds one goes on; a file has the folder of its name beside
/// it; what is given by flags has a new one.
fn find(run: &Run) -> anyhow::Result<(Setup, PathBuf)> {
    let asked = &run.asked;
    let absolute = |path: &Path| std::path::absolute(path).with_context(|| path.display().to_string());
    match &asked.file {
        Some(dir) if dir.is_dir() => {
            let dir = absolute(dir)?;
            Ok((folder::setup_with(&dir, asked)?, dir))
        }
        Some(file) => {
            let setup = setup::file::tournament(asked)?;
            let dir = run.out.clone().unwrap_or_else(|| file.with_extension(""));
            Ok((setup, absolute(&dir)?))
        }
        None => {
            let mut setup = setup::file::tournament(asked)?;
            let demo = asked.change.bots.is_empty();
            let dir = run.out.clone().unwrap_or_else(|| folder::new(if demo { "demo" } else { &setup.name }));
            let dir = absolute(&dir)?;
            if demo {
                demo::fill(&mut setup, &dir)?;
                setup.fit(asked)?;
            }
            Ok((setup, dir))
        }
    }
}

struct Play<'a> {
    setup: &'a Setup,
    dir: &'a Path,
    mode: ProgressMode,
    wire: bool,
}

impl Visitor for Play<'_> {
    type Out = anyhow::Result<ExitCode>;

    fn visit<G: Game>(self) -> Self::Out {
        let Play { setup, dir, mode, wire } = self;
        let mut ledger = folder::open(setup, dir, G::RULES_VERSION)?;
        let mut session = Session::new(setup, dir, mode)?;
        session.wire = wire;
        let mut progress = Progress::new(mode, &ledger)?;
        let played = tournament::play::<G>(&session, &mut ledger, &mut progress);
        let stopped = session.stop.is_set();
        progress.end(if played.is_err() || !stopped { "played" } else { "stopped" });
        drop(session);
        let unplayed = played?;
        crash::point("before-report");
        report(&mut ledger, dir)?;
        if !unplayed.is_empty() {
            let (count, seed) = (unplayed.len(), setup.seed);
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
    fs::write(dir.join("standings.json"), json::analysis(&analysis, None)?)?;
    report::write(&dir.join(report::FILE), ledger, &analysis, &charts)?;
    // Only now, since whoever reads this may have gone away.
    io::stdout().lock().write_all(show::report(&analysis, ledger, shown)?.as_bytes())?;
    status("");
    status(format_args!("report     {}", shown.join(report::FILE).display()));
    let shown = shown.display();
    status(format_args!("charts     {shown}/charts"));
    status(format_args!("standings  arena show {shown}"));
    status(format_args!("matches    arena export {shown} --format jsonl"));
    if standings.forfeits() > 0 {
        status(format_args!("faults     arena faults {shown}"));
        status(format_args!("bots' logs {shown}/logs"));
    }
    if standings.complete {
        match standings.format.as_str() {
            "knockout" => {}
            "swiss" | "ladder" => {
                status(format_args!("more       arena extend {shown} --rounds {}", standings.rounds * 2));
            }
            _ => status(format_args!("more       arena extend {shown} --deals {}", u64::from(standings.deals) * 2)),
        }
    } else {
        status(format_args!("go on      arena run {shown}"));
    }
    Ok(())
}
