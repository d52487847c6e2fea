//! `arena tune`: searches for better values of a bot's numbers over generations of settings, and tests them on fresh deals.
//!
//! Each generation, and the final test, is a tournament in a folder of its own. The search is a fold over their ledgers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;

use anyhow::{Context, ensure};
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_results::{chart, json, text};
use arena_statistics::tune::report::{End, Generation, Tuning, interval, settings, values};
use arena_statistics::tune::search::{SETTINGS, Search, budget, scores};
use arena_tournament::difference::differences;
use arena_tournament::formats::Choice;
use arena_tournament::formats::gauntlet::Gauntlet;
use arena_tournament::spec::Spec;
use arena_tournament::tune::{placeholders, set};

use super::{check_unplayed, print, shown, wrong_use};
use crate::cli::Tune;
use arena_config::read::{self, Flags};
use arena_runner::status::status;
use arena_session::progress::{Progress, ProgressMode};
use arena_session::session::{Machines, Session, command};
use arena_session::{ThisMachine, crash, folder, sandbox, seed, snapshot, stopping};

/// Name of the part that tests the tuned setting against the initial one.
const END_PART: &str = "end";

/// Starts or continues tuning a bot.
pub fn run(args: &Tune) -> anyhow::Result<ExitCode> {
    let (spec, dir) = find(args)?;
    let next = command("tune", &spec, &dir);
    stopping::continue_by(|| next.clone());
    let tuning = tune(&spec, &dir, args.progress.mode())?;
    crash::point("before-report");
    let (written, shown) = (json::document(&tuning)?, shown(&dir).display());
    fs::write(dir.join("tuning.json"), &written)?;
    chart::tuning(&dir, &tuning)?;
    print(&if args.json {
        written
    } else {
        text::tuning::report(&tuning)
    })?;
    status("");
    status(format_args!("chart      {shown}/tuning.svg"));
    status(format_args!("matches    arena show {shown}/generation-01"));
    if tuning.end.is_some() {
        return Ok(ExitCode::SUCCESS);
    }
    status(format_args!("continue   {next}"));
    Ok(ExitCode::from(stopping::INTERRUPTED))
}

/// Returns the tuning of the command line, with the tuned bot first, and its folder, where the description is written.
fn find(args: &Tune) -> anyhow::Result<(Spec, PathBuf)> {
    let (is_folder, file) = (args.file.is_dir(), &args.file);
    let dir = std::path::absolute(args.out.clone().unwrap_or_else(|| file.with_extension("")))?;
    let kept = dir.join(folder::FILE);
    let mut spec = read::tuning(if is_folder { &kept } else { file }, &args.keys.0)?;
    if spec.tune.is_empty() {
        return wrong_use(format!(
            "{} has no [[tune]] tables: use arena run",
            file.display()
        ));
    }
    spec.bots
        .sort_by_key(|bot| placeholders(&bot.bot).is_empty());
    let bot = format!("{}-", spec.bots[0].name);
    if let Some(other) = spec.bots.iter().find(|other| other.name.starts_with(&bot)) {
        return wrong_use(format!(
            "settings have names that begin with {bot}: rename the bot {}",
            other.name
        ));
    }
    if kept.exists() {
        let trusting = Flags {
            trust: true,
            ..Flags::default()
        };
        let kept = read::tuning(&kept, &trusting)?;
        let shown = dir.display();
        seed::keep(&mut spec, &kept);
        let differ = differences(&kept, &spec).join("\n         ");
        if !differ.is_empty() {
            let ways = format!(
                "`arena tune {shown}` continues it unchanged, and another --out leaves it alone"
            );
            return wrong_use(format!(
                "{shown} holds another tuning:\n         {differ}\n       {ways}"
            ));
        }
    } else {
        folder::refuse_foreign(&dir)?;
    }
    fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
    folder::write(&dir, &spec)?;
    snapshot::record_files(&mut spec);
    // Keep the bots' files as they entered: what earlier generations left in their folders does not make them different bots.
    if let Ok(begun) = Ledger::open_read_only(&dir.join("generation-01")) {
        for (number, bot) in spec.bots.iter_mut().enumerate() {
            let name = &bot.name;
            let mut kept = begun.spec().bots.iter();
            let kept = if number == 0 {
                kept.next()
            } else {
                kept.find(|kept| kept.name == *name)
            };
            kept.into_iter()
                .for_each(|kept| _ = folder::keep_copy(bot, kept));
        }
    } else {
        sandbox::enter(&mut spec, &[], true)?;
    }
    // Every part has a seed of its own, so the seed of the whole is only announced here.
    seed::drawn(&spec)
        .filter(|_| args.progress.mode() != ProgressMode::None)
        .into_iter()
        .for_each(status);
    (spec.local.seed_drawn, spec.anchor) = (false, None);
    spec.local.hidden.push(dir.clone());
    Ok((spec, dir))
}

/// Plays what is still missing. The result has no end if it was stopped.
fn tune(spec: &Spec, dir: &Path, mode: ProgressMode) -> anyhow::Result<Tuning> {
    let numbers = spec.tune.clone();
    let mut names = spec.names();
    let [count, deals, fresh] = budget(spec.plan.deals);
    let mut search = Search::new(&spec.tune, spec.plan.seed);
    let first = search.best.clone();
    let mut tuning = Tuning {
        bot: names.remove(0),
        field: names,
        numbers,
        generations: Vec::new(),
        end: None,
    };
    let each = part(spec, END_PART, slice::from_ref(&first), 1).matches();
    let all = each * (u64::from(count * deals) * SETTINGS as u64 + u64::from(fresh) * 2);
    let tell = |line: String| {
        if mode != ProgressMode::None {
            status(line);
        }
    };
    tell(format!(
        "{count} generations of {SETTINGS} settings on {deals} deals, then 2 on {fresh}: {all} matches at most"
    ));
    for number in 1..=count {
        let points = search.next();
        let played = play(
            &part(spec, &format!("generation-{number:02}"), &points, deals),
            dir,
            mode,
            points.len(),
        )?;
        let Some(scores) = played else {
            return Ok(tuning);
        };
        search.add(&points, &scores);
        let (settings, best) = (
            settings(&spec.tune, &points, &scores),
            values(&spec.tune, &search.best),
        );
        tuning.generations.push(Generation {
            settings,
            best,
            gain: interval(search.gain(), f64::INFINITY),
        });
        tell(text::tuning::generation(&tuning));
    }
    let both = [first, search.best];
    let scores = play(&part(spec, END_PART, &both, fresh), dir, mode, 2)?;
    tuning.end = scores.map(|scores| End::new(&spec.tune, &both, &scores));
    Ok(tuning)
}

/// Builds the tournament in which these settings meet the field on new deals.
fn part(spec: &Spec, name: &str, points: &[Vec<f64>], deals: u32) -> Spec {
    let mut part = Spec {
        name: name.into(),
        tune: Vec::new(),
        bots: Vec::new(),
        ..spec.clone()
    };
    for (number, point) in (1..).zip(points) {
        let label = if name != END_PART {
            format!("{number:02}")
        } else {
            ["first", "tuned"][number - 1].into()
        };
        let called = format!("{}-{label}", spec.bots[0].name);
        part.bots.push(set(
            &spec.bots[0],
            called,
            &spec.tune,
            &values(&spec.tune, point),
        ));
    }
    part.plan.format = Choice::Gauntlet(Gauntlet {
        challengers: part.names(),
    });
    part.bots.extend_from_slice(&spec.bots[1..]);
    (part.plan.deals, part.plan.seed) = (deals, spec.plan.seed.child(name, 0));
    part
}

/// Returns the scores of each setting (the first bots of a part); `None` if the part was stopped.
fn play(
    part: &Spec,
    dir: &Path,
    mode: ProgressMode,
    settings: usize,
) -> anyhow::Result<Option<Vec<Vec<f64>>>> {
    let dir = dir.join(&part.name);
    if let Ok(ledger) = Ledger::open_read_only(&dir) {
        // Unlike an ordinary tournament, tuning cannot continue with changed bots: settings would not be comparable.
        let is_same = ledger.spec().bots == part.bots;
        ensure!(
            is_same,
            "bots or their files have changed since {}: start over with another --out",
            dir.display()
        );
    }
    let mut ledger = folder::open(part, &dir)?;
    if ledger.count()? < part.matches() {
        // Print the notes on the machine only once.
        let once = if part.name.ends_with("-01") {
            mode
        } else {
            ProgressMode::None
        };
        let session = Session::new(part, &dir, once, Machines::This)?;
        let mut progress = Progress::new(mode, &ledger, None)?;
        let played = arena_session::play(&session, &mut ThisMachine, &mut ledger, &mut progress);
        progress.end(&part.name);
        check_unplayed(part, &played?)?;
    }
    let mut all = vec![Vec::new(); settings];
    ledger.deals(|deal| {
        scores(deal, settings)
            .into_iter()
            .zip(&mut all)
            .for_each(|(score, all)| all.push(score));
        Ok::<_, LedgerError>(())
    })?;
    Ok((ledger.count()? == part.matches()).then_some(all))
}
