//! A finished match as stored in the ledger.

use crate::deals::{Scored, Seated};
use crate::schedule::match_id;
use arena_engine::outcome::Verdict;
use arena_engine::seat::Seat;
use arena_engine::table::Json;
use serde::{Deserialize, Serialize};

/// A finished match with its record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// Its deal, counted from 1.
    pub deal: u32,
    /// The name of the bot in each seat.
    pub bots: Vec<String>,
    /// The record as written by the game.
    pub record: Json,
    /// Its outcome and faults.
    pub verdict: Verdict,
    /// The bots' notes on their moves.
    pub notes: Vec<Note>,
    /// Diagnostics of bots that forfeited.
    pub evidence: Vec<Evidence>,
    /// Earlier attempts that were void.
    pub voids: Vec<Void>,
    /// Its duration and the times of its moves.
    pub times: Times,
}

impl Played {
    /// Returns the match's id in its tournament, the same on every machine.
    pub fn id(&self) -> String {
        match_id(self.deal, &self.bots)
    }

    /// Returns the wall time and CPU time of a reply, in microseconds, where measured.
    pub fn time(&self, turn: u32) -> (Option<u64>, Option<u64>) {
        let time = self.times.moves.iter().find(|time| time.turn == turn);
        time.map_or((None, None), |time| (Some(time.wall_us), time.cpu_us))
    }

    /// Returns the first difference from another run of the same match; `None` if only machine-dependent parts differ:
    /// times, void attempts, and what processes left behind.
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

    /// Summarises the match, with its bots as indices into `names`; `None` if a name is missing.
    pub fn scored(&self, names: &[String]) -> Option<Scored> {
        let place = |bot: &String| names.iter().position(|name| name == bot);
        let bots = self.bots.iter().map(place).collect::<Option<_>>()?;
        Some(Scored {
            deal: self.deal,
            bots,
            seats: Seated::all(&self.verdict),
            transcript: self.transcript(),
        })
    }
}

/// A void attempt at a match, which is then replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{why}")]
pub struct Void {
    /// The reason why it was void.
    pub why: String,
    /// The seat whose bot lost time or could not be started; null if none did.
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

/// A bot's note on one of its moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Index of the reply in the record.
    pub turn: u32,
    /// The seat whose bot wrote it.
    pub seat: Seat,
    /// The text of the note.
    pub text: String,
}

/// The lines around a bot's failure, and the end of its process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The seat that failed.
    pub seat: Seat,
    /// Index of the failed reply in the record.
    pub turn: u32,
    /// The last lines sent to the bot.
    #[serde(rename = "heard")]
    pub sent: Vec<String>,
    /// The last lines received from it.
    #[serde(rename = "said")]
    pub received: Vec<String>,
    /// The end of its log.
    pub stderr: String,
    /// The end of its process, in words; null if it is still running.
    pub exit: Option<String>,
}

impl Evidence {
    /// Returns the non-blank lines of the log, last one first.
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
    /// Moves made by programs, in order of the record's replies; moves of in-process bots are not timed individually.
    pub moves: Vec<MoveTime>,
}

/// Duration of one move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveTime {
    /// Index of the reply in the record.
    pub turn: u32,
    /// The seat that moved.
    pub seat: Seat,
    /// Time from sending the turn to reading the answer, in microseconds.
    pub wall_us: u64,
    /// CPU time of the bot's main process in that time, in microseconds; null where unknown, such as with several matches in one process.
    pub cpu_us: Option<u64>,
}
