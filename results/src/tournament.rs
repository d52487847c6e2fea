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
    /// Seats at each table.
    pub seats: usize,
    /// How many deals are played.
    pub deals: u32,
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
    /// How many matches are planned; the same number on each deal.
    pub matches: u64,
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
}

impl Tournament {
    /// How many matches are planned on each deal; none if the plan is not the same for every deal.
    pub fn matches_per_deal(&self) -> Option<u64> {
        let deals = u64::from(self.deals);
        (deals > 0 && self.matches.is_multiple_of(deals)).then(|| self.matches / deals)
    }

    /// In what the tournament planned `now` differs from this one, which is in the folder: a line for each difference.
    pub fn differences(&self, now: &Tournament) -> Vec<String> {
        let mut lines = Vec::new();
        differ("", &self.fields(), &now.fields(), &mut lines);
        if self.names() == now.names() {
            let bots = self.bots.iter().zip(&now.bots).filter(|(old, new)| old.plays != new.plays);
            lines.extend(
                bots.map(|(old, new)| format!("bot {}: {} in the folder, {} now", old.name, old.plays, new.plays)),
            );
        } else {
            lines.push(format!("bots: {} in the folder, {} now", self.names().join(", "), now.names().join(", ")));
        }
        lines
    }

    fn names(&self) -> Vec<&str> {
        self.bots.iter().map(|bot| bot.name.as_str()).collect()
    }

    /// All but the bots, by name.
    fn fields(&self) -> Map<String, Value> {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(self) else { return Map::new() };
        fields.remove("bots");
        fields
    }
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
