//! Replays a record, or explains why it does not replay.

use std::fmt::Display;

use crate::game::Game;
use crate::machine::{Finished, Match};
use crate::record::{RecordOf, Replied};

/// The reason why a record cannot be replayed. It cannot be read, belongs to another game or rules version, has a reply that is illegal or
/// out of turn, or lacks replies.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadRecord(pub String);

impl BadRecord {
    /// Creates the error for the reply with this index.
    pub fn reply(index: usize, why: impl Display) -> Self {
        Self(format!("reply {index}: {why}"))
    }

    pub(crate) fn unfinished() -> Self {
        Self("the record stops before the match is over".into())
    }
}

/// Replays a record to the end of its match, and returns the result.
pub fn table<G: Game>(record: &RecordOf<G>) -> Result<Match<G>, BadRecord> {
    let (game, current) = G::identity(&record.rules);
    if record.game != game {
        return Err(BadRecord(format!(
            "the record is of the game {}",
            record.game
        )));
    }
    let recorded = record.rules_version;
    if recorded != current {
        let why = format!(
            "the record was made under version {recorded} of the rules, this program plays version {current}"
        );
        return Err(BadRecord(why));
    }
    Match::<G>::new(&record.rules, record.seats, record.seed)
        .map_err(|error| BadRecord(error.to_string()))
}

/// Replays a record to the end of its match.
pub fn replay<G: Game>(record: &RecordOf<G>) -> Result<Finished<G>, BadRecord> {
    again(record)?.finish().ok_or_else(BadRecord::unfinished)
}

/// Replays a record to the end of its match, and returns the match itself.
pub fn again<G: Game>(record: &RecordOf<G>) -> Result<Match<G>, BadRecord> {
    let mut table = table::<G>(record)?;
    for (index, Replied(seat, reply)) in record.replies.iter().enumerate() {
        table
            .reply(*seat, reply.clone())
            .map_err(|error| BadRecord::reply(index, error))?;
    }
    if !table.is_over() {
        return Err(BadRecord::unfinished());
    }
    match table
        .record()
        .replies
        .iter()
        .zip(&record.replies)
        .position(|(again, first)| again != first)
    {
        Some(index) => Err(BadRecord::reply(
            index,
            format_args!("{:?}", table.record().replies[index].1),
        )),
        None => Ok(table),
    }
}
