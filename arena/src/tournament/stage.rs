//! Where a tournament is played: the cage for its bots, their logs, and whoever may stop it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use arena_engine::game::Game;
use arena_results::ledger::Ledger;

use super::progress::Form;
use super::stopping;
use super::{Conduct, Watch, conduct};
use crate::keeper::cage::Cage;
use crate::runner::{Logs, Stop};
use crate::setup::Setup;
use crate::status::status;

/// Where a tournament is played. As long as it lives, Ctrl-C and `arena stop` are heard.
pub struct Stage<'a> {
    /// Whether all lines to and from bots are kept.
    pub wire: bool,
    setup: &'a Setup,
    dir: &'a Path,
    cage: Cage,
    logs: PathBuf,
    stop: Arc<Stop>,
    _watch: stopping::Watch,
}

impl<'a> Stage<'a> {
    /// Makes the cage, and says which it is unless nothing is to be told; lines are not kept.
    pub fn set(setup: &'a Setup, dir: &'a Path, form: Form) -> anyhow::Result<Self> {
        let cage = setup.cage(&[dir])?;
        if let Some(told) = cage.told().filter(|_| form != Form::None || cage.is_degraded()) {
            status(told);
        }
        let logs = dir.join("logs");
        fs::create_dir_all(&logs).with_context(|| logs.display().to_string())?;
        let stop = stopping::on_ctrl_c()?;
        let watch = stopping::watch(dir, &stop);
        Ok(Self { wire: false, setup, dir, cage, logs, stop, _watch: watch })
    }

    /// Plays what is not in the ledger yet. Returns the matches that came to no result, each with the reason.
    pub fn conduct<G: Game>(&self, ledger: &mut Ledger, watch: &mut impl Watch) -> anyhow::Result<Vec<String>> {
        let logs = Logs { words: Some(&self.logs), wire: self.wire.then_some(self.logs.as_path()) };
        let Self { setup, dir, cage, stop, .. } = self;
        conduct::<G>(Conduct { setup, dir, logs, cage, stop }, ledger, watch)
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }
}
