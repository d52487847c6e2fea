//! `arena tune`: searches for better values of a bot's parameters over generations of settings, and tests the result on fresh deals.
//!
//! Each generation, and the final test, is a tournament in a separate folder. The state of the search is computed from the ledgers of these
//! tournaments.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::slice;

use arena_ledger::error::LedgerError;
use arena_results::{chart, json, text};
use arena_statistics::tune::report::{End, Generation, Tuning, settings, values};
use arena_statistics::tune::search::{SETTINGS, Search, budget, scores};
use arena_tournament::formats::Choice;
use arena_tournament::formats::gauntlet::Gauntlet;
use arena_tournament::spec::{Local, Plan, Spec};
use arena_tournament::tune::{placeholders, set};

use super::{check_unplayed, print, print_changes, shown, wrong_use};
use crate::cli::Tune;
use arena_config::read;
use arena_runner::status::status;
use arena_session::open::{Requested, Terms, open_same, open_tuning};
use arena_session::progress::{Progress, ProgressMode};
use arena_session::session::{Machines, Session, command};
use arena_session::{ThisMachine, crash, folder, seed, stopping};

/// Name of the part that tests the tuned setting against the initial one.
const END_PART: &str = "end";

/// Starts or continues tuning a bot.
pub fn run(args: &Tune) -> anyhow::Result<ExitCode> {
    let requested = requested(args)?;
    let dir = requested.dir.clone();
    let opened = open_tuning(requested)?;
    print_changes(&opened);
    let spec = opened.spec;
    // Announce the seed of the tuning here only. Every part has its own seed.
    let drawn = seed::drawn(&spec).filter(|_| args.progress.mode() != ProgressMode::None);
    drawn.into_iter().for_each(status);
    let next = command(&spec, &dir);
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

/// Returns the tuning of the command line, with the tuned bot first. If a file is given, its bots must not have changed since the tuning
/// began. If a folder is given, its bots play as they entered.
fn requested(args: &Tune) -> anyhow::Result<Requested> {
    let (file, flags) = (&args.file, &args.keys.0);
    let own = file.with_extension("");
    let dir = args.out.as_ref().unwrap_or(&own);
    let (spec, terms) = if file.is_dir() {
        let spec = read::tuning(&dir.join(folder::FILE), flags)?;
        (spec, Terms::Unchanged)
    } else {
        (read::tuning(file, flags)?, Terms::Same)
    };
    if spec.tune.is_empty() {
        return wrong_use(format!(
            "{} has no [[tune]] tables: use arena run",
            file.display()
        ));
    }
    let mut bots = spec.bots.clone();
    bots.sort_by_key(|bot| placeholders(&bot.bot).is_empty());
    let settings = format!("{}-", bots[0].name);
    if let Some(other) = bots.iter().find(|bot| bot.name.starts_with(&settings)) {
        return wrong_use(format!(
            "settings have names that begin with {settings}: rename the bot {}",
            other.name
        ));
    }
    Requested::new(Spec { bots, ..spec }, dir, terms)
}

/// Plays the parts that are missing. The result has no final test if play was stopped.
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
        tuning.generations.push(Generation { settings, best });
        tell(text::tuning::generation(&tuning));
    }
    let both = [first, search.best];
    let scores = play(&part(spec, END_PART, &both, fresh), dir, mode, 2)?;
    tuning.end = scores.map(|scores| End::new(&spec.tune, &both, &scores));
    Ok(tuning)
}

/// Builds the tournament in which these settings meet the field on new deals.
fn part(spec: &Spec, name: &str, points: &[Vec<f64>], deals: u32) -> Spec {
    let mut bots = Vec::new();
    for (number, point) in (1..).zip(points) {
        let label = if name != END_PART {
            format!("{number:02}")
        } else {
            ["first", "tuned"][number - 1].into()
        };
        let called = format!("{}-{label}", spec.bots[0].name);
        bots.push(set(
            &spec.bots[0],
            called,
            &spec.tune,
            &values(&spec.tune, point),
        ));
    }
    let challengers = bots.iter().map(|bot| bot.name.clone()).collect();
    bots.extend_from_slice(&spec.bots[1..]);
    Spec {
        name: name.into(),
        tune: Vec::new(),
        anchor: None,
        bots,
        plan: Plan {
            format: Choice::Gauntlet(Gauntlet { challengers }),
            deals,
            seed: spec.plan.seed.child(name, 0),
            ..spec.plan.clone()
        },
        local: Local {
            seed_drawn: false,
            ..spec.local.clone()
        },
        ..spec.clone()
    }
}

/// Returns the scores of each setting. The settings are the first bots of a part. `None` if the part was stopped.
fn play(
    part: &Spec,
    dir: &Path,
    mode: ProgressMode,
    settings: usize,
) -> anyhow::Result<Option<Vec<Vec<f64>>>> {
    let dir = dir.join(&part.name);
    let (part, mut ledger) = open_same(part.clone(), &dir)?;
    let part = &part;
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
