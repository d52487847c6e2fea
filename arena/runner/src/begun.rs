//! Saved state of an unfinished match.

use arena_engine::table::Json;
use arena_tournament::played::{MoveTime, Note};
use serde::{Deserialize, Serialize};

/// An unfinished match, with all that is needed to resume it after a restart.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Begun {
    pub record: Json,
    pub notes: Vec<Note>,
    pub moves: Vec<MoveTime>,
}
