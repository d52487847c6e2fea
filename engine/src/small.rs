//! Ready-made building blocks for small games: a prompt that is a list of options, and a view that is a list of events.
//!
//! They are slower than custom types, but give bots the same information.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::game::{Illegal, Prompt, View, Vocabulary, not_legal};
use crate::seat::Seat;

/// The legal actions of a seat: options by action name, each with the legal values of its fields. A field that holds a list
/// has a list of legal values for each position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Options(Vec<BTreeMap<String, BTreeMap<String, Vec<Value>>>>);

impl Options {
    /// Creates a prompt with one option: an action, and the legal values of its only field.
    pub fn one<T: Into<Value>>(
        action: &str,
        field: &str,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        Self::default().or(
            action,
            [(field, values.into_iter().map(Into::into).collect())],
        )
    }

    /// Adds an option: an action, and the legal values of each of its fields.
    #[must_use]
    pub fn or<const N: usize>(mut self, action: &str, fields: [(&str, Vec<Value>); N]) -> Self {
        let fields = fields.map(|(name, values)| (name.to_owned(), values));
        self.0.push([(action.to_owned(), fields.into())].into());
        self
    }
}

impl<Action: Vocabulary> Prompt<Action> for Options {
    /// # Panics
    /// If there is no option, or the chosen option is not an action of the game.
    fn pick(&self, chance: &mut Chance) -> Action {
        let (action, fields) = chance.pick(&self.0).iter().next().expect("an action");
        let values = fields.iter();
        let values: Value = values
            .map(|(name, values)| (name.clone(), picked(values, chance)))
            .collect();
        serde_json::from_value(json!({ action: values })).expect("options are actions of the game")
    }

    fn permits(&self, action: &Action) -> Result<(), Illegal> {
        let action = serde_json::to_value(action).expect("actions can be written as JSON");
        let mut options = self.0.iter().flatten();
        let option = options.find(|(name, _)| action.get(name).is_some());
        let Some((name, fields)) = option else {
            let names: Vec<&str> = self.0.iter().flatten().map(|(name, _)| &**name).collect();
            return Err(Illegal(format!(
                "that is not legal now: choose {}",
                names.join(" or ")
            )));
        };
        for (field, legal) in fields {
            let value = &action[name][field];
            if !is_legal(value, legal) {
                return Err(not_legal(field, value, &json!(legal)));
            }
        }
        Ok(())
    }
}

/// Returns the legal values of each position of a list; `None` if `legal` lists plain values.
fn places(legal: &[Value]) -> Option<Vec<&Vec<Value>>> {
    legal.iter().map(Value::as_array).collect()
}

fn picked(legal: &[Value], chance: &mut Chance) -> Value {
    match places(legal) {
        Some(places) => places
            .into_iter()
            .map(|legal| picked(legal, chance))
            .collect(),
        None => chance.pick(legal).clone(),
    }
}

fn is_legal(value: &Value, legal: &[Value]) -> bool {
    let Some(places) = places(legal) else {
        return legal.contains(value);
    };
    value.as_array().is_some_and(|values| {
        let mut each = values.iter().zip(&places);
        values.len() == places.len() && each.all(|(value, legal)| is_legal(value, legal))
    })
}

/// All events that a seat has seen, first to last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Seen<Event> {
    /// The events.
    pub events: Vec<Event>,
}

impl<Rules, Event: Vocabulary> View<Rules, Event> for Seen<Event> {
    fn new(_: &Rules, _: usize, _: Seat) -> Self {
        Self { events: Vec::new() }
    }

    fn see(&mut self, event: &Event) {
        self.events.push(event.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Seed;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Action {
        Say { word: String },
        Guess { numbers: Vec<u8>, sure: bool },
    }

    #[test]
    fn what_is_picked_is_legal_and_all_else_is_explained() {
        let numbers = vec![json!([1, 2]), json!([3, 4])];
        let sure = vec![json!(true)];
        let options = Options::one("say", "word", ["yes", "no"])
            .or("guess", [("numbers", numbers), ("sure", sure)]);
        let mut chance = Seed::try_from(1).unwrap().stream("test", 0);
        for _ in 0..100 {
            let action: Action = options.pick(&mut chance);
            assert_eq!(options.permits(&action), Ok(()), "{action:?}");
        }
        let why = |action| options.permits(&action).unwrap_err().0;
        let guess = |numbers: &[u8]| Action::Guess {
            numbers: numbers.into(),
            sure: true,
        };
        assert_eq!(
            why(guess(&[3, 1])),
            "numbers = [3,1] is not legal here; choose one of [[1,2],[3,4]]"
        );
        assert!(why(guess(&[1])).starts_with("numbers = [1] is not legal"));
        assert!(why(guess(&[1, 2])).starts_with("numbers = [1,2] is not legal"));
        let word = "perhaps".to_owned();
        assert_eq!(
            why(Action::Say { word }),
            r#"word = "perhaps" is not legal here; choose one of ["yes","no"]"#
        );
    }
}
