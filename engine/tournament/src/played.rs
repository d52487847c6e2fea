//! A finished match as stored in the ledger.

use crate::deals::{Scored, SeatResult};
use crate::schedule::match_id;
use arena_engine::outcome::Verdict;
use arena_engine::seat::Seat;
use arena_engine::table::Json;
use serde::{Deserialize, Serialize};

/// A finished match with its record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// The deal of the match, counted from 1.
    pub deal: u32,
    /// The name of the bot in each seat.
    pub bots: Vec<String>,
    /// The record as written by the game.
    pub record: Json,
    /// The outcome and the faults.
    pub verdict: Verdict,
    /// The bots' notes on their moves.
    pub notes: Vec<Note>,
    /// Diagnostics of bots that forfeited.
    pub evidence: Vec<Evidence>,
    /// Earlier attempts that were void.
    pub voids: Vec<Void>,
    /// The duration of the match and the times of its moves.
    pub times: Times,
}

impl Played {
    /// Returns the id of the match in its tournament, which is the same on every machine.
    pub fn id(&self) -> String {
        match_id(self.deal, &self.bots)
    }

    /// Returns the wall time and the CPU time of a reply in microseconds, each if it was measured.
    pub fn time(&self, turn: u32) -> (Option<u64>, Option<u64>) {
        let time = self.times.moves.iter().find(|time| time.turn == turn);
        time.map_or((None, None), |time| (Some(time.wall_us), time.cpu_us))
    }

    /// Returns the name of the first part that differs from another run of the same match. `None` if only machine-dependent parts differ:
    /// times, void attempts, and diagnostics of processes.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        let parts = [
            ("the deal", self.deal == other.deal),
            ("the bots", self.bots == other.bots),
            ("the record", self.record == other.record),
            ("the verdict", self.verdict == other.verdict),
            ("what bots noted", self.notes == other.notes),
        ];
        parts
            .into_iter()
            .find(|(_, same)| !same)
            .map(|(what, _)| what)
    }

    /// Returns the CRC-32 of the record.
    pub fn transcript(&self) -> u32 {
        crc32fast::hash(self.record.as_str().as_bytes())
    }

    /// Summarises the match, with its bots as indices into `names`; `None` if a name is not among them.
    pub fn scored(&self, names: &[String]) -> Option<Scored> {
        let place = |bot: &String| names.iter().position(|name| name == bot);
        let bots = self.bots.iter().map(place).collect::<Option<_>>()?;
        Some(Scored {
            deal: self.deal,
            bots,
            seats: SeatResult::all(&self.verdict),
            transcript: self.transcript(),
        })
    }
}

/// A void attempt at a match. The match is then played again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{why}")]
pub struct Void {
    /// The reason why it was void.
    pub why: String,
    /// The seat whose bot lost time or could not be started; null if no seat is concerned.
    pub seat: Option<Seat>,
}

impl Void {
    /// Creates a void attempt that no seat caused.
    pub fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            seat: None,
        }
    }
}

/// A note by a bot on one of its moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Index of the reply in the record.
    pub turn: u32,
    /// The seat whose bot wrote the note.
    pub seat: Seat,
    /// The text of the note.
    pub text: String,
}

/// The lines sent and received around a bot's failure, and the end of its process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The seat that failed.
    pub seat: Seat,
    /// Index of the failed reply in the record.
    pub turn: u32,
    /// The last lines sent to the bot.
    #[serde(rename = "heard")]
    pub sent: Vec<String>,
    /// The last lines received from the bot.
    #[serde(rename = "said")]
    pub received: Vec<String>,
    /// The end of the bot's log.
    pub stderr: String,
    /// A description of how the process ended; null if it is still running.
    pub exit: Option<String>,
    /// True if the bot was not started again after it had not become ready several times. The rest is then from its last start.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unplayed: bool,
}

impl Evidence {
    /// Returns the non-blank lines of the bot's log, last one first.
    pub fn last_lines(&self) -> impl Iterator<Item = &str> {
        self.stderr
            .lines()
            .rev()
            .filter(|line| !line.trim().is_empty())
    }
}

/// Durations of a match and its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// Duration of the match, in microseconds.
    pub wall_us: u64,
    /// Times of the moves made by programs, in order of the record's replies. Moves of in-process bots are not timed individually.
    pub moves: Vec<MoveTime>,
}

/// The time that one move took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveTime {
    /// Index of the reply in the record.
    pub turn: u32,
    /// The seat that moved.
    pub seat: Seat,
    /// Time from sending the turn to reading the answer, in microseconds.
    pub wall_us: u64,
    /// CPU time of the bot's main process in that interval, in microseconds. Null where unknown, such as when a process plays several
    /// matches.
    pub cpu_us: Option<u64>,
}
