//! Checks the rules of the game together.

use arena_engine::table::{Entry, Json};
use arena_tournament::suggest::{self, quoted};
use serde::Deserialize;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};

use super::legal::{self, Wrong};
use super::reader::Reader;

/// Returns the complete rules of a game for this number of seats, and records every invalid rule.
pub fn check(reader: &mut Reader<'_>, game: &Entry, seats: usize) -> Option<Json> {
    let given = reader.get("rules").and_then(|it| it.get_ref().as_table());
    let given = given.cloned().unwrap_or_default();
    let mut rules = to_json(&given);
    let schema = game.rulebook.rules_schema().to_value();
    // Remove rules that cannot be parsed on their own, then check the others.
    let mut is_fine = true;
    for (name, value) in &given {
        let alone = Map::from_iter(rules.remove_entry(name.get_ref().as_ref()));
        match game.rulebook.complete_rules(&alone.clone().into()) {
            Ok(_) => rules.extend(alone),
            Err(error) => {
                reader.refuse(wrong(&schema, name, value, error));
                is_fine = false;
            }
        }
    }
    loop {
        let why = match game.rulebook.dealer(&rules.clone().into(), seats) {
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
        // Check the other rules without this one.
        rules.remove(&wrong?);
    }
}

fn to_json(given: &DeTable<'_>) -> Map<String, Value> {
    let json = |value: &Spanned<DeValue<'_>>| {
        Value::deserialize(ValueDeserializer::from(value.clone())).unwrap_or_default()
    };
    let rules = given.iter();
    rules
        .map(|(name, value)| (name.get_ref().to_string(), json(value)))
        .collect()
}

/// Returns the first rule whose removal solves or changes the problem.
fn blamed(game: &Entry, rules: &Map<String, Value>, seats: usize, why: &str) -> Option<String> {
    let is_blamed = |name: &&String| {
        let mut others = rules.clone();
        others.remove(*name);
        let others = game.rulebook.dealer(&others.into(), seats).err();
        others.map(|other| other.to_string()).as_deref() != Some(why)
    };
    rules.keys().find(is_blamed).cloned()
}

/// Explains a rule that does not match the schema of the rules. `error` is used for problems that a schema cannot express.
fn wrong(
    schema: &Value,
    name: &Spanned<DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
    error: String,
) -> Wrong {
    let rule: &str = name.get_ref();
    let Some(declared) = schema["properties"].get(rule) else {
        let known = schema["properties"].as_object().into_iter().flatten();
        let known: Vec<&str> = known.map(|(name, _)| name.as_str()).collect();
        let what = format!("there is no rule {}", quoted(rule));
        return (name.span(), what, suggest::key(rule, &known));
    };
    let named = declared["$ref"]
        .as_str()
        .and_then(|path| schema.pointer(path.strip_prefix('#')?));
    let kind = named.unwrap_or(declared);
    let words = kind["oneOf"].as_array().into_iter().flatten();
    let words: Vec<&str> = words.filter_map(|word| word["const"].as_str()).collect();
    if let Some(wrong) = (!words.is_empty())
        .then(|| legal::word(rule, value, &words))
        .flatten()
    {
        return wrong;
    }
    let wanted = match kind["type"].as_str() {
        Some("integer") => "a whole number within its range",
        Some("number") => "a number",
        Some("boolean") => "true or false",
        Some("array") => "a list",
        Some("object") => "a table",
        _ => "",
    };
    let what = match legal::expect(value, wanted, wanted.is_empty()) {
        Some((_, what, _)) => what,
        None => error,
    };
    let about = declared["description"].as_str();
    let help = about.map_or_else(String::new, |about| format!("{rule}: {about}"));
    (value.span(), what, help)
}
