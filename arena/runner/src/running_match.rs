//! A match in progress, with the data that its ledger entry needs in addition to the record.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Context;
use arena_engine::fault::Fault;
use arena_engine::record::{Replied, Reply};
use arena_engine::seat::Seat;
use arena_engine::table::{Dealer, Json, RawRecord, Table};
use arena_protocol::fault::{BotFault, Hint};
use arena_tournament::played::{self, Evidence, MoveTime, Note, Played, Times};

use super::begun::Begun;
use super::conversation::asking::Elapsed;
use super::run::Run;
use crate::units::micros;
use arena_tournament::schedule::{Planned, match_id};

/// A match and its bookkeeping.
pub struct RunningMatch {
    /// Table of the match.
    pub table: Box<dyn Table>,
    /// Earlier void attempts, with their reasons.
    pub voids: Vec<played::Void>,
    deal: u32,
    bots: Vec<String>,
    began: Instant,
    moves: Vec<MoveTime>,
    notes: Vec<Note>,
    /// Evidence of the seats' failures.
    pub evidence: Vec<Evidence>,
    /// A hint at the cause of each seat's last late answer, if known.
    hints: BTreeMap<Seat, Option<Hint>>,
}

impl RunningMatch {
    /// Sets up the planned match.
    pub fn new(run: Run<'_>, dealer: &dyn Dealer, planned: &Planned) -> anyhow::Result<Self> {
        Ok(Self {
            deal: planned.deal,
            bots: run.names(planned),
            ..Self::at(dealer.deal(run.spec.deal_seed(planned.deal))?)
        })
    }

    /// Creates a match at this table, which belongs to no tournament.
    pub fn at(table: Box<dyn Table>) -> Self {
        Self {
            table,
            voids: Vec::new(),
            deal: 1,
            bots: Vec::new(),
            began: Instant::now(),
            moves: Vec::new(),
            notes: Vec::new(),
            evidence: Vec::new(),
            hints: BTreeMap::new(),
        }
    }

    /// Returns the saved state of the match.
    pub fn begun(&self) -> Begun {
        let (notes, moves) = (self.notes.clone(), self.moves.clone());
        Begun {
            record: self.table.record_text(),
            notes,
            moves,
        }
    }

    /// Restores the notes of a saved match, if any, and returns its replies.
    pub fn go_on(&mut self, begun: Option<&Begun>) -> anyhow::Result<Vec<Reply<Json>>> {
        let Some(begun) = begun else {
            return Ok(Vec::new());
        };
        let record: RawRecord = begun.record.read().context("the record cannot be read")?;
        let now = self.table.record().rules_version;
        let game = &record.game;
        anyhow::ensure!(
            record.rules_version == now,
            "the rules of {game} have changed since"
        );
        self.notes.clone_from(&begun.notes);
        self.moves.clone_from(&begun.moves);
        let replies = record.replies.into_iter();
        Ok(replies.map(|Replied(_, reply)| reply).collect())
    }

    /// Returns the heading of a seat's log.
    pub fn log_heading(&self, seat: Seat) -> String {
        let id = match_id(self.deal, &self.bots);
        format!("match {id} seat {}", seat.index())
    }

    /// Returns the recorded time of a turn.
    pub fn time(&self, turn: u32) -> Duration {
        let time = self.moves.iter().find(|time| time.turn == turn);
        Duration::from_micros(time.map_or(0, |time| time.wall_us))
    }

    /// Returns the number of replies so far.
    pub fn turn(&self) -> u32 {
        self.table.replies() as u32
    }

    /// Checks that the game itself has not failed.
    pub fn check(&self) -> anyhow::Result<()> {
        match self.table.broken() {
            Some(why) => anyhow::bail!("{why}"),
            None => Ok(()),
        }
    }

    /// Returns the fault for which a seat forfeited, if any, with its behaviour if it was late.
    pub fn fault(&self, seat: Seat) -> Option<Fault> {
        let fault = self.table.fault(seat)?;
        let hint = self.hints.get(&seat).copied().flatten();
        Some(match hint.filter(|_| *fault == Fault::late()) {
            Some(hint) => BotFault::Late(Some(hint)).into(),
            None => fault.clone(),
        })
    }

    /// Records data about the reply of a seat at this turn: its times, the bot's note, and the bot's behaviour if it was late.
    pub fn note(
        &mut self,
        turn: u32,
        seat: Seat,
        elapsed: Option<Elapsed>,
        note: Option<String>,
        hint: Option<Hint>,
    ) {
        self.hints.insert(seat, hint);
        if let Some(elapsed) = elapsed {
            let wall_us = micros(elapsed.wall);
            let cpu_us = elapsed.cpu.map(micros);
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
    }

    /// Returns the match as stored in the ledger.
    ///
    /// # Panics
    /// If the match is not over.
    pub fn finish(self) -> Played {
        let mut verdict = self.table.verdict().expect("the match is over").clone();
        for seat in Seat::all(verdict.faults.len()) {
            verdict.faults[seat] = self.fault(seat);
        }
        Played {
            deal: self.deal,
            bots: self.bots,
            record: self.table.record_text(),
            verdict,
            notes: self.notes,
            evidence: self.evidence,
            voids: self.voids,
            times: Times {
                wall_us: micros(self.began.elapsed()),
                moves: self.moves,
            },
        }
    }
}
