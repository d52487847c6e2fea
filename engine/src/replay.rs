//! Replays a record: the same match again, or the reason why it cannot be played again.

use crate::game::Game;
use crate::machine::{BadTable, Finished, Match, OutOfTurn};
use crate::record::{RecordOf, Replied};

/// Why a record cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum BadRecord {
    /// It is of another game.
    #[error("the record is of the game {0}")]
    Game(String),
    /// The rules have changed since.
    #[error("the record was made under version {recorded} of the rules, this program plays version {current}")]
    Version {
        /// The version in the record.
        recorded: u32,
        /// The version of this program.
        current: u32,
    },
    /// Seats or rules do not fit.
    #[error(transparent)]
    Table(#[from] BadTable),
    /// A reply came from a seat that did not have to act.
    #[error("reply {index}: {error}")]
    Reply {
        /// The number of the reply, counted from 0.
        index: usize,
        /// The seat, and why it is refused.
        error: OutOfTurn,
    },
    /// A recorded action is illegal.
    #[error("reply {index}: {why}")]
    Illegal {
        /// The number of the reply, counted from 0.
        index: usize,
        /// The reason.
        why: String,
    },
    /// Replies are missing.
    #[error("the record stops before the match is over")]
    Unfinished,
}

/// The table of a record, before the first reply.
pub fn table<G: Game>(record: &RecordOf<G>) -> Result<Match<G>, BadRecord> {
    if record.game != G::NAME {
        return Err(BadRecord::Game(record.game.to_string()));
    }
    if record.rules_version != G::RULES_VERSION {
        return Err(BadRecord::Version { recorded: record.rules_version, current: G::RULES_VERSION });
    }
    Ok(Match::<G>::new(&record.rules, record.seats, record.seed)?)
}

/// Plays a record again.
pub fn replay<G: Game>(record: &RecordOf<G>) -> Result<Finished<G>, BadRecord> {
    let mut table = table::<G>(record)?;
    for (index, Replied(seat, reply)) in record.replies.iter().enumerate() {
        table.reply(*seat, reply.clone()).map_err(|error| BadRecord::Reply { index, error })?;
    }
    let played = table.finish().ok_or(BadRecord::Unfinished)?;
    match played.record.replies.iter().zip(&record.replies).position(|(again, first)| again != first) {
        Some(index) => Err(BadRecord::Illegal { index, why: format!("{:?}", played.record.replies[index].1) }),
        None => Ok(played),
    }
}
