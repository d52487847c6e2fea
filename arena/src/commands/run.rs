//! `arena run`: plays or continues a tournament, saves each match as it ends, and prints the standings.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::spec::Spec;

use super::{
    check_left_out, check_unplayed, print, print_changes, starts, summary, work, wrong_use,
};
use crate::cli::{PlayArgs, Run, SpecArgs};
use crate::demo;
use arena_config::read::{self, Flags};
use arena_config::{FlagValue, class, word};
use arena_runner::status::status;
use arena_session::open::{Opening, Requested, Terms, open};
use arena_session::progress::{Progress, ProgressMode};
use arena_session::session::Session;
use arena_session::shard::Shard;
use arena_session::{crash, folder, stopping, trust};

/// Plays or continues a tournament.
pub fn run(args: &Run) -> anyhow::Result<ExitCode> {
    work::machines(&args.play.queue)?;
    let requested = requested(args)?;
    check(args, &requested)?;
    let opening = open(&requested, args.play.progress.mode() == ProgressMode::None)?;
    print_changes(&opening.opened);
    play(&args.play, opening)
}

/// Returns the tournament of the command line and its folder. If a folder is given, its tournament is continued. A file uses the folder
/// with the same name next to it, with a suffix for a shard. Bots and flags without a file use a new folder. Without bots, the demo is
/// played.
fn requested(args: &Run) -> anyhow::Result<Requested> {
    let (out, shard) = (args.out.as_deref(), args.play.shard);
    let (file, flags) = given(&args.spec)?;
    if let Some(path) = file {
        return in_folder_of(path, &flags, out, shard);
    }
    if shard.is_some() && out.is_none() {
        return wrong_use(
            "a shard of a tournament without a file needs its own folder: name it with --out",
        );
    }
    let spec = read::of_flags(&flags)?;
    if args.play.progress.mode() != ProgressMode::None {
        starts(&spec, &flags).into_iter().for_each(status);
    }
    let is_demo = spec.bots.is_empty();
    let name = if is_demo { demo::NAME } else { &spec.name };
    let dir = out.map_or_else(|| folder::new(name), Path::to_path_buf);
    let spec = if is_demo {
        demo::tournament(&flags, &spec.plan, &std::path::absolute(&dir)?)?
    } else {
        spec
    };
    let terms = Terms::of_owner(&spec);
    Ok(Requested::new(spec, &dir, terms)?.of_shard(shard))
}

/// Returns the file or folder of the tournament on the command line, if there is one, and the flags, including bots given as words.
pub fn given(args: &SpecArgs) -> anyhow::Result<(Option<&Path>, Flags)> {
    let mut flags = args.keys.0.clone();
    let Some((first, rest)) = args.words.split_first() else {
        return Ok((None, flags));
    };
    let is_alone = rest.is_empty() && flags.values.iter().all(|flag| flag.path != "bots");
    if is_tournament(first, is_alone) {
        if let Some(other) = rest.first() {
            return wrong_use(format!(
                "{} comes after the tournament {}: add a bot to it with --bot, and play another by itself",
                other.display(),
                first.display()
            ));
        }
        return Ok((Some(first), flags));
    }
    let words: Vec<_> = args
        .words
        .iter()
        .map(|word| word.to_string_lossy())
        .collect();
    flags.values.extend(FlagValue::bots(&words));
    Ok((None, flags))
}

/// Returns `true` if a word is the file or folder of a tournament rather than a bot. A word that stands alone is most likely a tournament.
fn is_tournament(word: &Path, is_alone: bool) -> bool {
    let is_file = word.extension().is_some_and(|ending| ending == "toml");
    let is_folder = word.is_dir() && (folder::is_one(word) || !class::is_of_bot(word));
    let is_bot = word::is_bot(&word.to_string_lossy());
    is_file || is_folder || is_alone && !is_bot
}

/// Returns the tournament of a file or folder.
pub fn in_folder_of(
    path: &Path,
    flags: &Flags,
    out: Option<&Path>,
    shard: Option<Shard>,
) -> anyhow::Result<Requested> {
    let requested = if path.is_dir() {
        if class::is_of_bot(path) && !folder::is_described(path) {
            return wrong_use(one_bot(path));
        }
        Requested::from_folder(path, flags)?
    } else {
        let whole = path.with_extension("");
        let own = shard.map_or_else(|| whole.clone(), |shard| shard.folder(&whole));
        Requested::from_file(path, flags, out.unwrap_or(&own))?
    };
    Ok(requested.of_shard(shard))
}

/// Returns the explanation that a folder belongs to a bot.
fn one_bot(path: &Path) -> String {
    let shown = path.display();
    format!(
        "{shown} is a bot, not a tournament. `arena run {shown} exact` plays it against the built-in bot exact"
    )
}

/// Refuses tournaments that `arena run` does not play.
fn check(args: &Run, requested: &Requested) -> anyhow::Result<()> {
    let plan = &requested.spec.plan;
    if plan.test.is_some() {
        return wrong_use(format!(
            "{} compares two bots until a test decides; `arena compare` with its folder continues it",
            requested.dir.display()
        ));
    }
    if args.play.one_round && !plan.format.draws_rounds() {
        return wrong_use(format!(
            "{} has no rounds: leave out --one-round",
            plan.format.name()
        ));
    }
    Ok(())
}

/// Plays an opened tournament.
pub fn play(args: &PlayArgs, opening: Opening) -> anyhow::Result<ExitCode> {
    let (mode, shard) = (args.progress.mode(), args.shard);
    let machines = work::machines(&args.queue)?;
    let dir = opening.dir.clone();
    let (spec, mut ledger) = opening.apply()?;
    let (spec, dir) = (&spec, &*dir);
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
    let then = format!("; after a fix, run `arena update {shown}{flag}`");
    check_left_out(spec, &then)?;
    Ok(if stopped {
        ExitCode::from(stopping::INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

/// Stops the tournament if it is still running after this time.
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
        .context("cannot start the timer for --for")
}

/// Fails if every match was forfeited, by more than one bot: the setup is then to blame rather than a bot.
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

/// Prints how much of a shard is finished, and how to merge the shards.
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
