//! `arena update`: brings an existing tournament in line with its file, and continues it.

use std::io::{self, IsTerminal};
use std::mem;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use arena_ledger::ledger::Ledger;
use arena_tournament::difference::{differences, unextended};
use arena_tournament::entrant::Entrant;
use arena_tournament::printable::{clean, clean_lines};
use arena_tournament::spec::{LeftOut, Spec};
use clap::Parser;

use super::extend::{extend, last_deal};
use super::{check_left_out, name_left_out, print, run, wrong_use};
use crate::cli::{Cli, Command, Update};
use arena_config::diagnostic::UsageError;
use arena_config::read::{self, Flags};
use arena_config::seed::draw;
use arena_results::faults::log;
use arena_runner::conversation::Conversation;
use arena_runner::conversation::greeting::Unready;
use arena_runner::gate::Gate;
use arena_runner::status::status;
use arena_runner::{Run, Starts, Startup, Stop, worker};
use arena_session::{folder, sandbox, seed, snapshot};

/// Shows what has changed, and on confirmation applies it and continues.
pub fn run(args: &Update) -> anyhow::Result<ExitCode> {
    let dir = &*args.dir;
    let flags = Flags {
        trust: args.trust.trust,
        ..Flags::default()
    };
    let mut file = read::of_file(&args.file(), &flags)?;
    snapshot::record_files(&mut file);
    sandbox::enter(&mut file, &[dir], false)?;
    let mut ledger = folder::reopen(dir)?;
    if ledger.spec().plan.test.is_some() {
        return wrong_use(
            "a comparison keeps its two bots to the end: compare others in another folder",
        );
    }
    start_new_versions(&mut file, ledger.spec(), dir)?;
    let update = Planned::new(&ledger, &file, args.deals.same_deals);
    let update = update.inspect_err(|_| name_left_out(&file))?;
    print(&update.lines)?;
    if !update.changes && out(&update.spec) == out(ledger.spec()) {
        status("there is nothing to change");
        let is_finished = ledger.count()? >= ledger.spec().matches();
        drop(ledger);
        return if args.yes && !is_finished {
            play(args)
        } else {
            check_left_out(&update.spec, "")
        };
    }
    if update.replayed.is_some() {
        status(if args.deals.same_deals {
            "changed bots play the same deals again; --same-deals is for experiments of your own"
        } else {
            folder::NEW_DEALS
        });
    }
    if !(args.yes || is_agreed()?) {
        status(format_args!(
            "nothing has been changed yet: --yes applies this to {} and plays on",
            dir.display()
        ));
        return Ok(ExitCode::SUCCESS);
    }
    update.apply(&mut ledger, dir)?;
    drop(ledger);
    play(args)
}

/// Returns the bots that do not play, and the reasons why newer versions of others were refused.
fn out(spec: &Spec) -> (&[LeftOut], Vec<&Option<String>>) {
    let refused = spec.bots.iter().map(|bot| &bot.refused);
    (&spec.left_out, refused.collect())
}

/// Starts each new version once, isolated as in a match. A bot that does not become ready is left out or its new version refused.
fn start_new_versions(file: &mut Spec, kept: &Spec, dir: &Path) -> anyhow::Result<()> {
    let plays_already = |bot: &Entrant| {
        let mut kept = kept.bots.iter();
        let old = kept.find(|old| old.name == bot.name && old.withdrawn.is_none());
        old.is_some_and(|old| !folder::is_newer(bot, old, file))
    };
    let is_new = |bot: &Entrant| bot.is_program() && bot.withdrawn.is_none() && !plays_already(bot);
    let new: Vec<usize> = (0..file.bots.len())
        .filter(|bot| is_new(&file.bots[*bot]))
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let sandbox = sandbox::for_programs(file, &[dir])?;
    sandbox::announce(file, &sandbox, false);
    let (stop, starts) = (Stop::default(), Starts::default());
    for bot in new.into_iter().rev() {
        let run = Run::new(file, &stop, &starts, &sandbox);
        let Some(why) = run
            .startup(bot)
            .and_then(|startup| why_unready(&startup, file.clock(bot).start_ms).transpose())
            .transpose()?
        else {
            continue;
        };
        let name = &file.bots[bot].name;
        if !file.local.keep_going {
            return wrong_use(format!("bot {} {why}", clean(name)));
        }
        let name = file.bots.remove(bot).name;
        file.left_out.push(LeftOut {
            name,
            why,
            ..LeftOut::default()
        });
    }
    Ok(())
}

/// Starts a program; returns why it did not become ready, if the program is to blame.
fn why_unready(startup: &Startup<'_>, start_ms: u64) -> anyhow::Result<Option<String>> {
    let limit = Duration::from_millis(start_ms);
    worker::runtime()?.block_on(async {
        match Conversation::start(startup, &Gate::shared(), limit).await {
            Ok(conversation) => {
                conversation.quit().await;
                Ok(None)
            }
            Err(Unready::Failed(fault, evidence)) => {
                let reason = log::reason(&evidence.stderr);
                let reason = reason.map(|line| format!("; its log says: {line}"));
                let reason = reason.unwrap_or_default();
                Ok(Some(format!("does not start: {fault}{reason}")))
            }
            Err(Unready::Ours(_) | Unready::Paused(_)) => Ok(None),
        }
    })
}

/// Asks for confirmation at a terminal.
fn is_agreed() -> io::Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    status("Apply this and play on? [y/N]");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(answer.trim().eq_ignore_ascii_case("y"))
}

/// Continues the tournament in the folder, as `arena run` does.
fn play(args: &Update) -> anyhow::Result<ExitCode> {
    let dir = args.dir.to_path_buf().into_os_string();
    let mut words = vec!["arena".into(), "run".into(), dir];
    words.extend(args.trust.trust.then(|| "--trust".into()));
    words.extend(args.quiet.then(|| "--quiet".into()));
    match Cli::try_parse_from(words)?.command {
        Command::Run(args) => run::run(&args),
        _ => unreachable!("the words name this command"),
    }
}

/// An update that has not been applied yet.
struct Planned {
    /// The tournament after the update.
    spec: Spec,
    /// Its changes, one per line.
    lines: String,
    /// True if the update changes bots.
    changes: bool,
    /// If the tournament starts over: indices of the bots whose matches are set aside; empty means all bots.
    replayed: Option<Vec<usize>>,
}

impl Planned {
    fn new(ledger: &Ledger, file: &Spec, same_deals: bool) -> anyhow::Result<Self> {
        let kept = ledger.spec();
        let begun = kept.rounds_begun(last_deal(ledger)?);
        let mut merged = Merged::new(kept, file, begun)?;
        let spec = &mut merged.spec;
        seed::keep(spec, kept);
        let mut replayed = None;
        let takes_newcomers = kept.plan.format.listed().newcomers;
        let newcomers = spec.bots.len() > kept.bots.len();
        let has_new_code = !merged.changed.is_empty() || newcomers && !takes_newcomers;
        if ledger.count()? == 0 {
            // No deals have been seen yet, so withdrawn bots can simply be dropped.
            spec.drop_withdrawn(|_| false);
            UsageError::check(&spec.check())?;
        } else if merged.changed.is_empty() && (same_deals || !has_new_code) {
            let differences = differences(kept, &unextended(spec.clone(), kept));
            if !differences.is_empty() {
                return wrong_use(format!(
                    "this would be a different tournament:\n         {}\n       play it in another folder",
                    differences.join("\n         ")
                ));
            }
            spec.plan = kept.plan.clone();
            let first_round = if takes_newcomers { begun + 1 } else { 1 };
            for bot in spec.bots.iter_mut().skip(kept.bots.len()) {
                bot.joined = first_round;
            }
        } else {
            let mut others = spec.clone();
            for bot in &merged.changed {
                others.bots[*bot] = kept.bots[*bot].clone();
            }
            let keeps_others = same_deals
                && spec.rounds() == 1
                && differences(kept, &unextended(others, kept)).is_empty()
                && spec.extends(kept, begun).is_ok();
            if !keeps_others {
                merged.changed.clear();
                spec.drop_withdrawn(|_| false);
                let place = |bot: &Entrant| merged.order.iter().position(|name| *name == bot.name);
                spec.bots
                    .sort_by_key(|bot| place(bot).unwrap_or(usize::MAX));
                spec.bots.iter_mut().for_each(|bot| bot.joined = 1);
            }
            spec.plan.seed = kept.plan.seed;
            spec.restart(if same_deals { kept.plan.seed } else { draw()? });
            UsageError::check(&spec.check())?;
            replayed = Some(merged.changed);
        }
        Ok(Self {
            changes: !merged.changes.is_empty(),
            lines: merged
                .changes
                .into_iter()
                .chain(merged.broken)
                .map(|line| line + "\n")
                .collect(),
            spec: merged.spec,
            replayed,
        })
    }

    fn apply(self, ledger: &mut Ledger, dir: &Path) -> anyhow::Result<()> {
        match self.replayed {
            Some(bots) => folder::start_over(ledger, &self.spec, &bots, dir),
            None if ledger.count()? == 0 => {
                ledger.extend(&self.spec)?;
                folder::write(dir, &self.spec)
            }
            None => extend(ledger, self.spec, dir),
        }
    }
}

/// The tournament of the file, with bots that have already entered first, in their order.
struct Merged {
    spec: Spec,
    /// Indices of the bots with new code.
    changed: Vec<usize>,
    /// Names of the bots in the file's order.
    order: Vec<String>,
    /// One line per change.
    changes: Vec<String>,
    /// One line per broken bot.
    broken: Vec<String>,
}

impl Merged {
    fn new(kept: &Spec, file: &Spec, begun: u32) -> anyhow::Result<Self> {
        let mut spec = file.clone();
        let mut changed = Vec::new();
        let mut changes = Vec::new();
        let mut broken = Vec::new();
        let has_entered = |name: &str| kept.bots.iter().any(|bot| bot.name == name);
        for left_out in &file.left_out {
            let what = match &left_out.name {
                name if name.is_empty() => "",
                _ if left_out.is_gone => ": ",
                name if has_entered(name) => " continues as the version that entered: ",
                _ => " does not enter: ",
            };
            let name = clean(&left_out.name);
            let why = clean_lines(&left_out.why);
            broken.push(format!("broken     {name}{what}{why}"));
        }
        spec.left_out.retain(|bot| !has_entered(&bot.name));
        let mut found = mem::take(&mut spec.bots);
        for old in &kept.bots {
            let name = clean(&old.name);
            let mut bot = old.clone();
            let mut broken = file.left_out.iter();
            let broken = broken.find(|bot| bot.name == old.name && !bot.is_gone);
            let new = found.iter().position(|bot| bot.name == old.name);
            let new = new.map(|place| found.remove(place));
            let was_withdrawn = old.withdrawn.is_some();
            let is_withdrawn = new
                .as_ref()
                .map_or(was_withdrawn || broken.is_none(), |new| {
                    new.withdrawn.is_some()
                });
            bot.refused = broken.map(|broken| broken.why.clone());
            if is_withdrawn && !was_withdrawn {
                bot.withdrawn = Some(begun);
                changes.push(format!("withdrawn  {name}"));
            }
            if let Some(new) = new.filter(|_| !is_withdrawn) {
                let files = mem::take(&mut bot.files);
                let is_newer = folder::is_newer(&new, old, file);
                bot = Entrant {
                    joined: old.joined,
                    ..new
                };
                if is_newer || was_withdrawn {
                    let what = if was_withdrawn { "back" } else { "changed" };
                    changed.push(spec.bots.len());
                    changes.push(format!("{what:<11}{name} plays from its start"));
                } else {
                    bot.files = files;
                }
            }
            spec.bots.push(bot);
        }
        found.retain(|bot| bot.withdrawn.is_none());
        changes.extend(
            found
                .iter()
                .map(|bot| format!("new        {} enters", clean(&bot.name))),
        );
        spec.bots.append(&mut found);
        spec.pseudonyms |= kept.pseudonyms;
        spec.earlier_seeds.clone_from(&kept.earlier_seeds);
        spec.first_plan = kept.first_plan;
        Ok(Self {
            spec,
            changed,
            order: file.names(),
            changes,
            broken,
        })
    }
}
