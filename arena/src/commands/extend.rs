//! `arena extend`: more deals, rounds or bots for a tournament; what has been played stays valid.

use std::process::ExitCode;

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::complaint::Complaint;
use arena_tournament::difference::{differences, unextended};
use arena_tournament::spec::{FirstPlan, Spec};

use super::departures::{next_step, restarted};
use super::wrong_use;
use crate::cli::Extend;
use arena_config::diagnostic::UsageError;
use arena_config::{read, trust};
use arena_runner::status::status;
use arena_session::{crash, folder, sandbox};

/// Extends the tournament of a folder.
pub fn run(args: &Extend) -> anyhow::Result<ExitCode> {
    let (dir, flags) = (&*args.dir, &args.keys.0);
    let mut new = match &args.file {
        Some(file) => read::of_file(file, flags)?,
        None => folder::spec(dir, flags)?,
    };
    sandbox::enter(&mut new, &[dir], false)?;
    if args.file.is_some() {
        folder::keep(&mut new, dir);
    }
    let mut ledger = folder::reopen(dir)?;
    let old = ledger.spec().clone();
    if old.plan.test.is_some() && new.bots.len() != old.bots.len() {
        return wrong_use(
            "a comparison can be extended by deals only; compare other bots in another folder",
        );
    }
    let begun = join_next_round(&old, &mut new, last_deal(&ledger)?);
    let differences = differences(&old, &unextended(new.clone(), &old));
    if !differences.is_empty() {
        let what = differences.join("\n         ");
        return wrong_use(format!(
            "a tournament can be extended only by deals, rounds, and bots after the others; this would be a different one:\n         {what}\n       \
             `arena replace` puts a newer version of a bot into it, `arena disqualify` takes one out"
        ));
    }
    let wrong: Vec<Complaint> = new
        .extends(&begun)
        .err()
        .into_iter()
        .chain(new.check())
        .collect();
    UsageError::of(&wrong)?;
    // Where newcomers join in a round that has not begun, nobody has seen its deals.
    let enters = new.bots.len() > old.bots.len() && old.begun(0).1.is_none();
    if let Some(fresh) = restarted(&ledger, args.deals.same_deals || !enters)? {
        (new.plan.seed, new.earlier_seeds, new.first_plan) =
            (fresh.plan.seed, fresh.earlier_seeds, None);
        folder::start_over(&mut ledger, &mut new, dir)?;
        return next_step(&ledger, dir);
    }
    if ledger.count()? > 0
        && new.first_plan.is_none()
        && (new.plan.deals, new.rounds()) != (old.plan.deals, old.rounds())
    {
        new.first_plan = Some(FirstPlan {
            deals: old.plan.deals,
            rounds: old.rounds(),
        });
        status(
            "ranks and marks will come from the test that holds at any number of looks, since results are known already",
        );
    }
    ledger.extend(&new)?;
    crash::point("extended");
    folder::write(dir, &new)?;
    let flag = trust::flag(&new, dir);
    let (planned, before, shown) = (new.matches(), old.matches(), dir.display());
    status(format_args!(
        "{planned} matches are planned now, {before} before; {} are finished",
        ledger.count()?
    ));
    status(format_args!(
        "play them  arena {} {shown}{flag}",
        folder::go_on(&new)
    ));
    Ok(ExitCode::SUCCESS)
}

/// Lets the bots that are new join in the next round that has not begun, if the format takes newcomers. Returns the old tournament
/// with those rounds only that have begun.
pub fn join_next_round(old: &Spec, new: &mut Spec, last_deal: u32) -> Spec {
    let (begun, next) = old.begun(last_deal);
    if let Some(next) = next {
        for bot in new.bots.iter_mut().skip(begun.bots.len()) {
            bot.joined = bot.joined.max(next);
        }
    }
    begun
}

/// The last deal of which anything is played; 0 if there is none.
pub fn last_deal(ledger: &Ledger) -> Result<u32, LedgerError> {
    let mut last = 0;
    ledger.deals(|deal| {
        last = deal.number;
        Ok::<_, LedgerError>(())
    })?;
    Ok(last)
}
