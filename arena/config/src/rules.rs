//! The rules of the game, checked together.

use arena_engine::game::{Game, Rules as _};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::reader::Reader;

/// The complete rules of a game for a table of that many seats, and their version. Notes every rule that is wrong.
pub fn check<G: Game>(reader: &mut Reader<'_>, seats: usize) -> Option<(Json, u32)> {
    let given = reader.get("rules").and_then(|it| it.get_ref().as_table());
    let mut given = given.cloned().unwrap_or_default();
    loop {
        let wrong = match parse::<G>(&given) {
            Err(error) => {
                let span = error.span();
                let is_there = |span_of| Some(span_of) == span;
                let mut rules = given.iter();
                let wrong = rules.find(|(name, it)| is_there(name.span()) || is_there(it.span()));
                let wrong = wrong.map(|(name, _)| name.get_ref().to_string());
                reader.explain(&error, "rule", about::<G>(wrong.as_deref()));
                wrong
            }
            Ok(rules) => {
                let Err(why) = rules.check(seats) else {
                    let rules = serde_json::to_value(rules).expect("rules can be written as JSON");
                    return Some((rules, G::RULES_VERSION));
                };
                let wrong = blamed::<G>(&given, seats, &why);
                let help = match wrong {
                    Some(_) => "change this rule, or leave it out",
                    None => "",
                };
                let path = format!("rules.{}", wrong.as_deref().unwrap_or_default());
                reader.add(&path, why, help);
                wrong
            }
        };
        // The others are checked without it.
        given.remove(wrong?.as_str());
    }
}

fn parse<G: Game>(given: &DeTable<'_>) -> Result<G::Rules, toml::de::Error> {
    let given = Spanned::new(0..0, DeValue::Table(given.clone()));
    G::Rules::deserialize(ValueDeserializer::from(given))
}

/// The first rule without which nothing is wrong, or something else.
fn blamed<G: Game>(given: &DeTable<'_>, seats: usize, why: &str) -> Option<String> {
    let is_blamed = |name: &&str| {
        let mut others = given.clone();
        others.remove(*name);
        let others = parse::<G>(&others);
        others.is_ok_and(|others| others.check(seats).err().as_deref() != Some(why))
    };
    let mut names = given.keys().map(|name| name.get_ref().as_ref());
    names.find(is_blamed).map(str::to_owned)
}

/// Returns the description of a rule, which names the values that it takes.
fn about<G: Game>(rule: Option<&str>) -> String {
    let rule = rule.unwrap_or_default();
    let schema = schemars::schema_for!(G::Rules).to_value();
    let about = schema["properties"][rule]["description"].as_str();
    about.map_or_else(String::new, |about| format!("{rule}: {about}"))
}

/// The rules of a game by name, each with its standard value: those, too, that are not written where they are standard.
pub fn standard<G: Game>() -> Map<String, Json> {
    let schema = schemars::schema_for!(G::Rules).to_value();
    let rules = schema["properties"].as_object().into_iter().flatten();
    rules
        .map(|(name, about)| (name.clone(), about["default"].clone()))
        .collect()
}
