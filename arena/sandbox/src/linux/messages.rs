//! The messages between the arena and the supervisor of a bot: lines of JSON.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::exit::Exit;

/// From the arena to the supervisor. That the arena is gone means `Kill`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToSupervisor {
    /// The bot exits by itself within this time, or is ended.
    Quit(Duration),
    /// The bot is to be ended at once.
    Kill,
}

/// From the supervisor to the arena.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToArena {
    /// The launcher runs, and will be the bot.
    Started(u32),
    /// It does not, and this is why.
    Failed(String),
    /// The bot's own process, if it is another.
    Bot(u32),
    /// The bot's own process has ended.
    Exited(Exit),
    /// Nothing is left of it.
    Gone(Exit),
}

/// A message as a line.
pub fn line(message: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("a message can be written as JSON");
    line.push(b'\n');
    line
}

/// Takes the first message out of what was received, if all of it is there.
pub fn take<T: DeserializeOwned>(received: &mut Vec<u8>) -> Option<serde_json::Result<T>> {
    let end = received.iter().position(|byte| *byte == b'\n')?;
    let line: Vec<u8> = received.drain(..=end).collect();
    Some(serde_json::from_slice(&line))
}
