//! What decisions were worth, for games that have a judge of them: the best play that is known here, and measured itself.

use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::record::RecordOf;

use crate::coda;
use crate::decision::{Judged, Unjudged};

/// A judge of the decisions of a game.
#[derive(Clone, Copy)]
pub struct Judge {
    /// The built-in bot that it is made of: it cannot grade play that is better.
    pub bot: &'static str,
    /// Raised whenever it would judge otherwise.
    pub version: u32,
    judge: fn(&str) -> Result<Judged, Unjudged>,
}

/// The judge of a game, if there is one.
pub fn of(game: &str) -> Option<Judge> {
    let judge = |record: &str| {
        Ok(coda::judge::judge(
            &serde_json::from_str::<RecordOf<Coda>>(record)?,
        )?)
    };
    (game == Coda::NAME).then_some(Judge {
        bot: "rollouts",
        version: 2,
        judge,
    })
}

impl Judge {
    /// Judges all decisions of a record in JSON. The same record gives the same.
    pub fn judge(&self, record: &str) -> Result<Judged, Unjudged> {
        (self.judge)(record)
    }
}
