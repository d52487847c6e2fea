//! A match that is being played, with what its row in the ledger needs beside the record.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Context;
use arena_engine::fault::{Fault, Hint};
use arena_engine::game::Game;
use arena_engine::machine::Match;
use arena_engine::record::{RecordOf, Replied, Reply};
use arena_engine::seat::Seat;
use arena_tournament::played::{self, Evidence, MoveTime, Note, Played, Times};
use arena_tournament::record_text::RecordText;

use super::begun::Begun;
use super::conversation::asking::Elapsed;
use super::run::Run;
use super::turns::Response;
use crate::units::micros;
use arena_tournament::schedule::{Planned, match_id};

/// A match and its bookkeeping.
pub struct RunningMatch<G: Game> {
    /// The match.
    pub game: Match<G>,
    /// Why it was void before.
    pub voids: Vec<played::Void>,
    deal: u32,
    bots: Vec<String>,
    began: Instant,
    moves: Vec<MoveTime>,
    notes: Vec<Note>,
    /// What shows why seats failed.
    pub evidence: Vec<Evidence>,
    /// What seats did when they were late last.
    hints: BTreeMap<Seat, Option<Hint>>,
}

impl<G: Game> RunningMatch<G> {
    /// Sets up the planned match.
    pub fn new(run: Run<'_>, rules: &G::Rules, planned: &Planned) -> anyhow::Result<Self> {
        let game = Match::new(rules, run.spec.plan.seats, run.spec.deal_seed(planned.deal))?;
        Ok(Self {
            game,
            voids: Vec::new(),
            deal: planned.deal,
            bots: run.names(planned),
            began: Instant::now(),
            moves: Vec::new(),
            notes: Vec::new(),
            evidence: Vec::new(),
            hints: BTreeMap::new(),
        })
    }

    /// The match as far as it has come.
    pub fn begun(&self) -> anyhow::Result<Begun> {
        let (notes, moves) = (self.notes.clone(), self.moves.clone());
        Ok(Begun {
            record: RecordText::of(self.game.record())?,
            notes,
            moves,
        })
    }

    /// Takes over what was noted of a match that has begun, and returns its replies.
    pub fn go_on(&mut self, begun: &Begun) -> anyhow::Result<Vec<Reply<G::Action>>> {
        let record: RecordOf<G> =
            serde_json::from_str(&begun.record).context("the record cannot be read")?;
        anyhow::ensure!(
            record.rules_version == G::RULES_VERSION,
            "the rules of {} have changed since",
            G::NAME
        );
        self.notes.clone_from(&begun.notes);
        self.moves.clone_from(&begun.moves);
        Ok(record
            .replies
            .into_iter()
            .map(|Replied(_, reply)| reply)
            .collect())
    }

    /// Its name in the schedule.
    pub fn id(&self) -> String {
        match_id(self.deal, &self.bots)
    }

    /// The number of replies there that were so far.
    pub fn turn(&self) -> u32 {
        self.game.record().replies.len() as u32
    }

    /// Why a seat forfeited, if it did, with what it did instead of a late answer.
    pub fn fault(&self, seat: Seat) -> Option<Fault> {
        Some(match self.game.fault(seat)? {
            Fault::Late(None) => Fault::Late(self.hints.get(&seat).copied().flatten()),
            other => other.clone(),
        })
    }

    /// Takes in the reply `turn` of a seat, with the time that it took a program.
    pub fn reply(
        &mut self,
        turn: u32,
        seat: Seat,
        response: Response<G::Action>,
        elapsed: Option<Elapsed>,
    ) -> anyhow::Result<()> {
        let Response { reply, note, hint } = response;
        self.hints.insert(seat, hint);
        if let Some(elapsed) = elapsed {
            let (wall_us, cpu_us) = (micros(elapsed.wall), elapsed.cpu.map(micros));
            self.moves.push(MoveTime {
                turn,
                seat,
                wall_us,
                cpu_us,
            });
        }
        if let Some(text) = note {
            self.notes.push(Note { turn, seat, text });
        }
        Ok(self.game.reply(seat, reply)?)
    }

    /// The match as the ledger keeps it.
    ///
    /// # Panics
    /// If the match is not over.
    pub fn finish(self) -> anyhow::Result<Played> {
        let mut verdict = self.game.verdict().expect("the match is over").clone();
        for seat in Seat::all(verdict.faults.len()) {
            verdict.faults[seat] = self.fault(seat);
        }
        Ok(Played {
            deal: self.deal,
            bots: self.bots,
            record: RecordText::of(self.game.record())?,
            verdict,
            notes: self.notes,
            evidence: self.evidence,
            voids: self.voids,
            times: Times {
                wall_us: micros(self.began.elapsed()),
                moves: self.moves,
            },
        })
    }
}
