//! Ready-made parts for small games: a prompt that is a list of options, and a view that is a list of events.
//!
//! They are slower than types of a game's own, and tell bots no less.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::game::{Illegal, Prompt, View, Vocabulary, not_legal};
use crate::seat::Seat;

/// The legal actions of a seat: options by the names of their actions, each with the legal values of its fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Options(Vec<BTreeMap<String, BTreeMap<String, Vec<Value>>>>);

impl Options {
    /// The only option: an action, and the legal values of its only field.
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
    /// If there is no option, or the option picked is no action of the game.
    fn pick(&self, chance: &mut Chance) -> Action {
        let (action, fields) = chance.pick(&self.0).iter().next().expect("an action");
        let values = fields.iter();
        let values: Value = values
            .map(|(name, values)| (name.clone(), chance.pick(values).clone()))
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
            if !legal.contains(value) {
                return Err(not_legal(field, value, &json!(legal)));
            }
        }
        Ok(())
    }
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
