//! Finds the comparison that the command line asks for, and its folder.

use std::path::{Path, PathBuf};

use anyhow::Context;
use arena_ledger::ledger::Ledger;
use arena_statistics::compare::Comparison;
use arena_tournament::difference::differences;
use arena_tournament::field::Seatings;
use arena_tournament::formats::Choice;
use arena_tournament::formats::gauntlet::Gauntlet;
use arena_tournament::formats::round_robin::RoundRobin;
use arena_tournament::spec::Spec;

use crate::cli::compare::{Compare, MAX_DEALS, TestFlags};
use crate::commands::wrong_use;
use arena_config::diagnostic::UsageError;
use arena_config::read;
use arena_session::{folder, seed, snapshot};

/// Returns the comparison that the command line asks for, and its folder.
pub fn find(args: &Compare) -> anyhow::Result<(Spec, PathBuf)> {
    let (mut spec, dir) = match args.bots.as_slice() {
        [dir] => kept(args, Path::new(dir))?,
        _ => new(args)?,
    };
    UsageError::check(&spec.check())?;
    Comparison::new(&spec).map_err(UsageError::one)?;
    let dir = dir.unwrap_or_else(|| free(&spec));
    let dir = std::path::absolute(&dir).with_context(|| dir.display().to_string())?;
    folder::keep(&mut spec, &dir);
    Ok((spec, dir))
}

/// Reads the comparison of an existing folder, with changes from flags.
fn kept(args: &Compare, dir: &Path) -> anyhow::Result<(Spec, Option<PathBuf>)> {
    let shown = dir.display();
    if !folder::is_one(dir) {
        return wrong_use(format!(
            "{shown} is not the folder of a comparison; name one, or two bots to compare"
        ));
    }
    if !args.field.is_empty() || args.file.is_some() || args.out.is_some() {
        return wrong_use(format!(
            "--field, --file and --out are for a new comparison; leave them out to continue {shown}"
        ));
    }
    let dir = std::path::absolute(dir)?;
    let mut spec = folder::spec(&dir, &args.flags(&[]))?;
    let Some(test) = spec.plan.test else {
        return wrong_use(format!(
            "{shown} holds a tournament, not a comparison; `arena run {shown}` continues it"
        ));
    };
    spec.plan.test = Some(args.test.test(Some(test), &[], args.gate)?);
    Ok((spec, Some(dir)))
}

/// Builds a new comparison of two bots.
fn new(args: &Compare) -> Result<(Spec, Option<PathBuf>), UsageError> {
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
        let name = bot
            .split_once('=')
            .map_or(bot.as_str(), |(name, _)| name)
            .trim();
        if names.contains(&name) {
            return Err(UsageError::one(format!(
                "two bots are named {name}; rename one of them: NAME=COMMAND"
            )));
        }
        names.push(name);
        if bot.contains('=') || !known.iter().any(|known| known == name) {
            flags.push(bot.clone());
        }
    }
    let mut spec = read(&flags)?;
    snapshot::record_files(&mut spec);
    let place = |name: &str| spec.bots.iter().find(|bot| bot.name == name).cloned();
    spec.bots = names.iter().filter_map(|name| place(name)).collect();
    spec.anchor = spec
        .anchor
        .filter(|anchor| names.contains(&anchor.as_str()));
    for bot in &mut spec.bots {
        bot.withdrawn = None;
    }
    spec.name = format!("{} or {}", names[0], names[1]);
    spec.plan.format = match args.field.as_slice() {
        [] => Choice::RoundRobin(RoundRobin {}),
        _ => Choice::Gauntlet(Gauntlet {
            challengers: names[..2].iter().map(ToString::to_string).collect(),
        }),
    };
    spec.plan.seatings = Seatings::default();
    spec.plan.deals = args.max_deals.unwrap_or(MAX_DEALS);
    let test = args.test.test(None, &args.field, args.gate)?;
    TestFlags::check_deals(test, spec.plan.deals)?;
    spec.plan.test = Some(test);
    Ok((spec, args.out.clone()))
}

/// Returns the first numbered folder that is free or already holds this comparison; without a given seed, any seed matches.
fn free(spec: &Spec) -> PathBuf {
    let (first, second) = (&spec.bots[0].name, &spec.bots[1].name);
    let holds_this = |ledger: Ledger| {
        let mut here = spec.clone();
        seed::keep(&mut here, ledger.spec());
        differences(ledger.spec(), &here).is_empty()
    };
    let is_this =
        |dir: &PathBuf| !dir.exists() || Ledger::open_read_only(dir).is_ok_and(holds_this);
    folder::numbered(&format!("{first}-vs-{second}"))
        .find(is_this)
        .expect("some number is free")
}
