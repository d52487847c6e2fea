//! The rules of the game, checked together.

use arena_engine::game::{Game, Rules as _};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::reader::Reader;

/// The complete rules of a game for a table of that many seats, and their version; notes what is wrong with those that are given.
pub fn check<G: Game>(reader: &mut Reader<'_>, seats: usize) -> Option<(Json, u32)> {
    let given = match reader.get("rules") {
        Some(given) => given.clone(),
        None => Spanned::new(0..0, DeValue::Table(DeTable::new())),
    };
    let rules = G::Rules::deserialize(ValueDeserializer::from(given.clone()));
    let rules = rules.map_err(|error| reader.explain(&error, "rule")).ok()?;
    if let Err(why) = rules.check(seats) {
        let blamed = blamed::<G>(given.get_ref(), seats, &why);
        let help = match blamed {
            Some(_) => "change this rule, or leave it out",
            None => "",
        };
        reader.add(&format!("rules.{}", blamed.unwrap_or_default()), why, help);
        return None;
    }
    let rules = serde_json::to_value(rules).expect("rules can be written as JSON");
    Some((rules, G::RULES_VERSION))
}

/// The first rule without which nothing is wrong, or something else.
fn blamed<G: Game>(given: &DeValue<'_>, seats: usize, why: &str) -> Option<String> {
    let rules = given.as_table()?;
    let is_blamed = |name: &&str| {
        let mut others = rules.clone();
        others.remove(*name);
        let others = Spanned::new(0..0, DeValue::Table(others));
        let others = G::Rules::deserialize(ValueDeserializer::from(others));
        others.is_ok_and(|others| others.check(seats).err().as_deref() != Some(why))
    };
    let mut names = rules.keys().map(|name| name.get_ref().as_ref());
    names.find(is_blamed).map(str::to_owned)
}

/// The rules of a game by name, each with its standard value: those, too, that are not written where they are standard.
pub fn standard<G: Game>() -> Map<String, Json> {
    let schema = schemars::schema_for!(G::Rules).to_value();
    let rules = schema["properties"].as_object().into_iter().flatten();
    rules
        .map(|(name, about)| (name.clone(), about["default"].clone()))
        .collect()
}
