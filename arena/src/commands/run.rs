//! `arena run`: plays or continues a tournament, saves each match as it ends, and prints the standings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use arena_config::seed::draw;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::spec::Spec;

use super::{check_left_out, check_unplayed, name_left_out, print, summary, work, wrong_use};
use crate::cli::Run;
use crate::demo;
use arena_config::read;
use arena_runner::status::status;
use arena_session::progress::{Progress, ProgressMode};
use arena_session::session::{Machines, Session};
use arena_session::shard::{self, Shard};
use arena_session::{crash, folder, sandbox, snapshot, stopping, trust};

/// Number of bots in a duel.
const DUEL_BOTS: usize = 2;

/// Plays or continues a tournament.
pub fn run(args: &Run) -> anyhow::Result<ExitCode> {
    let machines = work::machines(&args.queue)?;
    let (mut spec, dir) = find(args)?;
    sandbox::enter(
        &mut spec,
        &[&dir],
        args.progress.mode() == ProgressMode::None,
    )?;
    if spec.plan.test.is_some() {
        return wrong_use(format!(
            "{} compares two bots until a test decides; `arena compare` with its folder continues it",
            dir.display()
        ));
    }
    if args.one_round && !spec.plan.format.draws_rounds() {
        return wrong_use(format!(
            "{} has no rounds: leave out --one-round",
            spec.plan.format.name()
        ));
    }
    if args.shard.is_some() {
        shard::check(&spec)?;
        shard::check_seed(&spec)?;
    } else {
        take_edited(&mut spec, &dir)?;
    }
    play(args, &spec, &dir, machines)
}

/// Returns the tournament of the command line and its folder. A given folder is continued; a file uses the folder of its name next to it,
/// plus a suffix for a shard; flags alone use a new folder.
fn find(args: &Run) -> anyhow::Result<(Spec, PathBuf)> {
    let flags = &args.spec.keys.0;
    let absolute =
        |path: &Path| std::path::absolute(path).with_context(|| path.display().to_string());
    let (mut spec, dir) = match &args.spec.file {
        Some(dir) if dir.is_dir() => {
            let dir = absolute(dir)?;
            (folder::spec(&dir, flags)?, dir)
        }
        Some(file) => {
            let whole = file.with_extension("");
            let own = args
                .shard
                .map_or_else(|| whole.clone(), |shard| shard.folder(&whole));
            let mut spec = read::of_file(file, flags)?;
            snapshot::record_files(&mut spec);
            (spec, absolute(args.out.as_ref().unwrap_or(&own))?)
        }
        None if args.shard.is_some() && args.out.is_none() => {
            return wrong_use(
                "a shard of a tournament without a file needs its own folder: name it with --out",
            );
        }
        None => {
            let mut spec = read::of_flags(flags)?;
            let is_demo = spec.bots.is_empty();
            let name = if is_demo { "demo" } else { &spec.name };
            let dir = absolute(&args.out.clone().unwrap_or_else(|| folder::new(name)))?;
            if is_demo {
                demo::fill(&mut spec, &dir)?;
                spec = read::with_bots(flags, &spec)?;
            }
            snapshot::record_files(&mut spec);
            (spec, dir)
        }
    };
    folder::keep(&mut spec, &dir);
    Ok((spec, dir))
}

/// Restarts a duel if one of its programs was edited after it entered and nothing else has changed. Larger tournaments are refused: other
/// people's matches are not discarded because one bot changed.
fn take_edited(spec: &mut Spec, dir: &Path) -> anyhow::Result<()> {
    if spec.bots.len() != DUEL_BOTS || !folder::is_one(dir) {
        return Ok(());
    }
    let kept = Ledger::open_read_only(dir)?.spec().clone();
    let edited = folder::edited(&kept, spec);
    if edited.is_empty() {
        return Ok(());
    }
    let mut ledger = folder::reopen(dir)?;
    let names = edited.join(" and ");
    if ledger.count()? == 0 {
        ledger.extend(spec)?;
        return folder::write(dir, spec);
    }
    status(format_args!("changed    {names}: {}", folder::NEW_DEALS));
    spec.restart(draw()?);
    folder::start_over(&mut ledger, spec, &[], super::shown(dir))
}

fn play(args: &Run, spec: &Spec, dir: &Path, machines: Machines) -> anyhow::Result<ExitCode> {
    let (mode, shard) = (args.progress.mode(), args.shard);
    name_left_out(spec);
    let mut ledger = folder::open(spec, dir)?;
    if shard.is_some() {
        stopping::continue_by(|| "the same command, in the same folder".into());
    }
    let mut session = Session::new(spec, dir, mode, machines)?;
    (session.wire, session.shard) = (args.log_wire, shard);
    session.one_round = args.one_round;
    if let Some(lasting) = args.lasting {
        stop_after(lasting, &session)?;
    }
    let mut progress = Progress::new(mode, &ledger, shard)?;
    let played = work::play(&session, &args.queue, &mut ledger, &mut progress);
    let stopped = session.stop.is_set();
    progress.end(if played.is_err() || !stopped {
        "played"
    } else {
        "stopped"
    });
    drop(session);
    let unplayed = played?;
    crash::point("before-report");
    match shard {
        None => summary::print_all(&mut ledger, dir)?,
        Some(shard) => print_part(spec, dir, shard, progress.counts())?,
    }
    check_unplayed(spec, &unplayed)?;
    if !stopped {
        check_forfeits(&ledger, dir)?;
    }
    let (shown, flag) = (super::shown(dir).display(), trust::flag(spec, dir));
    let then = format!("; once they are fixed, `arena update {shown}{flag}` adds them");
    check_left_out(spec, &then)?;
    Ok(if stopped {
        ExitCode::from(stopping::INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

/// Stops the tournament after this time if it is still running.
pub fn stop_after(lasting: Duration, session: &Session<'_>) -> anyhow::Result<()> {
    let stop = Arc::clone(&session.stop);
    let wait = move || {
        thread::sleep(lasting);
        stop.stop();
        status(
            "stopping since the time of --for is over, when running matches are finished and saved",
        );
    };
    thread::Builder::new()
        .spawn(wait)
        .map(drop)
        .context("the time cannot be watched")
}

/// Fails if every match was forfeited by more than one bot: then the setup is to blame rather than a bot.
fn check_forfeits(ledger: &Ledger, dir: &Path) -> anyhow::Result<()> {
    let (mut is_played, mut failed) = (false, BTreeSet::new());
    ledger.scores(|scored| {
        let seats = scored.bots.iter().zip(&scored.seats);
        let forfeited = seats.filter(|(_, seat)| seat.fault.is_some());
        let bots: Vec<usize> = forfeited.map(|(bot, _)| *bot).collect();
        is_played |= bots.is_empty();
        failed.extend(bots);
        Ok::<_, LedgerError>(())
    })?;
    ensure!(
        is_played || failed.len() < 2,
        "every match was forfeited: `arena faults {}` shows why",
        super::shown(dir).display()
    );
    Ok(())
}

/// Prints how much of a shard is finished, and how to join the shards.
fn print_part(
    spec: &Spec,
    dir: &Path,
    shard: Shard,
    [done, planned]: [u64; 2],
) -> anyhow::Result<()> {
    if planned == 0 {
        return print(&format!(
            "shard {shard} has nothing to do: there are {} deals\n",
            spec.plan.deals
        ))
        .map(drop);
    }
    print(&format!(
        "shard {shard}: {done} of {planned} matches are finished\n"
    ))?;
    let shown = super::shown(dir).display();
    if done < planned {
        status(format_args!(
            "continue   the same command, in the same folder {shown}"
        ));
    }
    status(format_args!(
        "then       arena merge {} PART…, with the folders of all shards, such as {shown}",
        spec.name
    ));
    Ok(())
}
