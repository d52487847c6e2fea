//! A match that is being played, with what its row in the ledger needs beside the record.

use std::time::{Duration, Instant};

use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::machine::Match;
use arena_engine::seat::{BySeat, Seat};
use arena_results::played::{Evidence, MoveTimes, Note, Played, Times};

use crate::format::Planned;
use crate::setup::Setup;

/// A match and its bookkeeping.
pub struct Table<G: Game> {
    /// The match.
    pub game: Match<G>,
    began: Instant,
    moves: BySeat<MoveTimes>,
    notes: Vec<Note>,
    evidence: Vec<Evidence>,
}

impl<G: Game> Table<G> {
    /// Sets up the planned match.
    pub fn new(setup: &Setup, planned: &Planned) -> anyhow::Result<Self> {
        let rules: G::Rules = serde_json::from_value(setup.rules.clone())?;
        let game = Match::new(&rules, setup.seats, deal_seed(setup.seed, planned.deal))?;
        let moves = BySeat::new(setup.seats, |seat| MoveTimes { seat, count: 0, total_us: 0, longest_us: 0 });
        Ok(Self { game, began: Instant::now(), moves, notes: Vec::new(), evidence: Vec::new() })
    }

    /// How many replies there were so far.
    pub fn turn(&self) -> u32 {
        self.game.record().replies.len() as u32
    }

    /// Notes how long a seat took for a reply.
    pub fn timed(&mut self, seat: Seat, took: Duration) {
        let times = &mut self.moves[seat];
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        times.count += 1;
        times.total_us += took;
        times.longest_us = times.longest_us.max(took);
    }

    /// Keeps a bot's note.
    pub fn note(&mut self, seat: Seat, text: String) {
        self.notes.push(Note { turn: self.turn(), seat, text });
    }

    /// Keeps what shows why a seat failed.
    pub fn keep(&mut self, evidence: Evidence) {
        self.evidence.push(evidence);
    }

    /// The row for the ledger.
    ///
    /// # Panics
    /// If the match is not over.
    pub fn played(&self, setup: &Setup, planned: &Planned) -> anyhow::Result<Played> {
        let wall_us = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        Ok(Played {
            id: planned.id(setup),
            number: planned.number,
            deal: planned.deal,
            bots: setup.names(&planned.seats),
            record: serde_json::to_string(self.game.record())?,
            verdict: self.game.verdict().expect("the match is over").clone(),
            notes: self.notes.clone(),
            evidence: self.evidence.clone(),
            times: Times { wall_us, moves: self.moves.iter().cloned().collect() },
        })
    }
}

/// The seed of a deal, the same for all who play it.
fn deal_seed(seed: Seed, deal: u32) -> Seed {
    seed.child("deal", deal.into())
}
