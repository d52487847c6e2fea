//! Plays a tournament: draws, plays and saves round after round until the tournament is complete or is stopped.

pub mod build;
pub mod cache;
mod content;
pub mod crash;
pub mod crashes;
pub mod folder;
pub mod games;
pub mod given_up;
pub mod judgements;
pub mod known_seed;
pub mod open;
#[cfg(test)]
mod person_tests;
pub mod progress;
mod replace;
pub mod report;
pub mod sandbox;
pub mod seed;
pub mod session;
pub mod sha256;
pub mod shard;
pub mod snapshot;
pub mod stopping;
pub mod trust;

use std::ops::ControlFlow;
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};

use arena_ledger::ledger::Ledger;
use arena_tournament::field::Meeting;
use arena_tournament::played::Played;
use arena_tournament::schedule::{self, Planned};
use arena_tournament::unit;

use self::session::Session;
use arena_runner::{Finished, Run};

/// An observer of a running tournament.
pub trait Observer {
    /// Called when a round begins.
    fn round_started(&mut self, round: u32);
    /// Called when matches are saved. Returns `Break` to stop playing.
    fn matches_saved(&mut self, matches: &[Played]) -> anyhow::Result<ControlFlow<()>>;
    /// Prints a line for people immediately.
    fn news(&mut self, line: &str);
    /// Called when a match has no result. Returns `Break` to stop playing.
    fn match_unplayed(&mut self) -> ControlFlow<()>;
    /// Called with a description of the machines that play, when it has changed.
    fn machines(&mut self, about: String);
}

/// A tournament in progress.
pub struct Ongoing<'a> {
    /// The session of the tournament.
    pub session: &'a Session<'a>,
    /// The ledger of finished matches.
    pub ledger: &'a mut Ledger,
    /// The observer of the tournament.
    pub observer: &'a mut dyn Observer,
    /// The reasons of matches without a result.
    pub unplayed: Vec<String>,
    /// True once this run has saved a match.
    has_saved: bool,
}

impl Ongoing<'_> {
    /// Saves finished matches, either all of them or none. Returns `Break` if the run must stop.
    pub fn save(&mut self, matches: &[Played]) -> anyhow::Result<ControlFlow<()>> {
        crash::point("before-append");
        if !matches.is_empty() && !std::mem::replace(&mut self.has_saved, true) {
            self.ledger.begin_run()?;
        }
        self.ledger.append(matches)?;
        if !matches.is_empty() {
            self.ledger.played_today()?;
        }
        crash::point("after-append");
        self.observer.matches_saved(matches)
    }

    /// Records a match without a result. Returns `Break` if the run must stop.
    pub fn note_unplayed(&mut self, why: String) -> ControlFlow<()> {
        self.unplayed.push(why);
        self.observer.match_unplayed()
    }
}

/// The machines that play: this one, or the workers of a queue.
pub trait Players {
    /// Plays the meetings of a round that are not in the ledger yet. Stops when the observer returns `Break`.
    fn play_round(&mut self, ongoing: &mut Ongoing<'_>, meetings: &[Meeting])
    -> anyhow::Result<()>;
}

/// Text on the effect of a pause on the run.
const STOPPING: &str = "stopping when running matches are finished and saved";
const AGAIN: &str = "\n         its match is void; the next run plays it on the same deal";

/// A player of rounds on this machine.
pub struct ThisMachine;

/// Plays everything that is not in the ledger yet, and returns the reasons of matches without a result. When the observer returns `Break`,
/// only the running matches are finished and saved.
pub fn play(
    session: &Session<'_>,
    players: &mut impl Players,
    ledger: &mut Ledger,
    observer: &mut impl Observer,
) -> anyhow::Result<Vec<String>> {
    let mut ongoing = Ongoing {
        session,
        ledger,
        observer,
        unplayed: Vec::new(),
        has_saved: false,
    };
    for round in 1..=session.spec.rounds() {
        let before = if round > 1 {
            folder::blocks(ongoing.ledger)?
        } else {
            Vec::new()
        };
        let mut meetings = session.spec.meetings(round, &before);
        if let Some(shard) = session.shard {
            meetings = unit::within(&meetings, &shard.deals(session.spec));
        }
        ongoing.observer.round_started(round);
        let played = ongoing.ledger.count()?;
        players.play_round(&mut ongoing, &meetings)?;
        // Later rounds may depend on the missing matches.
        if session.stop.is_set() || !ongoing.unplayed.is_empty() {
            break;
        }
        if session.one_round && ongoing.ledger.count()? > played {
            break;
        }
    }
    crashes::write(session.dir, session.spec, &session.starts)?;
    Ok(ongoing.unplayed)
}

impl Players for ThisMachine {
    fn play_round(
        &mut self,
        ongoing: &mut Ongoing<'_>,
        meetings: &[Meeting],
    ) -> anyhow::Result<()> {
        let session = ongoing.session;
        let Session {
            spec,
            dir,
            sandbox,
            stop,
            starts,
            ..
        } = session;
        // Assume that later rounds are about as large as this one.
        let rounds = u64::from(spec.rounds());
        let matches = spec.matches_of_bots(meetings);
        let matches: Vec<u64> = matches.into_iter().map(|count| count * rounds).collect();
        let run = Run {
            logs: session.logs(),
            matches: &matches,
            ..Run::new(spec, stop, starts, sandbox)
        };
        let is_begun = ongoing.ledger.count()? > 0;
        let done = if is_begun {
            Some(Mutex::new(Ledger::open_read_only(dir)?))
        } else {
            None
        };
        let is_new = |planned: &Planned| !is_done(done.as_ref(), planned);
        let longest = if spec.plan.test.is_some() {
            schedule::SHORT_HEAT
        } else {
            schedule::MAX_HEAT_DEALS
        };
        let todo = schedule::in_heats(spec.field(), meetings, longest).filter(is_new);
        arena_runner::play_all(run, todo, |finished| save(&finished, ongoing))
    }
}

/// Returns `true` if a match is already in the ledger. If the ledger cannot be read, returns `false`: playing a match again is harmless.
fn is_done(ledger: Option<&Mutex<Ledger>>, planned: &Planned) -> bool {
    let ledger = ledger.map(|ledger| ledger.lock().unwrap_or_else(PoisonError::into_inner));
    ledger.is_some_and(|ledger| ledger.has(planned.deal, &planned.seats).unwrap_or(false))
}

/// Saves finished matches until the channel closes, and collects those without a result.
fn save(finished: &Receiver<Finished>, ongoing: &mut Ongoing<'_>) -> anyhow::Result<()> {
    let mut batch = Vec::new();
    for all in arena_runner::gathered(finished) {
        let mut enough = false;
        for one in all {
            match one {
                Finished::Played(played) => batch.push(*played),
                Finished::GivenUp(bot) => ongoing.observer.news(&given_up::warning(&bot)),
                Finished::Paused(paused) => {
                    ongoing.ledger.note_pause(&paused.bot, &paused.why)?;
                    ongoing
                        .observer
                        .news(&format!("{STOPPING}: {paused}{AGAIN}"));
                }
                Finished::Unplayed { id, why } => {
                    enough |= ongoing
                        .note_unplayed(format!("match {id}: {why}"))
                        .is_break();
                }
            }
        }
        enough |= ongoing.save(&batch)?.is_break();
        if enough {
            ongoing.session.stop.stop();
        }
        batch.clear();
    }
    Ok(())
}
