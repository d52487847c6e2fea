//! The record of a match: the seed, the rules, and the replies of the seats. The match can be replayed from it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::chance::Seed;
use crate::fault::Fault;
use crate::game::Game;
use crate::seat::Seat;

/// The reply of a seat that had to act.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply<Action> {
    /// An action.
    Act(Action),
    /// Nothing in time.
    Late,
    /// A failure that costs the match.
    Failed(Fault),
}

impl<Action> Reply<Action> {
    /// Borrows the action.
    pub fn as_ref(&self) -> Reply<&Action> {
        match self {
            Self::Act(action) => Reply::Act(action),
            Self::Late => Reply::Late,
            Self::Failed(fault) => Reply::Failed(fault.clone()),
        }
    }

    /// Changes the action.
    pub fn map<Other>(self, change: impl FnOnce(Action) -> Other) -> Reply<Other> {
        match self {
            Self::Act(action) => Reply::Act(change(action)),
            Self::Late => Reply::Late,
            Self::Failed(fault) => Reply::Failed(fault),
        }
    }
}

/// A reply and the seat that it came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replied<Action>(pub Seat, pub Reply<Action>);

/// All that a match is recomputed from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record<Rules, Action> {
    /// The game's name.
    pub game: Cow<'static, str>,
    /// The version of its rules in force.
    pub rules_version: u32,
    /// The variant.
    pub rules: Rules,
    /// The number of seats.
    pub seats: usize,
    /// Its random seed.
    pub seed: Seed,
    /// The replies of the seats, in the order in which the match took them in.
    pub replies: Vec<Replied<Action>>,
}

/// The record of a match of a game.
pub type RecordOf<G> = Record<<G as Game>::Rules, <G as Game>::Action>;

impl<Rules, Action> Record<Rules, Action> {
    /// A record without replies yet.
    pub fn new<G: Game<Rules = Rules, Action = Action>>(
        rules: Rules,
        seats: usize,
        seed: Seed,
    ) -> Self {
        let replies = Vec::with_capacity(64);
        Self {
            game: G::NAME.into(),
            rules_version: G::RULES_VERSION,
            rules,
            seats,
            seed,
            replies,
        }
    }
}
