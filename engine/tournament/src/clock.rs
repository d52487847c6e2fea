//! Time limits of bots.

use arena_engine::shown;
use serde::{Deserialize, Serialize};

/// Time limits of a bot, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeControl {
    /// Limit per answer; null if unlimited.
    pub move_ms: Option<u64>,
    /// Time bank for all answers of a seat in one match; null if unlimited.
    pub bank_ms: Option<u64>,
    /// Increment added to the time bank after each answer.
    pub increment_ms: u64,
    /// Limit from a program's start until it reports ready.
    pub start_ms: u64,
}

/// A bot with its own time control.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OwnClock {
    /// The name of the bot.
    pub bot: String,
    /// The bot's time control.
    pub clock: TimeControl,
}

shown!(OwnClock, |own| "{} has {}", own.bot, own.clock);
shown!(
    TimeControl,
    |clock| "{}{}{}, {} ms to start",
    clock.move_ms.map_or_else(
        || "no limit for a move".into(),
        |ms| format!("{ms} ms for a move")
    ),
    clock
        .bank_ms
        .map(|ms| format!(", {ms} ms for all moves of a match"))
        .unwrap_or_default(),
    if clock.increment_ms > 0 {
        format!(" and {} ms more after each", clock.increment_ms)
    } else {
        String::new()
    },
    clock.start_ms
);

impl Default for TimeControl {
    fn default() -> Self {
        Self {
            move_ms: Some(2_000),
            bank_ms: None,
            increment_ms: 0,
            start_ms: 10_000,
        }
    }
}
