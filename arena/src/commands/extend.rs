//! `arena extend`: more deals, rounds or bots for a tournament; what has been played stays valid.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_results::ledger::{Ledger, LedgerError};

use crate::cli::Extend;
use crate::format::field::Field;
use crate::format::{Format, plan};
use crate::setup::{self, BadSetup, Setup};
use crate::status::status;
use crate::tournament::{crash, folder};

/// Extends the tournament of a folder.
pub fn run(asked: &Extend) -> anyhow::Result<ExitCode> {
    let old = folder::setup(&asked.dir)?;
    let new = match &asked.asked.file {
        Some(_) => setup::file::tournament(&asked.asked)?,
        None => folder::setup_with(&asked.dir, &asked.asked)?,
    };
    if old.test.is_some() && new.bots.len() != old.bots.len() {
        return Err(
            BadSetup::one("a comparison can be extended by deals only; compare other bots in another folder").into()
        );
    }
    games::visit(&old.game, Lengthen { dir: &asked.dir, old: &old, new }).context("no such game")?
}

struct Lengthen<'a> {
    dir: &'a Path,
    old: &'a Setup,
    new: Setup,
}

impl Visitor for Lengthen<'_> {
    type Out = anyhow::Result<ExitCode>;

    fn visit<G: Game>(self) -> Self::Out {
        let Lengthen { dir, old, mut new } = self;
        let mut ledger = Ledger::open(dir)?;
        let begun = join_next_round(&ledger, old, &mut new)?;
        let (before, after) = (ledger.tournament().clone(), new.tournament(G::RULES_VERSION));
        let differences = before.differences(&after.clone().as_it_was(&before));
        if !differences.is_empty() {
            let what = differences.join("\n         ");
            return Err(BadSetup::one(format!(
                "a tournament can be extended by deals, rounds and bots only, and this would be another one:\n         {what}"
            ))
            .into());
        }
        plan::extends(&begun, &new.field()).map_err(BadSetup::one)?;
        new.check_field()?;
        let file = new.to_file()?;
        ledger.extend(&after, &file)?;
        crash::point("extended");
        folder::write(dir, &file)?;
        let shown = dir.display();
        status(format_args!(
            "{} matches are planned now, {} before; {} are finished",
            after.matches,
            before.matches,
            ledger.count()?
        ));
        status(format_args!("play them  arena {} {shown}", folder::go_on(ledger.tournament())));
        Ok(ExitCode::SUCCESS)
    }
}

/// Lets the bots that are new join a ladder in the next round that nobody has begun. Returns the old field, of a ladder
/// with those rounds only that have begun.
fn join_next_round(ledger: &Ledger, old: &Setup, new: &mut Setup) -> Result<Field, LedgerError> {
    let mut last = 0;
    ledger.scores(|scored| {
        last = last.max(scored.deal);
        Ok::<_, LedgerError>(())
    })?;
    let mut field = old.field();
    if let Format::Ladder { rounds, .. } = &mut field.format {
        *rounds = last.div_ceil(old.deals);
        for bot in new.bots.iter_mut().skip(old.bots.len()) {
            bot.joined = bot.joined.max(*rounds + 1);
        }
    }
    Ok(field)
}
