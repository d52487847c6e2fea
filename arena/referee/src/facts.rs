//! The checked facts of a game, and the values of its rules.

use std::ops::RangeInclusive;

use arena_engine::outcome::Source;
use arena_engine::seat::MAX_SEATS;
use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

use crate::message::Announced;

/// Maximum length of a game's name, in bytes.
const MAX_NAME_BYTES: usize = 32;
/// Maximum absolute number of points.
const MAX_POINTS: i32 = 1_000_000;
/// The source of points of a game that announces none.
const POINTS: Source = Source::new("points", 1);

/// The checked facts of a game. They live as long as the program.
pub struct Facts {
    /// The facts as the referee announced them.
    pub announced: Announced,
    /// The name of the game with the version of its files.
    pub name: &'static str,
    /// The sources of points. A game that announces none has a single source worth 1 point.
    pub sources: &'static [Source],
}

impl Facts {
    /// Checks what a referee has announced.
    ///
    /// # Errors
    /// If a fact is impossible; the error names the first one.
    pub fn new(announced: Announced, name: &'static str) -> Result<Self, String> {
        let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
        let short = &announced.name;
        let begins = short.starts_with(|c: char| c.is_ascii_lowercase());
        if !begins || short.len() > MAX_NAME_BYTES || !short.chars().all(is_letter) {
            return Err(format!(
                "its name is {short:?}: write 1 to {MAX_NAME_BYTES} lower-case letters, digits, - or _, a letter first"
            ));
        }
        let [least, most] = announced.seats;
        if !(2..=MAX_SEATS).contains(&least) || !(least..=MAX_SEATS).contains(&most) {
            return Err(format!(
                "its seats are [{least}, {most}]: write the minimum and the maximum, from 2 to {MAX_SEATS}"
            ));
        }
        let [low, high] = announced.points;
        if low > high || low < -MAX_POINTS || high > MAX_POINTS {
            return Err(format!(
                "its points are [{low}, {high}]: write the minimum and the maximum of a seat, at most {MAX_POINTS}"
            ));
        }
        let is_rule =
            |default: &Value| default.is_i64() || default.is_boolean() || default.is_string();
        if let Some((rule, _)) = announced
            .rules
            .iter()
            .find(|(_, rule)| !is_rule(&rule.default))
        {
            return Err(format!(
                "the default of its rule {rule:?} must be a whole number, true or false, or a text"
            ));
        }
        let sources = announced.sources.iter();
        let mut sources: Vec<Source> = sources
            .map(|source| Source::new(source.name.clone().leak(), source.worth))
            .collect();
        if sources.is_empty() {
            sources.push(POINTS);
        }
        Ok(Self {
            announced,
            name,
            sources: sources.leak(),
        })
    }

    /// Returns the possible numbers of seats.
    pub fn seats(&self) -> RangeInclusive<usize> {
        let [least, most] = self.announced.seats;
        least..=most
    }

    /// Returns the range of points of a seat.
    pub fn points(&self) -> RangeInclusive<i32> {
        let [low, high] = self.announced.points;
        low..=high
    }

    /// Returns the error text for a failure of the game with this reason.
    pub fn failure(&self, why: &str) -> String {
        format!("the game {} failed: {why}", self.announced.name)
    }

    /// Returns the schema of the rules.
    pub fn rules_schema(&self) -> Schema {
        let rules = self.announced.rules.iter();
        let properties: Map<String, Value> = rules
            .map(|(name, rule)| {
                let declared = json!({
                    "type": type_of(&rule.default), "default": rule.default, "description": rule.about,
                });
                (name.clone(), declared)
            })
            .collect();
        json_schema!({ "type": "object", "properties": properties })
    }

    /// Completes rules with the default values of omitted ones.
    ///
    /// # Errors
    /// If the game does not have one of these rules, or a value has the wrong type; the error names the first such rule.
    pub fn complete(&self, given: &Value) -> Result<Value, String> {
        let rules = self.announced.rules.iter();
        let defaults = rules.map(|(name, rule)| (name.clone(), rule.default.clone()));
        let mut all: Map<String, Value> = defaults.collect();
        for (name, value) in given.as_object().into_iter().flatten() {
            let Some(known) = all.get_mut(name) else {
                return Err(format!("there is no rule {name:?}"));
            };
            let wanted = type_of(known);
            if type_of(value) != wanted {
                return Err(format!("{name} must be of the type {wanted}, not {value}"));
            }
            known.clone_from(value);
        }
        Ok(all.into())
    }
}

/// Returns the name of a value's type in a schema.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "boolean",
        Value::String(_) => "string",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Null => "null",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(announced: &str) -> Result<Facts, String> {
        Facts::new(serde_json::from_str(announced).unwrap(), "g@1")
    }

    #[test]
    fn a_name_and_points_are_enough() {
        let facts = facts(r#"{"name":"bids","points":[0,9]}"#).unwrap();
        assert_eq!((facts.seats(), facts.points()), (2..=2, 0..=9));
        assert_eq!(facts.sources, [POINTS]);
        assert_eq!(facts.complete(&json!({})), Ok(json!({})));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (announced, why) in [
            (r#"{"name":"My game","points":[0,9]}"#, "its name is"),
            (r#"{"name":"g","points":[9,0]}"#, "its points are [9, 0]"),
            (
                r#"{"name":"g","points":[0,9],"seats":[1,2]}"#,
                "its seats are [1, 2]",
            ),
            (
                r#"{"name":"g","points":[0,9],"seats":[2,9]}"#,
                "its seats are [2, 9]",
            ),
            (
                r#"{"name":"g","points":[0,9],"rules":{"cards":{"default":[]}}}"#,
                "the default of its rule \"cards\"",
            ),
        ] {
            let refused = facts(announced).err().unwrap();
            assert!(refused.starts_with(why), "{refused}");
        }
    }

    #[test]
    fn rules_are_completed_and_their_types_checked() {
        let announced = r#"{"name":"g","points":[0,9],"rules":{"cards":{"default":5},"open":{"default":false}}}"#;
        let facts = facts(announced).unwrap();
        let complete = |given: Value| facts.complete(&given);
        assert_eq!(
            complete(json!({"cards":3})),
            Ok(json!({"cards":3,"open":false}))
        );
        assert_eq!(
            complete(json!({"card":3})),
            Err("there is no rule \"card\"".into())
        );
        assert_eq!(
            complete(json!({"cards":"3"})),
            Err("cards must be of the type integer, not \"3\"".into())
        );
        assert_eq!(
            facts.rules_schema().as_value()["properties"]["cards"]["type"],
            "integer"
        );
    }
}
