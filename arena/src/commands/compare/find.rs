//! Finds the comparison that the command line asks for, and its folder.

use std::path::{Path, PathBuf};

use arena_statistics::compare::Comparison;
use arena_tournament::entrant::Entrant;
use arena_tournament::field::Seatings;
use arena_tournament::formats::Choice;
use arena_tournament::formats::gauntlet::Gauntlet;
use arena_tournament::formats::round_robin::RoundRobin;
use arena_tournament::spec::{Plan, Spec};

use crate::cli::compare::{Compare, MAX_DEALS, TestFlags};
use crate::commands::{starts, wrong_use};
use arena_config::diagnostic::UsageError;
use arena_config::{read, word};
use arena_runner::status::status;
use arena_session::folder;
use arena_session::open::changes::decide;
use arena_session::open::{Requested, StoredTournament, Terms};
use arena_session::progress::ProgressMode;

/// Returns the comparison that the command line asks for, with its folder.
pub fn requested(args: &Compare) -> anyhow::Result<Requested> {
    let requested = match args.bots.as_slice() {
        [dir] => in_folder(args, Path::new(dir))?,
        _ => between_two(args)?,
    };
    UsageError::check(&requested.spec.check())?;
    Comparison::new(&requested.spec).map_err(UsageError::one)?;
    Ok(requested)
}

/// Returns the comparison in an existing folder, with changes from flags.
fn in_folder(args: &Compare, dir: &Path) -> anyhow::Result<Requested> {
    let shown = dir.display();
    if !folder::is_described(dir) {
        return wrong_use(format!(
            "{shown} is not the folder of a comparison; name one, or two bots to compare"
        ));
    }
    if !args.field.is_empty() || args.file.is_some() || args.out.is_some() {
        return wrong_use(format!(
            "--field, --file and --out are for a new comparison; leave them out to continue {shown}"
        ));
    }
    let requested = Requested::from_folder(dir, &args.flags(&[]))?;
    let Some(test) = requested.spec.plan.test else {
        return wrong_use(format!(
            "{shown} holds a tournament, not a comparison; `arena run {shown}` continues it"
        ));
    };
    let test = args.test.test(Some(test), &[], args.gate)?;
    let plan = Plan {
        test: Some(test),
        ..requested.spec.plan
    };
    Ok(Requested {
        spec: Spec {
            plan,
            ..requested.spec
        },
        terms: Terms::Unchanged,
        ..requested
    })
}

/// Returns a comparison of two bots, in its folder.
fn between_two(args: &Compare) -> anyhow::Result<Requested> {
    let read = |bots: &[String]| match &args.file {
        Some(file) => read::of_file(file, &args.flags(bots)),
        None => read::of_flags(&args.flags(bots)),
    };
    let known = if args.file.is_some() {
        read(&[])?.names()
    } else {
        Vec::new()
    };
    let (mut names, mut flags) = (Vec::new(), Vec::new());
    for bot in args.bots.iter().chain(&args.field) {
        let is_known = known.contains(bot);
        // Reading the flags explains a word that does not name a bot.
        let own = Some(bot.clone())
            .filter(|_| is_known)
            .or_else(|| word::name(bot));
        let name = own.unwrap_or_else(|| bot.clone());
        if names.contains(&name) {
            return wrong_use(format!(
                "two bots are named {name}; give one another name, such as new={bot}"
            ));
        }
        names.push(name);
        if !is_known {
            flags.push(bot.clone());
        }
    }
    let spec = read(&flags)?;
    if args.progress.mode() != ProgressMode::None {
        let started = starts(&spec, &args.flags(&flags));
        started.into_iter().for_each(status);
    }
    let bot = |name: &String| spec.bots.iter().find(|bot| bot.name == *name).cloned();
    let mut bots: Vec<Entrant> = names.iter().filter_map(bot).collect();
    bots.iter_mut().for_each(|bot| bot.withdrawn = None);
    let format = if args.field.is_empty() {
        Choice::RoundRobin(RoundRobin {})
    } else {
        let challengers = names[..2].to_vec();
        Choice::Gauntlet(Gauntlet { challengers })
    };
    let test = args.test.test(None, &args.field, args.gate)?;
    let deals = args.max_deals.unwrap_or(MAX_DEALS);
    TestFlags::check_deals(test, deals)?;
    let spec = Spec {
        name: format!("{} or {}", names[0], names[1]),
        bots,
        anchor: spec.anchor.filter(|anchor| names.contains(anchor)),
        left_out: Vec::new(),
        plan: Plan {
            format,
            seatings: Seatings::default(),
            deals,
            test: Some(test),
            ..spec.plan
        },
        ..spec
    };
    match &args.out {
        Some(out) => Requested::new(spec, out, Terms::Current),
        None => in_free_folder(spec, &format!("{}-vs-{}", names[0], names[1])),
    }
}

/// Returns a comparison in the first numbered folder that is free or already holds the same comparison. If no seed is given, the seeds may
/// differ.
fn in_free_folder(spec: Spec, name: &str) -> anyhow::Result<Requested> {
    let requested = Requested::new(spec, Path::new(name), Terms::Current)?;
    let is_this = |dir: &PathBuf| match StoredTournament::read(dir) {
        Ok(None) => folder::refuse_foreign(dir).is_ok(),
        Ok(held) => decide(&requested, held.as_ref()).is_ok_and(|it| it.lines().next().is_none()),
        Err(_) => false,
    };
    let mut dirs = folder::numbered(name).flat_map(std::path::absolute);
    let dir = dirs.find(is_this).expect("some number is free");
    Ok(Requested { dir, ..requested })
}
