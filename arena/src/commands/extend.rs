//! `arena extend`: adds deals or rounds to a tournament; finished matches remain valid.

use std::path::Path;
use std::process::ExitCode;

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::formats::{Choice, not_for};
use arena_tournament::spec::{FirstPlan, Spec};

use crate::cli::Extend;
use arena_config::diagnostic::UsageError;
use arena_runner::status::status;
use arena_session::{crash, folder, trust};

/// Extends the tournament in a folder.
pub fn run(args: &Extend) -> anyhow::Result<ExitCode> {
    let mut ledger = folder::reopen(&args.dir)?;
    let mut new = ledger.spec().clone();
    new.plan.deals = args.deals.unwrap_or(new.plan.deals);
    if let Some(rounds) = args.rounds {
        let name = new.plan.format.name();
        let wrong = not_for("rounds", name, "rounds");
        UsageError::check(wrong.as_slice())?;
        let mut options = new.plan.format.options();
        options.insert("rounds".to_owned(), rounds.into());
        new.plan.format =
            Choice::read(name, options).map_err(|wrong| UsageError::one(wrong.what))?;
    }
    extend(&mut ledger, new, &args.dir)?;
    let spec = ledger.spec();
    status(format_args!(
        "play them  arena {} {}{}",
        folder::go_on(spec),
        args.dir.display(),
        trust::flag(spec, &args.dir)
    ));
    Ok(ExitCode::SUCCESS)
}

/// Replaces the tournament of a folder with its extension.
pub fn extend(ledger: &mut Ledger, mut new: Spec, dir: &Path) -> anyhow::Result<()> {
    let old = ledger.spec().clone();
    let begun = old.rounds_begun(last_deal(ledger)?);
    let wrong = match new.extends(&old, begun) {
        Ok(()) => new.check(),
        Err(complaint) => vec![complaint],
    };
    UsageError::check(&wrong)?;
    let has_grown = (new.plan.deals, new.rounds()) != (old.plan.deals, old.rounds());
    if ledger.count()? > 0 && new.first_plan.is_none() && has_grown {
        new.first_plan = Some(FirstPlan {
            deals: old.plan.deals,
            rounds: old.rounds(),
        });
        status(
            "results are known already: from now on, a bot is ahead by the test that holds however often you look",
        );
    }
    ledger.extend(&new)?;
    crash::point("extended");
    folder::write(dir, &new)?;
    status(format_args!(
        "{} matches are planned now, {} before; {} are finished",
        new.matches(),
        old.matches(),
        ledger.count()?
    ));
    Ok(())
}

/// Returns the highest deal with a finished match; 0 if there is none.
pub fn last_deal(ledger: &Ledger) -> Result<u32, LedgerError> {
    let mut last = 0;
    ledger.deals(|deal| {
        last = deal.number;
        Ok::<_, LedgerError>(())
    })?;
    Ok(last)
}
