//! `arena replace` and `arena disqualify`: bots that leave a tournament that has begun.

use std::path::Path;
use std::process::ExitCode;

use arena_ledger::ledger::Ledger;
use arena_tournament::change::Past;
use arena_tournament::entrant::{Bot, Program};
use arena_tournament::spec::Spec;

use super::wrong_use;
use crate::cli::{Disqualify, Replace};
use arena_config::diagnostic::UsageError;
use arena_config::{entrants, seed, trust};
use arena_runner::file_name::file_name;
use arena_runner::status::status;
use arena_sandbox::snapshot;
use arena_session::{crash, folder};

/// Puts a newer version of a bot in its place.
pub fn replace(args: &Replace) -> anyhow::Result<ExitCode> {
    let mut ledger = folder::reopen(&args.dir)?;
    let bot = find(&ledger, &args.bot)?;
    let newer = newer(&ledger.spec().bots[bot].bot, args)?;
    match &newer {
        Bot::Program(program) => drop(entrants::find_all(program).map_err(UsageError::one)?),
        Bot::Person => {
            return wrong_use(format!(
                "a person takes no bot's place in a tournament; {}",
                entrants::PEOPLE
            ));
        }
        Bot::Builtin(_) => {}
    }
    let fresh = restarted(&ledger, args.deals.same_deals)?;
    let base = fresh.as_ref().unwrap_or(ledger.spec());
    let place = base
        .bots
        .iter()
        .position(|other| other.name == ledger.spec().bots[bot].name)
        .expect("it still plays");
    let (mut spec, past) = base.replaced(place, newer.clone(), snapshot::files(&newer));
    let name = spec.bots[place].name.clone();
    if fresh.is_some() {
        folder::start_over(&mut ledger, &mut spec, &args.dir)?;
    } else {
        depart(&mut ledger, bot, spec, past, &args.dir)?;
    }
    status(format_args!("{name} is in its place: {newer}"));
    next_step(&ledger, &args.dir)
}

/// Takes a bot out of a tournament.
pub fn disqualify(args: &Disqualify) -> anyhow::Result<ExitCode> {
    let mut ledger = folder::reopen(&args.dir)?;
    let bot = find(&ledger, &args.bot)?;
    let (spec, past) = ledger.spec().without(bot, &args.why);
    if past == Past::SetAside {
        UsageError::of(&spec.check())?;
    } else if matches!(spec.bots[bot].bot, Bot::Builtin(_)) {
        return wrong_use(format!(
            "{} is built in, and a {} keeps all its bots to the end",
            args.bot,
            spec.plan.format.name()
        ));
    }
    depart(&mut ledger, bot, spec, past, &args.dir)?;
    next_step(&ledger, &args.dir)
}

/// The tournament as it starts over on a new seed if new code enters; none if nothing was played, or the same deals are wanted.
pub fn restarted(ledger: &Ledger, same_deals: bool) -> anyhow::Result<Option<Spec>> {
    let set_aside = ledger
        .spec()
        .departures
        .iter()
        .any(|departure| departure.set_aside > Some(0));
    if same_deals || !set_aside && ledger.count()? == 0 {
        return Ok(None);
    }
    Ok(Some(ledger.spec().restarted(seed::draw()?)))
}

/// The bot of this name, in a tournament that bots can leave.
fn find(ledger: &Ledger, name: &str) -> anyhow::Result<usize> {
    let spec = ledger.spec();
    if spec.plan.test.is_some() {
        return wrong_use(
            "a comparison keeps its two bots to the end: compare others in another folder",
        );
    }
    if spec
        .bots
        .iter()
        .any(|bot| bot.name == name && bot.disqualified.is_some())
    {
        return wrong_use(format!("{name} is disqualified already"));
    }
    let found = spec.field().find("bots", name);
    UsageError::of(found.as_ref().err().map_or(&[], std::slice::from_ref))?;
    found.map_err(|complaint| anyhow::anyhow!("{complaint}"))
}

/// What plays in the place of a bot: another command in the same folder, or the same with files that have changed.
fn newer(old: &Bot, args: &Replace) -> anyhow::Result<Bot> {
    let Some(command) = &args.command else {
        return Ok(old.clone());
    };
    let newer = match command.trim().strip_prefix(entrants::BUILTIN) {
        Some(builtin) => Bot::Builtin(builtin.to_owned()),
        None if command.trim() == entrants::HUMAN => Bot::Person,
        None => Bot::Program(entrants::of_words(
            entrants::split(command).map_err(UsageError::one)?,
            std::env::current_dir()?,
        )),
    };
    let Bot::Program(newer) = newer else {
        return Ok(newer);
    };
    let base = if let Bot::Program(old) = old {
        old
    } else {
        &newer
    };
    let dir = args
        .bot_dir
        .as_ref()
        .map_or(Ok(base.dir.clone()), std::path::absolute)?;
    Ok(Bot::Program(Program {
        command: newer.command.clone(),
        dir,
        ..base.clone()
    }))
}

/// Records that a bot has left, and prints where its matches are.
pub fn depart(
    ledger: &mut Ledger,
    bot: usize,
    spec: Spec,
    past: Past,
    dir: &Path,
) -> anyhow::Result<()> {
    let name = ledger.spec().bots[bot].name.clone();
    let folder = dir.join(folder::FORMER).join(file_name(&name));
    match past {
        Past::Stands => ledger.extend(&spec)?,
        Past::SetAside => ledger.set_aside(bot, spec, &folder)?,
    }
    crash::point("departed");
    folder::write(dir, ledger.spec())?;
    let set_aside = ledger
        .spec()
        .departures
        .last()
        .and_then(|departure| departure.set_aside)
        .unwrap_or_default();
    match past {
        Past::Stands => status(format_args!(
            "the matches of {name} stand: later rounds depend on them"
        )),
        Past::SetAside => {
            status(format_args!(
                "{set_aside} matches of {name} are set aside: arena export {}",
                folder.display()
            ));
        }
    }
    Ok(())
}

/// Prints what is to be played now.
pub fn next_step(ledger: &Ledger, dir: &Path) -> anyhow::Result<ExitCode> {
    status(format_args!(
        "{} matches are planned now; {} are finished",
        ledger.spec().matches(),
        ledger.count()?
    ));
    status(format_args!(
        "play them  arena run {}{}",
        dir.display(),
        trust::flag(ledger.spec(), dir)
    ));
    Ok(ExitCode::SUCCESS)
}
