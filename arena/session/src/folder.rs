//! Folder of a tournament: chooses it, checks that it belongs to this tournament, and opens its ledger.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger;
use arena_ledger::ledger::Ledger;
use arena_ledger::saved;
use arena_runner::file_name::readable;
use arena_runner::logs;
use arena_runner::status::status;
use arena_tournament::deals::Block;
use arena_tournament::difference::{differences, unextended};
use arena_tournament::entrant::Entrant;
use arena_tournament::printable::clean;
use arena_tournament::schedule::schedule;
use arena_tournament::spec::Spec;

use super::{build, crash, seed, snapshot};
use arena_config::diagnostic::UsageError;
use arena_config::file::to_toml;
use arena_config::read::{self, Flags};

/// Tournament file in the folder. It is written for people; the ledger also contains the tournament.
pub const FILE: &str = "tournament.toml";

/// Folder in it for the tournament as it was before it started over.
pub const EARLIER: &str = "earlier";

/// Returns a folder for tournaments of this name that does not exist yet.
pub fn new(name: &str) -> PathBuf {
    numbered(name)
        .find(|dir| !dir.exists())
        .expect("some number is free")
}

/// Returns the possible folders for tournaments of this name.
pub fn numbered(name: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let safe = readable(name);
    (1..).map(move |number| Path::new("runs").join(format!("{safe}-{number}")))
}

/// Merges a tournament with that of the folder, if there is one, to continue it: takes its seed, unless one is given. A bot withdrawn
/// before it entered does not take part.
pub fn keep(spec: &mut Spec, dir: &Path) {
    let Ok(ledger) = Ledger::open_read_only(dir) else {
        spec.drop_withdrawn(|_| false);
        return;
    };
    let kept = ledger.spec();
    seed::keep(spec, kept);
    spec.adopt(kept);
    if spec.local.keep_going {
        keep_bots(spec, kept, dir);
    } else {
        keep_copies(spec, kept, dir, false);
    }
}

/// Keeps every bot as it was when it entered: later changes to one must not stop the others.
fn keep_bots(spec: &mut Spec, kept: &Spec, dir: &Path) {
    let changed = keep_copies(spec, kept, dir, true);
    let mut found = std::mem::take(&mut spec.bots);
    let mut gone = Vec::new();
    for bot in &kept.bots {
        match found.iter().position(|found| found.name == bot.name) {
            Some(place) => spec.bots.push(found.remove(place)),
            None => {
                gone.push(bot.name.clone());
                spec.bots.push(bot.clone());
            }
        }
    }
    spec.left_out.retain(|broken| !gone.contains(&broken.name));
    let mut new: Vec<String> = found.into_iter().map(|bot| bot.name).collect();
    // `arena update` will notice if it has been fixed.
    let still = kept
        .left_out
        .iter()
        .filter(|broken| new.contains(&broken.name));
    spec.left_out.extend(still.cloned());
    new.retain(|name| kept.left_out.iter().all(|broken| broken.name != *name));
    for (what, bots) in [("new", new), ("changed", changed), ("gone", gone)] {
        if !bots.is_empty() {
            let bots = clean(&bots.join(", "));
            status(format_args!(
                "{what:<11}{bots}: `arena update {}` applies the changes",
                dir.display()
            ));
        }
    }
}

/// Returns the tournament stored in a folder's ledger, changed by flags.
pub fn spec(dir: &Path, flags: &Flags) -> anyhow::Result<Spec> {
    let ledger = Ledger::open_read_only(dir)?;
    let mut spec = read::of_kept(&to_toml(ledger.spec())?, &dir.join(FILE), flags)?;
    snapshot::record_files(&mut spec);
    spec.adopt(ledger.spec());
    keep_copies(&mut spec, ledger.spec(), dir, true);
    (spec.left_out, spec.pseudonyms) = (ledger.spec().left_out.clone(), ledger.spec().pseudonyms);
    Ok(spec)
}

/// Makes bots play on from the copies with which they entered, whatever has become of their folders: built ones if requested, others
/// unless a file named by their command has changed. Returns the names of built bots that have changed.
fn keep_copies(spec: &mut Spec, kept: &Spec, dir: &Path, even_built: bool) -> Vec<String> {
    let mut changed = Vec::new();
    let alone: Vec<bool> = spec.bots.iter().map(|bot| is_alone(bot, spec)).collect();
    for (bot, is_alone) in spec.bots.iter_mut().zip(alone) {
        let is_built = bot.program().is_some_and(|program| program.build.is_some());
        let kept = kept
            .bots
            .iter()
            .find(|kept| kept.name == bot.name && kept.bot == bot.bot);
        let Some(kept) = kept.filter(|kept| kept.files != bot.files && (even_built || !is_built))
        else {
            continue;
        };
        if !keep_copy(bot, kept) {
            continue;
        }
        if is_built {
            changed.push(bot.name.clone());
        } else if bot.withdrawn.is_none() && kept.sources().is_some() {
            let (name, dir) = (clean(&bot.name), dir.display());
            let how = if is_alone {
                format!("`arena update {dir}` enters them")
            } else {
                "to enter them, give each bot a folder of its own".into()
            };
            status(format_args!(
                "changed    files in the folder of {name}, which plays on as it entered: {how}"
            ));
        }
    }
    changed
}

/// Gives a bot the files with which it entered, if it is the same one. It then plays from their copy or, if that is gone, not at all. A
/// built bot is the same as long as its copy exists.
pub fn keep_copy(bot: &mut Entrant, kept: &Entrant) -> bool {
    let is_same = bot.own_files().eq(kept.own_files())
        || bot.program().is_some_and(|program| program.build.is_some()) && build::is_done(kept);
    if is_same {
        bot.files.clone_from(&kept.files);
    }
    is_same
}

/// Returns true for a newer version of a bot: another program, or other files. In a folder that bots share, only files named by its
/// command count.
pub fn is_newer(bot: &Entrant, kept: &Entrant, spec: &Spec) -> bool {
    let has_changed =
        is_alone(bot, spec) && kept.sources().is_some() && kept.sources() != bot.sources();
    bot.bot != kept.bot || has_changed || !bot.own_files().eq(kept.own_files())
}

/// Returns true if no other bot plays from the folder of this one.
fn is_alone(bot: &Entrant, spec: &Spec) -> bool {
    let dir = bot.program().map(|program| &program.dir);
    let dirs = spec
        .bots
        .iter()
        .map(|other| other.program().map(|program| &program.dir));
    let here = dirs.filter(|other| *other == dir);
    here.count() == 1
}

/// Returns the names of bots whose programs have been edited since they entered, if nothing else has changed.
pub fn edited(kept: &Spec, spec: &Spec) -> Vec<String> {
    let mut as_entered = spec.clone();
    let mut edited = Vec::new();
    for (bot, old) in as_entered.bots.iter_mut().zip(&kept.bots) {
        // Another command may mean another bot.
        if bot.name == old.name && bot.bot == old.bot && is_newer(bot, old, spec) {
            edited.push(clean(&bot.name));
            *bot = old.clone();
        }
    }
    if !differences(kept, &unextended(as_entered, kept)).is_empty() {
        edited.clear();
    }
    edited
}

/// Opens the ledger of the folder to change the tournament, unless the tournament is closed.
pub fn reopen(dir: &Path) -> anyhow::Result<Ledger> {
    let ledger = Ledger::open(dir)?;
    if ledger.spec().closed {
        return Err(UsageError::one(format!(
            "{} is closed, and everybody may know its seed: play on in a new tournament, in another folder with another seed",
            dir.display()
        ))
        .into());
    }
    Ok(ledger)
}

/// Starts a tournament over as another one, keeping its earlier matches separately. The matches of some bots, by index, are played
/// again, or all matches if none are given.
pub fn start_over(
    ledger: &mut Ledger,
    spec: &Spec,
    bots: &[usize],
    dir: &Path,
) -> anyhow::Result<()> {
    let folder = dir.join(EARLIER).join(spec.earlier_seeds.len().to_string());
    let are_all = bots.is_empty();
    ledger.restart(spec, &folder, |scored| {
        are_all || bots.iter().any(|bot| scored.bots.contains(bot))
    })?;
    crash::point("restarted");
    if are_all {
        match fs::rename(logs::folder(dir), logs::folder(&folder)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).context("the logs cannot be moved");
            }
            _ => {}
        }
    }
    status(format_args!(
        "the matches so far are set aside: arena show {}",
        folder.display()
    ));
    write(dir, spec)
}

/// Explanation of what happens when new code enters.
pub const NEW_DEALS: &str =
    "the tournament starts over on a new seed, since replays may have shown the deals";

/// Opens the ledger of the folder if it belongs to this tournament, or creates it. Adopts the current anchor.
pub fn open(spec: &Spec, dir: &Path) -> anyhow::Result<Ledger> {
    UsageError::check(&spec.check())?;
    match reopen(dir) {
        Err(error) if matches!(error.downcast_ref(), Some(LedgerError::None(_))) => {
            refuse_foreign(dir)?;
            let ledger = Ledger::create(dir, spec)?;
            crash::point("created");
            write(dir, spec)?;
            Ok(ledger)
        }
        Err(error) => Err(error),
        Ok(mut ledger) => {
            let differences = differences(ledger.spec(), spec);
            if !differences.is_empty() {
                return Err(differs(dir, ledger.spec(), spec, &differences).into());
            }
            if (&ledger.spec().anchor, &ledger.spec().left_out) != (&spec.anchor, &spec.left_out) {
                // No match depends on these, so the current values apply to all matches played.
                let (anchor, left_out) = (spec.anchor.clone(), spec.left_out.clone());
                ledger.extend(&Spec {
                    anchor,
                    left_out,
                    ..ledger.spec().clone()
                })?;
            }
            if let Some(missing @ 1..) = ledger.give_up_missing()? {
                status(format_args!(
                    "missing    {missing} saved matches: the ledger was damaged; they are played again"
                ));
            }
            write(dir, ledger.spec())?;
            Ok(ledger)
        }
    }
}

/// Entries that a folder of ours may contain before it has a ledger.
const OURS: &[&str] = &[
    "lock",
    FILE,
    "bots",
    "logs",
    "judged",
    EARLIER,
    ledger::FILE,
    saved::FILE,
    "generation-",
];

/// Refuses a folder used for something else.
pub fn refuse_foreign(dir: &Path) -> Result<(), UsageError> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_ours = |name: &String| OURS.iter().any(|ours| name.starts_with(ours));
    match names.find(|name| !is_ours(name)) {
        None => Ok(()),
        Some(name) => Err(UsageError::one(format!(
            "{} is not a tournament's folder, since it holds {name:?}: choose another with --out",
            dir.display()
        ))),
    }
}

/// Returns the command that continues a tournament.
pub fn go_on(spec: &Spec) -> &'static str {
    if spec.plan.test.is_some() {
        "compare"
    } else {
        "run"
    }
}

fn differs(dir: &Path, kept: &Spec, spec: &Spec, differences: &[String]) -> UsageError {
    let (shown, what, command) = (dir.display(), differences.join("\n         "), go_on(kept));
    let edited = edited(kept, spec);
    if !edited.is_empty() && kept.plan.test.is_none() {
        return UsageError::one(format!(
            "{} changed since the tournament began:\n         {what}\n       `arena update {shown}` plays it again with the new version, and sets the \
             matches so far aside",
            edited.join(", ")
        ));
    }
    UsageError::one(format!(
        "{shown} holds another tournament:\n         {what}\n       `arena {command} {shown}` continues it unchanged, `arena extend` adds \
         deals and rounds to it, `arena update` brings its bots in line with the file, `arena reset` starts over, and another --out leaves it alone"
    ))
}

/// Writes the tournament file unless it is up to date. Atomic, since others may be reading it.
pub fn write(dir: &Path, spec: &Spec) -> anyhow::Result<()> {
    let (path, text) = (dir.join(FILE), to_toml(spec)?);
    if fs::read_to_string(&path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    let making = dir.join(format!("{FILE}.new"));
    fs::write(&making, text).with_context(|| making.display().to_string())?;
    fs::rename(&making, &path).with_context(|| path.display().to_string())
}

/// Returns true if the path is the folder of a tournament.
pub fn is_one(path: &Path) -> bool {
    path.is_dir() && path.join(ledger::FILE).is_file()
}

/// Returns the finished blocks, from which the next rounds are drawn.
pub fn blocks(ledger: &Ledger) -> Result<Vec<Block>, LedgerError> {
    let mut blocks = Vec::new();
    ledger.deals(|deal| {
        blocks.extend(deal.finished_blocks().cloned());
        Ok::<_, LedgerError>(())
    })?;
    Ok(blocks)
}

/// Returns the number of finished matches outside the plan.
pub fn strangers(ledger: &Ledger) -> anyhow::Result<u64> {
    let spec = ledger.spec();
    let blocks = blocks(ledger)?;
    let mut planned = 0;
    for round in 1..=spec.rounds() {
        let meetings = spec.meetings(round, &blocks);
        let (mut all, mut here) = (0, 0);
        for one in schedule(spec.field(), &meetings) {
            all += 1;
            here += u64::from(ledger.has(one.deal, &one.seats)?);
        }
        planned += here;
        // Later rounds depend on results that are still missing.
        if here < all {
            break;
        }
    }
    Ok(ledger.count()?.saturating_sub(planned))
}
