//! Applies decided changes to a folder. The ledger is changed first, then everything derived from it, so that after a kill, the next
//! command can write the rest.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;
use arena_config::file::to_toml;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_runner::logs;
use arena_runner::status::status;
use arena_tournament::spec::Spec;

use super::change::closed;
use super::changes::{Effect, redescribed};
use super::{Opening, open_same};
use crate::content::FILE;
use crate::crash;
use crate::games;
use crate::replace::replace;

impl Opening {
    /// Applies the changes, and returns the tournament to play with its ledger.
    pub fn apply(self) -> anyhow::Result<(Spec, Ledger)> {
        let (dir, spec) = (&*self.dir, self.opened.spec);
        let Some(mut ledger) = self.ledger else {
            return begin(spec, dir);
        };
        match self.opened.effect {
            Effect::Begins | Effect::Continues => {}
            Effect::Redescribes => ledger.extend(&redescribed(ledger.spec(), &spec))?,
            Effect::Grows => {
                ledger.extend(&spec)?;
                crash::point("extended");
            }
            Effect::StartsOver { bots, earlier } => {
                start_over(&mut ledger, &spec, &bots, &earlier, dir)?;
            }
        }
        if let Some(missing @ 1..) = ledger.give_up_missing()? {
            status(format_args!(
                "missing    {missing} saved matches: the ledger was damaged; they are played again"
            ));
        }
        describe(dir, ledger.spec())?;
        Ok((spec, ledger))
    }
}

/// Begins a tournament in a folder.
fn begin(spec: Spec, dir: &Path) -> anyhow::Result<(Spec, Ledger)> {
    crash::point("before-created");
    let ledger = match Ledger::create(dir, &spec) {
        // Another arena has begun and ended this tournament meanwhile.
        Err(LedgerError::Already(_)) => return open_same(spec, dir),
        ledger => ledger?,
    };
    crash::point("created");
    describe(dir, &spec)?;
    Ok((spec, ledger))
}

/// Replaces the tournament of a ledger by another one. Moves the matches of some bots, given by index, to a folder. If no bots are given,
/// moves all matches.
fn start_over(
    ledger: &mut Ledger,
    spec: &Spec,
    bots: &[usize],
    earlier: &Path,
    dir: &Path,
) -> anyhow::Result<()> {
    let are_all = bots.is_empty();
    ledger.restart(spec, earlier, |scored| {
        are_all || bots.iter().any(|bot| scored.bots.contains(bot))
    })?;
    crash::point("restarted");
    if !are_all {
        return Ok(());
    }
    match fs::rename(logs::folder(dir), logs::folder(earlier)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).context("cannot move the logs")
        }
        _ => Ok(()),
    }
}

/// Opens the ledger of a folder for writing, unless the tournament is closed.
pub fn lock(dir: &Path) -> anyhow::Result<Ledger> {
    let ledger = Ledger::open(dir)?;
    if ledger.spec().closed {
        return Err(closed(dir).into());
    }
    Ok(ledger)
}

/// Writes the tournament file of a folder and the copy of its game, unless they are up to date.
pub fn describe(dir: &Path, spec: &Spec) -> anyhow::Result<()> {
    games::keep(&spec.plan.game, dir)?;
    let (path, text) = (dir.join(FILE), to_toml(spec)?);
    if fs::read_to_string(&path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    replace(&path, &text)
}
