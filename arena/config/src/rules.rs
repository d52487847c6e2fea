//! Checks the rules of the game together.

use arena_engine::table::{Entry, Json};
use serde::Deserialize;
use serde_json::{Map, Value};
use toml::de::{DeTable, ValueDeserializer};

use super::reader::Reader;

/// Returns the complete rules of a game for this number of seats, and records every invalid rule.
pub fn check(reader: &mut Reader<'_>, game: &Entry, seats: usize) -> Option<Json> {
    let given = reader.get("rules").and_then(|it| it.get_ref().as_table());
    let given = given.cloned().unwrap_or_default();
    let mut rules = to_json(&given);
    // Remove rules that cannot be parsed alone, then check the others.
    let mut is_fine = true;
    for (name, value) in &given {
        let alone = Map::from_iter(rules.remove_entry(name.get_ref().as_ref()));
        match game.complete_rules(&alone.clone().into()) {
            Ok(_) => rules.extend(alone),
            Err(error) => {
                let is_known = !error.starts_with("unknown field");
                let span = if is_known { value.span() } else { name.span() };
                let about = about(game, name.get_ref());
                reader.explain_at(span, &error, "rule", about);
                is_fine = false;
            }
        }
    }
    loop {
        let why = match game.dealer(&rules.clone().into(), seats) {
            Ok(dealer) => return is_fine.then(|| dealer.rules()),
            Err(why) => why.to_string(),
        };
        is_fine = false;
        let wrong = blamed(game, &rules, seats, &why);
        let help = match wrong {
            Some(_) => "change this rule, or leave it out",
            None => "",
        };
        let path = format!("rules.{}", wrong.as_deref().unwrap_or_default());
        reader.add(&path, why, help);
        // Check the others without it.
        rules.remove(&wrong?);
    }
}

fn to_json(given: &DeTable<'_>) -> Map<String, Value> {
    let json = |value: &toml::Spanned<toml::de::DeValue<'_>>| {
        Value::deserialize(ValueDeserializer::from(value.clone())).unwrap_or_default()
    };
    let rules = given.iter();
    rules
        .map(|(name, value)| (name.get_ref().to_string(), json(value)))
        .collect()
}

/// Returns the first rule whose removal fixes or changes the problem.
fn blamed(game: &Entry, rules: &Map<String, Value>, seats: usize, why: &str) -> Option<String> {
    let is_blamed = |name: &&String| {
        let mut others = rules.clone();
        others.remove(*name);
        let others = game.dealer(&others.into(), seats).err();
        others.map(|other| other.to_string()).as_deref() != Some(why)
    };
    rules.keys().find(is_blamed).cloned()
}

/// Returns the description of a rule, including its valid values.
fn about(game: &Entry, rule: &str) -> String {
    let schema = game.rules_schema().to_value();
    let about = schema["properties"][rule]["description"].as_str();
    about.map_or_else(String::new, |about| format!("{rule}: {about}"))
}
