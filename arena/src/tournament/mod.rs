//! How a tournament is conducted: round after round is drawn, played and saved, until all is played or somebody stops it.

pub mod crash;
pub mod folder;
pub mod progress;
pub mod stage;
pub mod stopping;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use arena_engine::game::Game;
use arena_results::ledger::Ledger;
use arena_results::played::Played;

use crate::format::field::{Field, Meeting};
use crate::format::plan;
use crate::format::schedule::{self, Planned};
use crate::keeper::cage::Cage;
use crate::runner::{self, Finished, Logs, Run, Stop};
use crate::setup::Setup;

/// How many finished matches may wait to be saved.
const WAITING: usize = 1_024;

/// What is conducted, and where what is kept of it goes.
#[derive(Clone, Copy)]
pub struct Conduct<'a> {
    /// The tournament.
    pub setup: &'a Setup,
    /// Its folder.
    pub dir: &'a Path,
    /// Where bots' logs go.
    pub logs: Logs<'a>,
    /// What bots that are programs are put into.
    pub cage: &'a Cage,
    /// When to stop.
    pub stop: &'a Stop,
}

/// Who hears what becomes of a tournament while it is played.
pub trait Watch {
    /// This round has begun.
    fn round(&mut self, round: u32);
    /// These matches are saved. Whether more are to be played.
    fn saved(&mut self, matches: &[Played]) -> anyhow::Result<ControlFlow<()>>;
    /// A match came to no result. Whether more are to be played.
    fn unplayed(&mut self) -> ControlFlow<()>;
}

/// Plays what is not in the ledger yet, until the watch has enough; running matches are finished and saved. Returns the matches that came to no result, each with the reason.
pub fn conduct<G: Game>(
    conduct: Conduct<'_>,
    ledger: &mut Ledger,
    watch: &mut impl Watch,
) -> anyhow::Result<Vec<String>> {
    let field = conduct.setup.field();
    let mut unplayed = Vec::new();
    for round in 1..=plan::rounds(&field) {
        let before = if round > 1 { folder::blocks(ledger)? } else { Vec::new() };
        let meetings = plan::meetings(&field, round, &before);
        watch.round(round);
        play_round::<G>(conduct, &field, &meetings, ledger, watch, &mut unplayed)?;
        // What follows may depend on what is missing.
        if conduct.stop.is_set() || !unplayed.is_empty() {
            break;
        }
    }
    Ok(unplayed)
}

fn play_round<G: Game>(
    conduct: Conduct<'_>,
    field: &Field,
    meetings: &[Meeting],
    ledger: &mut Ledger,
    watch: &mut impl Watch,
    unplayed: &mut Vec<String>,
) -> anyhow::Result<()> {
    let Conduct { setup, dir, logs, cage, stop } = conduct;
    let rules = serde_json::from_value(setup.rules.clone())?;
    let run = Run::<G::Rules> { setup, rules: &rules, logs, stop, cage };
    let done = if ledger.count()? > 0 { Some(Arc::new(Mutex::new(Ledger::open_read_only(dir)?))) } else { None };
    let is_new = move |planned: &Planned| !is_done(done.as_deref(), planned);
    if setup.test.is_some() {
        let todo = schedule::deal_by_deal(field, meetings).filter(is_new);
        return play_all::<G>(run, todo, ledger, watch, unplayed);
    }
    play_all::<G>(run, schedule::schedule(field, meetings).filter(is_new), ledger, watch, unplayed)
}

fn play_all<G: Game>(
    run: Run<'_, G::Rules>,
    todo: impl Iterator<Item = Planned> + Clone + Send,
    ledger: &mut Ledger,
    watch: &mut impl Watch,
    unplayed: &mut Vec<String>,
) -> anyhow::Result<()> {
    let stop = run.stop;
    let (sender, receiver) = mpsc::sync_channel(WAITING);
    thread::scope(|scope| {
        let running = scope.spawn(move || runner::play::<G>(run, todo, &sender));
        let saved = save(&receiver, ledger, watch, stop, unplayed);
        // Once nothing can be saved, nothing more is to be played; the runners notice that nobody listens.
        drop(receiver);
        let ran = running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        saved.and(ran)
    })
}

/// Whether a match is in the ledger already. Where that cannot be read it is played again, which changes nothing.
fn is_done(ledger: Option<&Mutex<Ledger>>, planned: &Planned) -> bool {
    let ledger = ledger.map(|ledger| ledger.lock().unwrap_or_else(PoisonError::into_inner));
    ledger.is_some_and(|ledger| ledger.has(planned.deal, &planned.seats).unwrap_or(false))
}

/// Saves what is finished until nothing more comes; lists what came to no result.
fn save(
    finished: &Receiver<Finished>,
    ledger: &mut Ledger,
    watch: &mut impl Watch,
    stop: &Stop,
    unplayed: &mut Vec<String>,
) -> anyhow::Result<()> {
    let mut batch = Vec::new();
    while let Ok(first) = finished.recv() {
        let mut enough = false;
        for one in [first].into_iter().chain(finished.try_iter().take(WAITING)) {
            match one {
                Finished::Played(played) => batch.push(*played),
                Finished::Unplayed { id, why } => {
                    unplayed.push(format!("match {id}: {why}"));
                    enough |= watch.unplayed().is_break();
                }
            }
        }
        crash::point("before-append");
        ledger.append(&batch)?;
        crash::point("after-append");
        enough |= watch.saved(&batch)?.is_break();
        if enough {
            stop.stop();
        }
        batch.clear();
    }
    Ok(())
}
