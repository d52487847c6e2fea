//! `arena update`: brings a tournament that has begun in line with its file: new bots enter, changed ones are replaced, missing ones leave.

use std::process::ExitCode;

use anyhow::ensure;
use arena_ledger::ledger::Ledger;
use arena_tournament::change::Past;
use arena_tournament::complaint::Complaint;
use arena_tournament::entrant::Entrant;
use arena_tournament::printable::clean;
use arena_tournament::spec::{LeftOut, Spec};

use super::departures::{depart, next_step, restarted};
use super::extend::{join_next_round, last_deal};
use super::{print, wrong_use};
use crate::cli::Update;
use arena_config::read::{self, Flags};
use arena_runner::status::status;
use arena_session::{crash, folder, sandbox};

/// The reason that is given for a bot that the file names no more.
const WITHDRAWN: &str = "withdrawn";

/// One change among the bots.
enum Change {
    Enter(Entrant),
    /// Of the bot with this name.
    Replace(String, Entrant),
    Withdraw(String),
}

/// Shows what has changed, and takes it over if that is wanted.
pub fn run(args: &Update) -> anyhow::Result<ExitCode> {
    let (dir, file) = (&*args.dir, args.file());
    let mut now = read::of_file(
        &file,
        &Flags {
            trust: args.trust.trust,
            ..Flags::default()
        },
    )?;
    sandbox::enter(&mut now, &[dir], false)?;
    let mut ledger = folder::reopen(dir)?;
    if ledger.spec().plan.test.is_some() {
        return wrong_use(
            "a comparison keeps its two bots to the end: compare others in another folder",
        );
    }
    let is_in = |name: &str| ledger.spec().bots.iter().any(|bot| bot.is_called(name));
    let (playing, left_out) = now
        .left_out
        .drain(..)
        .partition::<Vec<_>, _>(|broken| is_in(&broken.name));
    let broken: Vec<&str> = playing.iter().map(|broken| broken.name.as_str()).collect();
    let changes = changes(ledger.spec(), &now, &broken);
    // A newcomer whose first round has not begun plays deals that nobody has seen.
    let is_new = |change: &&Change| match change {
        Change::Enter(_) => ledger.spec().begun(0).1.is_none(),
        Change::Replace(..) => true,
        Change::Withdraw(_) => false,
    };
    let fresh = restarted(&ledger, args.deals.same_deals)?;
    let fresh = fresh.filter(|fresh| {
        changes
            .iter()
            .filter(is_new)
            .any(|change| after(fresh, change, None).is_ok())
    });
    let (starts_over, last) = (
        fresh.is_some(),
        if fresh.is_some() {
            None
        } else {
            Some(last_deal(&ledger)?)
        },
    );
    let (mut spec, mut refused) = (fresh.unwrap_or_else(|| ledger.spec().clone()), 0);
    let mut lines = String::new();
    for change in &changes {
        let after = after(&spec, change, last);
        refused += usize::from(after.is_err());
        lines += &format!("{}\n", describe(change, after.as_ref()));
        match after {
            Ok((after, past)) if args.yes && !starts_over => {
                take_over(&mut ledger, change, after, past, dir)?;
                spec = ledger.spec().clone();
            }
            Ok((after, _)) => spec = after,
            Err(_) => {}
        }
    }
    for (all, what) in [
        (&playing, " continues as the version that entered: "),
        (&left_out, " does not enter: "),
    ] {
        for LeftOut { name, why } in all {
            let what = if name.is_empty() { "" } else { what };
            lines += &format!("broken     {}{what}{why}\n", clean(name));
        }
    }
    print(&lines)?;
    if args.yes {
        if starts_over {
            spec.left_out = left_out;
            folder::start_over(&mut ledger, &mut spec, dir)?;
        } else if left_out != spec.left_out {
            ledger.extend(&Spec { left_out, ..spec })?;
        }
        next_step(&ledger, dir)?;
    } else if changes.len() > refused {
        if starts_over {
            status(format_args!(
                "{}; --same-deals keeps them, for experiments of your own",
                folder::NEW_DEALS
            ));
        }
        status(format_args!(
            "nothing has been changed yet: --yes applies this to {}",
            dir.display()
        ));
    } else {
        status("there is nothing to change");
    }
    ensure!(
        refused == 0,
        "refused: {refused} of {} changes; the lines above say why",
        changes.len()
    );
    Ok(ExitCode::SUCCESS)
}

/// The changes from the tournament as it is to the file's, in an order in which they can be made.
fn changes(kept: &Spec, now: &Spec, broken: &[&str]) -> Vec<Change> {
    let (mut changes, mut entering) = (Vec::new(), Vec::new());
    for bot in &now.bots {
        match kept.bots.iter().find(|kept| kept.is_called(&bot.name)) {
            None => entering.push(Change::Enter(bot.clone())),
            Some(kept) if kept.disqualified.is_some() => entering.push(Change::Enter(bot.clone())),
            Some(kept) if folder::is_newer(bot, kept, now) => {
                changes.push(Change::Replace(kept.name.clone(), bot.clone()));
            }
            Some(_) => {}
        }
    }
    let is_there = |kept: &&Entrant| {
        let is_it = |name: &str| kept.is_called(name);
        now.bots.iter().any(|bot| is_it(&bot.name)) || broken.iter().any(|name| is_it(name))
    };
    let gone = kept
        .bots
        .iter()
        .filter(|bot| bot.disqualified.is_none() && !is_there(bot));
    changes.extend(entering);
    // Who leaves last leaves enough bots for those before.
    changes.extend(gone.map(|bot| Change::Withdraw(bot.name.clone())));
    changes
}

/// The tournament after a change, and what becomes of the matches of a bot that leaves. Without a last deal nothing is played yet.
fn after(
    spec: &Spec,
    change: &Change,
    last_deal: Option<u32>,
) -> Result<(Spec, Option<Past>), Complaint> {
    let index = |name: &String| {
        spec.bots
            .iter()
            .position(|bot| bot.name == *name)
            .expect("it is in the tournament")
    };
    let (after, past) = match change {
        Change::Enter(bot) if spec.departures.iter().any(|left| left.name == bot.name) => {
            return Err(Complaint::new(
                "bots",
                "it has left",
                "enter it under another name",
            ));
        }
        Change::Enter(bot) => {
            let mut after = spec.clone();
            after.bots.push(bot.clone());
            let begun = join_next_round(spec, &mut after, last_deal.unwrap_or_default());
            after.extends(&begun)?;
            (after, None)
        }
        Change::Replace(name, newer) => {
            let (after, past) = spec.replaced(index(name), newer.bot.clone(), newer.files.clone());
            (
                after,
                Some(if last_deal.is_none() {
                    Past::SetAside
                } else {
                    past
                }),
            )
        }
        Change::Withdraw(name) if last_deal.is_none() => {
            (spec.removed(index(name), WITHDRAWN), Some(Past::SetAside))
        }
        Change::Withdraw(name) => {
            let (after, past) = spec.without(index(name), WITHDRAWN);
            (after, Some(past))
        }
    };
    after
        .check()
        .into_iter()
        .next()
        .map_or(Ok((after, past)), Err)
}

/// A line about a change.
fn describe(change: &Change, after: Result<&(Spec, Option<Past>), &Complaint>) -> String {
    let (what, name) = match change {
        Change::Enter(bot) => ("new", &bot.name),
        Change::Replace(name, _) => ("changed", name),
        Change::Withdraw(name) => ("gone", name),
    };
    let end = match after {
        Err(refused) => format!("refused: {}; {}", refused.what, refused.help),
        Ok((after, past)) => {
            let now = after
                .departures
                .last()
                .and_then(|left| left.replaced_by.as_deref());
            let next = match (change, now) {
                (Change::Replace(..), Some(now)) => format!("replaced by {}", clean(now)),
                (Change::Withdraw(_), _) => "leaves".into(),
                _ => "enters".into(),
            };
            let matches = match past {
                None => "",
                Some(Past::Stands) => "; its matches stand",
                Some(Past::SetAside) => "; its matches are set aside",
            };
            next + matches
        }
    };
    format!("{what:<11}{} {end}", clean(name))
}

fn take_over(
    ledger: &mut Ledger,
    change: &Change,
    after: Spec,
    past: Option<Past>,
    dir: &std::path::Path,
) -> anyhow::Result<()> {
    let name = match change {
        Change::Enter(_) => {
            ledger.extend(&after)?;
            crash::point("extended");
            return folder::write(dir, ledger.spec());
        }
        Change::Replace(name, _) | Change::Withdraw(name) => name,
    };
    let bot = ledger
        .spec()
        .bots
        .iter()
        .position(|bot| bot.name == *name)
        .expect("it is in the tournament");
    depart(ledger, bot, after, past.expect("it leaves"), dir)
}
