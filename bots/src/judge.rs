//! Judges of decisions, by game. Each judges by the best play known here, and its own strength is measured.

use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::record::RecordOf;

use crate::coda;
use crate::decision::{Judged, Unjudged};

/// A judge of a game's decisions.
#[derive(Clone, Copy)]
pub struct Judge {
    /// The built-in bot that the judge uses. The judge cannot grade play that is better than this bot's.
    pub bot: &'static str,
    /// Version of the judge, raised whenever its verdicts change.
    pub version: u32,
    judge: fn(&str) -> Result<Judged, Unjudged>,
}

/// Returns the judge of a game, if there is one.
pub fn find(game: &str) -> Option<Judge> {
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
    /// Judges all decisions of a JSON record. The same record always gives the same verdicts.
    pub fn judge(&self, record: &str) -> Result<Judged, Unjudged> {
        (self.judge)(record)
    }
}
