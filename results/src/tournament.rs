//! What a ledger says of the tournament whose matches it holds.

use std::collections::BTreeSet;

use arena_engine::chance::Seed;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A tournament as it was planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tournament {
    /// Its name.
    pub name: String,
    /// The game's name.
    pub game: String,
    /// The version of the game's rules in force.
    pub rules_version: u32,
    /// The variant of the game, complete with its defaults.
    pub rules: Value,
    /// The format's name.
    pub format: String,
    /// What else the format was told; null if nothing.
    pub options: Value,
    /// Seats at each table.
    pub seats: usize,
    /// In how many orders the bots of a table are seated on each deal.
    pub seatings: u64,
    /// How many deals each pairing plays in a round.
    pub deals: u32,
    /// How many rounds there are; 1 where all matches are known from the beginning. Each has deals of its own.
    pub rounds: u32,
    /// All its chance.
    pub seed: Seed,
    /// Time for a bot to start, in milliseconds.
    pub start_ms: u64,
    /// Time for a move, in milliseconds; null if there is no limit.
    pub move_ms: Option<u64>,
    /// Time for all moves of a seat in a match, in milliseconds; null if there is no limit.
    pub bank_ms: Option<u64>,
    /// What is added to that after each move, in milliseconds.
    pub increment_ms: Option<u64>,
    /// How many matches are planned.
    pub matches: u64,
    /// How many of them on each deal; null if that is not the same for all.
    pub matches_per_deal: Option<u64>,
    /// Who takes part.
    pub bots: Vec<Entry>,
}

/// A bot that takes part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name, the only one of its kind in the tournament.
    pub name: String,
    /// What plays: a built-in bot or a command.
    pub plays: String,
    /// The files that the command names, as they were when the bot entered.
    pub files: Vec<Hashed>,
    /// The first round in which it may be drawn.
    pub joined: u32,
    /// The last one; null if it has not left.
    pub left: Option<u32>,
}

/// A file that is part of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hashed {
    /// The file, as the command names it.
    pub file: String,
    /// The SHA-256 of what it holds, in hexadecimal digits.
    pub sha256: String,
}

/// The seed of a deal, the same for all who play it.
pub fn deal_seed(seed: Seed, deal: u32) -> Seed {
    seed.child("deal", deal.into())
}

impl Tournament {
    /// This tournament with as many deals, rounds and bots as another one, of which it may be an extension.
    pub fn as_it_was(mut self, before: &Tournament) -> Self {
        (self.deals, self.rounds) = (before.deals, before.rounds);
        self.bots.truncate(before.bots.len());
        for (bot, old) in self.bots.iter_mut().zip(&before.bots) {
            bot.left = old.left;
        }
        self
    }

    /// What tells it from another one, or from what it was before it was extended.
    pub(crate) fn hash(&self) -> u32 {
        crc32fast::hash(serde_json::to_string(self).unwrap_or_default().as_bytes())
    }

    /// In what the tournament planned `now` differs from this one, which is in the folder: a line for each difference.
    pub fn differences(&self, now: &Tournament) -> Vec<String> {
        let mut lines = Vec::new();
        differ("", &self.fields(), &now.fields(), &mut lines);
        if self.names() == now.names() {
            self.bots.iter().zip(&now.bots).for_each(|(old, new)| old.differ(new, &mut lines));
        } else {
            lines.push(format!("bots: {} in the folder, {} now", self.names().join(", "), now.names().join(", ")));
        }
        lines
    }

    fn names(&self) -> Vec<&str> {
        self.bots.iter().map(|bot| bot.name.as_str()).collect()
    }

    /// All but the bots and what follows from the rest, by name.
    fn fields(&self) -> Map<String, Value> {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(self) else { return Map::new() };
        for name in ["bots", "matches", "matches_per_deal", "seatings"] {
            fields.remove(name);
        }
        fields
    }
}

impl Entry {
    /// Adds a line for each difference to the bot of the same name now.
    fn differ(&self, now: &Entry, lines: &mut Vec<String>) {
        let name = &self.name;
        if self.plays != now.plays {
            lines.push(format!("bot {name}: {} in the folder, {} now", self.plays, now.plays));
            return;
        }
        for (old, new) in self.files.iter().zip(&now.files).filter(|(old, new)| old.sha256 != new.sha256) {
            let (was, is) = (short(&old.sha256), short(&new.sha256));
            lines.push(format!(
                "bot {name}: {} has changed since it began to play (SHA-256 {was}…, now {is}…)",
                old.file
            ));
        }
        if self.files.len() != now.files.len() {
            lines.push(format!("bot {name}: its command names {} files, now {}", self.files.len(), now.files.len()));
        }
        if (self.joined, self.left) != (now.joined, now.left) {
            lines.push(format!("bot {name}: it joins or leaves at another round"));
        }
    }
}

/// The first digits of a hash.
fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// Compares two objects entry by entry, and the objects in them likewise.
fn differ(path: &str, old: &Map<String, Value>, new: &Map<String, Value>, lines: &mut Vec<String>) {
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for key in keys {
        match (old.get(key), new.get(key)) {
            (Some(Value::Object(old)), Some(Value::Object(new))) => differ(&format!("{path}{key}."), old, new, lines),
            (old, new) if old == new => {}
            (old, new) => lines.push(format!("{path}{key}: {} in the folder, {} now", spoken(old), spoken(new))),
        }
    }
}

fn spoken(value: Option<&Value>) -> String {
    match value {
        None => "nothing".into(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::sample;

    #[test]
    fn differences_are_told_field_by_field() {
        let folder = sample::tournament(&["a", "b"], 2, 50);
        let mut now = folder.clone();
        assert_eq!(folder.differences(&now), Vec::<String>::new());
        now.deals = 60;
        now.rules["rounds"] = 5.into();
        now.bots[1].plays = "python3 b.py".into();
        let expected = [
            "deals: 50 in the folder, 60 now",
            "rules.rounds: 3 in the folder, 5 now",
            "bot b: builtin random in the folder, python3 b.py now",
        ];
        assert_eq!(folder.differences(&now), expected);
        now.bots.pop();
        assert_eq!(folder.differences(&now)[2], "bots: a, b in the folder, a now");
    }
}
