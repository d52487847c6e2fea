//! A match that is being played, with what its row in the ledger needs beside the record.

use std::collections::BTreeMap;
use std::time::Instant;

use arena_engine::game::Game;
use arena_engine::machine::{BadTable, Match};
use arena_engine::outcome::{Cause, Fault};
use arena_engine::seat::Seat;
use arena_results::played::{Evidence, MoveTime, Note, Played, Times};
use arena_results::tournament::deal_seed;

use super::Run;
use super::process::Took;
use arena_tournament::schedule::Planned;
use crate::setup::{Setup, micros};

/// A match and its bookkeeping.
pub struct Table<G: Game> {
    /// The match.
    pub game: Match<G>,
    /// The deal that it is played on.
    pub deal: u32,
    /// Why it was void before.
    pub voids: Vec<String>,
    began: Instant,
    moves: Vec<MoveTime>,
    notes: Vec<Note>,
    evidence: Vec<Evidence>,
    /// What was seen of seats when they were late last.
    hints: BTreeMap<Seat, String>,
}

impl<G: Game> Table<G> {
    /// Sets up the planned match.
    pub fn new(run: Run<'_, G::Rules>, planned: &Planned) -> Result<Self, BadTable> {
        let game = Match::new(run.rules, run.setup.seats, deal_seed(run.setup.seed, planned.deal))?;
        let began = Instant::now();
        Ok(Self {
            game,
            deal: planned.deal,
            voids: Vec::new(),
            began,
            moves: Vec::new(),
            notes: Vec::new(),
            evidence: Vec::new(),
            hints: BTreeMap::new(),
        })
    }

    /// How many replies there were so far.
    pub fn turn(&self) -> u32 {
        self.game.record().replies.len() as u32
    }

    /// Why a seat forfeited, if it did, with what may help its author.
    pub fn fault(&self, seat: Seat) -> Option<Fault> {
        let mut fault = self.game.fault(seat)?.clone();
        if let Some(hint) = self.hints.get(&seat).filter(|_| fault.cause == Cause::Time) {
            fault.detail = format!("{}: {hint}", fault.detail);
        }
        Some(fault)
    }

    /// Notes what came with the reply `turn`: a note of the bot, or a hint why it was late, and how long a program took.
    pub fn heard(&mut self, turn: u32, seat: Seat, (note, hint): (Option<String>, Option<String>), took: Option<Took>) {
        if let Some(hint) = hint {
            self.hints.insert(seat, hint);
        } else {
            self.hints.remove(&seat);
        }
        if let Some(took) = took {
            let (wall_us, cpu_us) = (micros(took.wall), took.cpu.map(micros));
            self.moves.push(MoveTime { turn, seat, wall_us, cpu_us });
        }
        if let Some(text) = note {
            self.notes.push(Note { turn, seat, text });
        }
    }

    /// Keeps what shows why a seat failed.
    pub fn keep(&mut self, evidence: Evidence) {
        self.evidence.push(evidence);
    }

    /// The row for the ledger.
    ///
    /// # Panics
    /// If the match is not over.
    pub fn played(&mut self, setup: &Setup, planned: &Planned) -> anyhow::Result<Played> {
        let mut verdict = self.game.verdict().expect("the match is over").clone();
        for seat in Seat::all(setup.seats) {
            verdict.faults[seat] = self.fault(seat);
        }
        Ok(Played {
            deal: planned.deal,
            bots: setup.names(&planned.seats),
            record: serde_json::to_string(self.game.record())?,
            verdict,
            notes: std::mem::take(&mut self.notes),
            evidence: std::mem::take(&mut self.evidence),
            voids: std::mem::take(&mut self.voids),
            times: Times { wall_us: micros(self.began.elapsed()), moves: std::mem::take(&mut self.moves) },
        })
    }
}
