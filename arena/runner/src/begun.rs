//! A match that is not over, as it is saved.

use arena_engine::table::Json;
use arena_tournament::played::{MoveTime, Note};
use serde::{Deserialize, Serialize};

/// A match as far as it has come, so that it can go on after a restart.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Begun {
    pub record: Json,
    pub notes: Vec<Note>,
    pub moves: Vec<MoveTime>,
}
