//! What a match can be replayed from: the seed, the rules, and what the seats replied.

use std::borrow::Cow;
use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::chance::Seed;
use crate::game::Game;
use crate::machine::{BadTable, Finished, Match, NotAsked, Reply};
use crate::seat::Seat;

/// The reply of one seat, in the order in which the match took it in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replied<Action>(pub Seat, pub Reply<Action>);

/// Everything that a match is recomputed from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record<Rules, Action> {
    /// The game's name.
    pub game: Cow<'static, str>,
    /// The version of its rules in force.
    pub rules_version: u32,
    /// The variant.
    pub rules: Rules,
    /// How many seats.
    pub seats: usize,
    /// All its chance.
    pub seed: Seed,
    /// What the seats replied.
    pub replies: Vec<Replied<Action>>,
}

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
    /// A reply came from a seat that was not asked.
    #[error("reply {index}: {error}")]
    Reply {
        /// Which reply, counted from 0.
        index: usize,
        /// What is wrong with it.
        error: NotAsked,
    },
    /// A recorded action is illegal.
    #[error("reply {index}: {why}")]
    Illegal {
        /// Which reply, counted from 0.
        index: usize,
        /// Why the rules forbid it.
        why: String,
    },
    /// Replies are missing.
    #[error("the record stops before the match is over")]
    Unfinished,
}

/// The record of a match of a game.
pub type RecordOf<G> = Record<<G as Game>::Rules, <G as Game>::Action>;

impl<Rules: Clone, Action: Clone + PartialEq + Debug> Record<Rules, Action> {
    /// A record without replies yet.
    pub fn new<G: Game<Rules = Rules, Action = Action>>(rules: Rules, seats: usize, seed: Seed) -> Self {
        let replies = Vec::with_capacity(64);
        Self { game: G::NAME.into(), rules_version: G::RULES_VERSION, rules, seats, seed, replies }
    }

    /// Plays the record again.
    pub fn replay<G: Game<Rules = Rules, Action = Action>>(&self) -> Result<Finished<G>, BadRecord> {
        if self.game != G::NAME {
            return Err(BadRecord::Game(self.game.to_string()));
        }
        if self.rules_version != G::RULES_VERSION {
            return Err(BadRecord::Version { recorded: self.rules_version, current: G::RULES_VERSION });
        }
        let mut table = Match::<G>::new(&self.rules, self.seats, self.seed)?;
        for (index, Replied(seat, reply)) in self.replies.iter().enumerate() {
            table.reply(*seat, reply.clone()).map_err(|error| BadRecord::Reply { index, error })?;
        }
        let played = table.finish().ok_or(BadRecord::Unfinished)?;
        match played.record.replies.iter().zip(&self.replies).position(|(again, first)| again != first) {
            Some(index) => Err(BadRecord::Illegal { index, why: format!("{:?}", played.record.replies[index].1) }),
            None => Ok(played),
        }
    }
}
