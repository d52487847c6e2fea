//! `arena run`: plays a tournament, saves every match as it ends, and shows the standings.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use anyhow::Context;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_results::ledger::{self, Ledger};
use arena_results::standings::Standings;
use arena_results::{chart, markdown};

use crate::cli::{self, Run as Asked};
use crate::commands::show;
use crate::progress::{self, Progress};
use crate::runner::{self, Finished, Logs, Run, Stop};
use crate::setup::{self, BadSetup, Setup};
use crate::{demo, format};

/// How many finished matches may wait to be saved.
const WAITING: usize = 1_024;

/// Plays a tournament.
pub fn run(asked: &Asked) -> anyhow::Result<ExitCode> {
    let mut setup = setup::file::tournament(asked)?;
    let demo = asked.file.is_none() && asked.change.bots.is_empty();
    let dir = std::path::absolute(folder(asked, if demo { "demo" } else { &setup.name }))?;
    if demo {
        demo::fill(&mut setup, &dir)?;
        setup.fit(asked)?;
    }
    let play = Tournament { setup: &setup, dir: &dir, quiet: asked.quiet, wire: asked.log_wire };
    games::visit(&setup.game, play).context("no such game")?
}

/// The tournament's folder: the one asked for, or a new one.
fn folder(asked: &Asked, name: &str) -> PathBuf {
    if let Some(out) = &asked.out {
        return out.clone();
    }
    let safe: String = name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '-' }).collect();
    let numbered = (1..).map(|number| Path::new("runs").join(format!("{safe}-{number}")));
    numbered.into_iter().find(|dir| !dir.exists()).expect("some number is free")
}

struct Tournament<'a> {
    setup: &'a Setup,
    dir: &'a Path,
    quiet: bool,
    wire: bool,
}

impl Visitor for Tournament<'_> {
    type Out = anyhow::Result<ExitCode>;

    fn visit<G: Game>(self) -> Self::Out {
        let Tournament { setup, dir, quiet, wire } = self;
        let cage = setup.cage(&[dir])?;
        if let Some(told) = cage.told().filter(|_| !quiet || cage.is_degraded()) {
            progress::tell(told);
        }
        let mut ledger = open(setup, dir, G::RULES_VERSION)?;
        let done = ledger.done()?;
        let logs = dir.join("logs");
        fs::create_dir_all(&logs).with_context(|| logs.display().to_string())?;
        let planned = format::count(setup);
        let mut progress = if quiet { Progress::hidden() } else { Progress::new(planned, done.len() as u64) };
        let stop = stop_on_ctrl_c()?;
        let rules = serde_json::from_value(setup.rules.clone())?;
        let kept = Logs { words: Some(&logs), wire: wire.then_some(logs.as_path()) };
        let run = Run::<G::Rules> { setup, rules: &rules, logs: kept, stop: &stop, cage: &cage };
        let todo = todo(setup, &done);
        let (sender, receiver) = mpsc::sync_channel(WAITING);
        let mut unplayed = Vec::new();
        thread::scope(|scope| {
            let running = scope.spawn(move || runner::play::<G>(run, todo, &sender));
            let saved = save(&receiver, &mut ledger, &mut progress, &mut unplayed);
            // Once nothing can be saved, nothing more is to be played; the runners notice that nobody listens.
            drop(receiver);
            let ran = running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            saved.and(ran)
        })?;
        progress.clear();
        report(&ledger, dir)?;
        if !unplayed.is_empty() {
            let (count, seed) = (unplayed.len(), setup.seed);
            let list = unplayed.join("\n       ");
            anyhow::bail!("{count} matches came to no result, and no bot is to blame (seed {seed}):\n       {list}");
        }
        Ok(if stop.is_set() { ExitCode::from(cli::INTERRUPTED) } else { ExitCode::SUCCESS })
    }
}

/// The matches that are not in the ledger yet.
fn todo<'a>(setup: &'a Setup, done: &'a HashSet<String>) -> impl Iterator<Item = format::Planned> + Clone + Send + 'a {
    format::schedule(setup).filter(move |planned| !done.contains(&planned.id(setup)))
}

/// Opens the ledger of the folder if it is of this very tournament, or creates it.
fn open(setup: &Setup, dir: &Path, rules_version: u32) -> anyhow::Result<Ledger> {
    let tournament = setup.tournament(rules_version);
    if !dir.join(ledger::FILE).exists() {
        fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
        let ledger = Ledger::create(dir, &tournament)?;
        fs::write(dir.join("tournament.toml"), setup.to_file()?)?;
        return Ok(ledger);
    }
    let ledger = Ledger::open(dir)?;
    let differences = ledger.tournament().differences(&tournament);
    if differences.is_empty() {
        return Ok(ledger);
    }
    let shown = dir.display();
    let what = differences.join("\n         ");
    Err(BadSetup::one(format!(
        "{shown} holds another tournament; choose another --out, or the same setup:\n         {what}"
    ))
    .into())
}

/// Saves what is finished until nothing more comes; lists what came to no result.
fn save(
    finished: &Receiver<Finished>,
    ledger: &mut Ledger,
    progress: &mut Progress,
    unplayed: &mut Vec<String>,
) -> anyhow::Result<()> {
    let mut batch = Vec::new();
    while let Ok(first) = finished.recv() {
        for one in [first].into_iter().chain(finished.try_iter().take(WAITING)) {
            match one {
                Finished::Played(played) => batch.push(*played),
                Finished::Unplayed { id, why } => unplayed.push(format!("match {id}: {why}")),
            }
        }
        ledger.append(&batch)?;
        progress.finished(&batch);
        batch.clear();
    }
    Ok(())
}

/// Ctrl-C once: running matches are finished and saved. Twice: at once.
fn stop_on_ctrl_c() -> anyhow::Result<Arc<Stop>> {
    let stop = Arc::new(Stop::default());
    let shared = Arc::clone(&stop);
    let handler = move || {
        if shared.is_set() {
            std::process::exit(cli::INTERRUPTED.into());
        }
        shared.stop();
        progress::tell("stopping: running matches are finished and saved; Ctrl-C again to stop at once");
    };
    ctrlc::set_handler(handler).context("cannot watch for Ctrl-C")?;
    Ok(stop)
}

/// Writes what the folder holds beside the ledger, and prints the standings.
fn report(ledger: &Ledger, dir: &Path) -> anyhow::Result<()> {
    let standings = Standings::of(ledger)?;
    let here = std::env::current_dir().ok();
    let shown = here.and_then(|here| dir.strip_prefix(here).ok()).unwrap_or(dir);
    let charts = chart::write_all(&dir.join("charts"), &standings)?;
    fs::write(dir.join("standings.md"), markdown::standings(&standings))?;
    fs::write(dir.join("standings.json"), serde_json::to_string_pretty(&standings)?)?;
    // Only now, since whoever reads this may have gone away.
    io::stdout().lock().write_all(show::report(&standings, shown).as_bytes())?;
    let shown = shown.display();
    progress::tell("");
    for chart in charts.iter().filter(|chart| chart.extension().is_some_and(|kind| kind == "png")) {
        let inside = chart.strip_prefix(dir).map(|inside| Path::new(&shown.to_string()).join(inside));
        progress::tell(format_args!("chart      {}", inside.as_ref().unwrap_or(chart).display()));
    }
    progress::tell(format_args!("standings  arena show {shown}"));
    progress::tell(format_args!("matches    arena export {shown} --format jsonl"));
    if standings.forfeits() > 0 {
        progress::tell(format_args!("faults     arena faults {shown}"));
        progress::tell(format_args!("bots' logs {shown}/logs"));
    }
    if !standings.complete {
        progress::tell(format_args!("go on      the same command with --out {shown}"));
    }
    Ok(())
}
