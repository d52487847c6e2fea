//! One finished match, as the ledger keeps it.

use crate::deals::{Scored, Seated};
use crate::schedule::match_id;
use arena_engine::outcome::Verdict;
use arena_engine::seat::Seat;
use arena_engine::table::Json;
use serde::{Deserialize, Serialize};

/// A finished match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// Its deal, counted from 1.
    pub deal: u32,
    /// The name of the bot in each seat.
    pub bots: Vec<String>,
    /// The record, as its game wrote it.
    pub record: Json,
    /// Its end.
    pub verdict: Verdict,
    /// What bots noted on their moves.
    pub notes: Vec<Note>,
    /// What is known of the bots that forfeited.
    pub evidence: Vec<Evidence>,
    /// The times that it was void before, and was played again.
    pub voids: Vec<Void>,
    /// How long it took.
    pub times: Times,
}

impl Played {
    /// The id of the match in its tournament, on whichever machine it is played.
    pub fn id(&self) -> String {
        match_id(self.deal, &self.bots)
    }

    /// How long a reply of the record took and how long its bot computed in that time, in microseconds, as far as it was timed.
    pub fn time(&self, turn: u32) -> (Option<u64>, Option<u64>) {
        let time = self.times.moves.iter().find(|time| time.turn == turn);
        time.map_or((None, None), |time| (Some(time.wall_us), time.cpu_us))
    }

    /// The first thing in which another play of the same match differs: none if only its times, the times that it was void, and what
    /// processes left behind are others, which follow from the machine.
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

    /// The match in short, with its bots by their places among all names; none if one is not there. What only transcripts tell is
    /// left out.
    pub fn scored(&self, names: &[String]) -> Option<Scored> {
        let place = |bot: &String| names.iter().position(|name| name == bot);
        let bots = self.bots.iter().map(place).collect::<Option<_>>()?;
        Some(Scored {
            deal: self.deal,
            bots,
            seats: Seated::all(&self.verdict),
            transcript: 0,
        })
    }
}

/// A time that a match was void: it is played again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{why}")]
pub struct Void {
    /// What stood in the way.
    pub why: String,
    /// The seat whose bot did not have its time or could not be started, if it was one.
    pub seat: Option<Seat>,
}

impl Void {
    /// Nobody is to blame.
    pub fn of(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            seat: None,
        }
    }
}

/// A bot's note on one of its moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Which reply of the record it belongs to, counted from 0.
    pub turn: u32,
    /// Who noted it.
    pub seat: Seat,
    /// What was noted.
    pub text: String,
}

/// The lines around a bot's failure, and the end of its process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The seat that failed.
    pub seat: Seat,
    /// Which reply of the record was the failure, counted from 0.
    pub turn: u32,
    /// The last lines that the bot was sent.
    #[serde(rename = "heard")]
    pub sent: Vec<String>,
    /// The last lines that came from it.
    #[serde(rename = "said")]
    pub received: Vec<String>,
    /// The end of its log.
    pub stderr: String,
    /// How its process ended, if it did.
    pub exit: Option<String>,
}

impl Evidence {
    /// The lines of the log that are not blank, the last one first.
    pub fn last_lines(&self) -> impl Iterator<Item = &str> {
        self.stderr
            .lines()
            .rev()
            .filter(|line| !line.trim().is_empty())
    }
}

/// How long a match took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// From its beginning to its end, in microseconds.
    pub wall_us: u64,
    /// The moves that programs made, in order of the record's replies; those of bots in the arena's own process are not
    /// timed one by one.
    pub moves: Vec<MoveTime>,
}

/// How long one move took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveTime {
    /// Which reply of the record it was, counted from 0.
    pub turn: u32,
    /// Whose it was.
    pub seat: Seat,
    /// From when the turn was sent until its answer was read, in microseconds.
    pub wall_us: u64,
    /// What the bot's main process computed in that time, in microseconds; null where it is not known, as with several
    /// matches in one process.
    pub cpu_us: Option<u64>,
}
