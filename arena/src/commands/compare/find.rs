//! Which comparison is asked for, and where it is kept.

use std::path::{Path, PathBuf};

use anyhow::Context;
use arena_bots::roster;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_results::compare::Comparison;
use arena_results::ledger::Ledger;

use super::asked::MOST_DEALS;
use crate::cli::compare::Compare;
use crate::format::{Format, Seatings};
use crate::setup::{self, BadSetup, Setup};
use crate::tournament::folder;

/// The comparison that is asked for, and its folder.
pub fn find(asked: &Compare) -> anyhow::Result<(Setup, PathBuf)> {
    let (setup, dir) = match asked.bots.as_slice() {
        [dir] => kept(asked, Path::new(dir))?,
        _ => begun(asked)?,
    };
    setup.check_field()?;
    let tournament = setup.tournament(version(&setup)?);
    Comparison::new(&tournament).map_err(|error| BadSetup::one(error.to_string()))?;
    let dir = match dir {
        Some(dir) => dir,
        None => free(&setup)?,
    };
    let dir = std::path::absolute(&dir).with_context(|| dir.display().to_string())?;
    Ok((setup, dir))
}

/// The comparison of a folder, changed by flags, so that it can be said what they would change.
fn kept(asked: &Compare, dir: &Path) -> anyhow::Result<(Setup, Option<PathBuf>)> {
    let shown = dir.display();
    if !folder::is_one(dir) {
        return Err(
            BadSetup::one(format!("{shown} is no folder of a comparison; name it, or two bots to compare")).into()
        );
    }
    if !asked.field.is_empty() || asked.file.is_some() || asked.out.is_some() {
        return Err(BadSetup::one(format!(
            "--field, --file and --out are for a new comparison; leave them out to go on with {shown}"
        ))
        .into());
    }
    let dir = std::path::absolute(dir)?;
    let mut setup = folder::setup_with(&dir, &asked.asked(Some(dir.clone()), Vec::new()))?;
    let Some(test) = setup.test else {
        let what = format!("{shown} holds a tournament, not a comparison; `arena run {shown}` goes on with it");
        return Err(BadSetup::one(what).into());
    };
    setup.test = Some(asked.test.changed(test)?);
    Ok((setup, Some(dir)))
}

/// The comparison of two bots.
fn begun(asked: &Compare) -> Result<(Setup, Option<PathBuf>), BadSetup> {
    let known: Vec<String> = match &asked.file {
        Some(file) => {
            let setup = setup::file::tournament(&asked.asked(Some(file.clone()), Vec::new()))?;
            setup.bots.into_iter().map(|bot| bot.name).collect()
        }
        None => Vec::new(),
    };
    let (mut names, mut flags) = (Vec::new(), Vec::new());
    for bot in asked.bots.iter().chain(&asked.field) {
        let name = bot.split_once('=').map_or(bot.as_str(), |(name, _)| name).trim();
        if names.contains(&name) {
            return Err(BadSetup::one(format!("two bots are named {name}; rename one of them: NAME=COMMAND")));
        }
        names.push(name);
        if bot.contains('=') {
            flags.push(bot.clone());
        } else if !known.iter().any(|known| known == name) {
            check_builtin(asked, name)?;
            flags.push(format!("{name}=builtin:{name}"));
        }
    }
    let mut setup = setup::file::tournament(&asked.asked(asked.file.clone(), flags))?;
    let place = |name: &str| setup.bots.iter().find(|bot| bot.name == name).cloned();
    setup.bots = names.iter().filter_map(|name| place(name)).collect();
    for bot in &mut setup.bots {
        (bot.joined, bot.left) = (1, None);
    }
    setup.name = format!("{} or {}", names[0], names[1]);
    setup.format =
        if asked.field.is_empty() { Format::RoundRobin } else { Format::Gauntlet { challengers: vec![0, 1] } };
    setup.seatings = Seatings::default();
    setup.deals = asked.max_deals.unwrap_or(MOST_DEALS);
    setup.test = Some(asked.test.test(&asked.field)?);
    Ok((setup, asked.out.clone()))
}

/// Whether a name alone says what plays.
fn check_builtin(asked: &Compare, name: &str) -> Result<(), BadSetup> {
    // With a file its game is checked where the bot is read.
    let Some(game) = asked.game.as_deref().or(asked.file.is_none().then_some("coda")) else { return Ok(()) };
    let known: Vec<&str> = roster::names(game).collect();
    if known.is_empty() || known.contains(&name) {
        return Ok(());
    }
    let all = known.join(", ");
    Err(BadSetup::one(format!(
        "no bot named {name} is built in for {game}; write NAME=COMMAND for a program, or one of: {all}"
    )))
}

/// The first folder that holds this very comparison, or nothing yet.
fn free(setup: &Setup) -> anyhow::Result<PathBuf> {
    let (first, second) = (&setup.bots[0].name, &setup.bots[1].name);
    let planned = setup.tournament(version(setup)?);
    let is_this = |dir: &PathBuf| {
        !dir.exists()
            || Ledger::open_read_only(dir).is_ok_and(|ledger| ledger.tournament().differences(&planned).is_empty())
    };
    Ok(folder::numbered(&format!("{first}-vs-{second}")).find(is_this).expect("some number is free"))
}

/// The version of the game's rules.
fn version(setup: &Setup) -> anyhow::Result<u32> {
    struct Version;
    impl Visitor for Version {
        type Out = u32;
        fn visit<G: Game>(self) -> u32 {
            G::RULES_VERSION
        }
    }
    games::visit(&setup.game, Version).context("no such game")
}
