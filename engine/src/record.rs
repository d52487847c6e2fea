//! The record of a match: the seed, the rules and the replies, from which it can be replayed.

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
    /// No reply in time.
    Late,
    /// A failure that forfeits the match.
    Failed(Fault),
}

impl<Action> Reply<Action> {
    /// Converts to a reply that borrows the action.
    pub fn as_ref(&self) -> Reply<&Action> {
        match self {
            Self::Act(action) => Reply::Act(action),
            Self::Late => Reply::Late,
            Self::Failed(fault) => Reply::Failed(fault.clone()),
        }
    }

    /// Maps the action to another type.
    pub fn map<Other>(self, change: impl FnOnce(Action) -> Other) -> Reply<Other> {
        match self {
            Self::Act(action) => Reply::Act(change(action)),
            Self::Late => Reply::Late,
            Self::Failed(fault) => Reply::Failed(fault),
        }
    }
}

/// A reply with the seat that gave it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replied<Action>(pub Seat, pub Reply<Action>);

/// A record of a match: everything needed to recompute it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record<Rules, Action> {
    /// The game's name.
    pub game: Cow<'static, str>,
    /// Version of the game's rules.
    pub rules_version: u32,
    /// The rules of the variant.
    pub rules: Rules,
    /// Number of seats.
    pub seats: usize,
    /// The random seed of the match.
    pub seed: Seed,
    /// The replies in the order in which the match took them.
    pub replies: Vec<Replied<Action>>,
}

/// The record of a match of a given game.
pub type RecordOf<G> = Record<<G as Game>::Rules, <G as Game>::Action>;

impl<Rules, Action> Record<Rules, Action> {
    /// Creates a record without replies.
    pub fn new<G: Game<Rules = Rules, Action = Action>>(
        rules: Rules,
        seats: usize,
        seed: Seed,
    ) -> Self {
        let replies = Vec::with_capacity(64);
        let (game, rules_version) = G::identity(&rules);
        Self {
            game,
            rules_version,
            rules,
            seats,
            seed,
            replies,
        }
    }
}
