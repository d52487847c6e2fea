//! Turns a prompt into options for people, with all values in words.

use arena_engine::form::{Field, FieldKind, Form};
use arena_engine::seat::{BySeat, Seat};
use serde::Serialize;
use serde_json::Value;

/// An option in a prompt.
#[derive(Clone, Debug, Serialize)]
pub struct Offer {
    pub action: String,
    /// Label of the option: the action, with all fields that have only one possible value.
    pub title: String,
    pub help: &'static str,
    pub inputs: Vec<Input>,
}

/// A field to fill in.
#[derive(Clone, Debug, Serialize)]
pub struct Input {
    pub name: String,
    pub title: String,
    pub kind: FieldKind,
    /// Offered values: one list, or one list per value for [`FieldKind::Each`].
    pub values: Vec<Vec<Choice>>,
}

/// A value that can be chosen.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    pub value: Value,
    pub text: String,
}

/// Returns the options of a prompt: one per action, with the list of legal values for each field.
pub fn offers(prompt: &Value, forms: &[Form], names: &BySeat<String>) -> Vec<Offer> {
    let options = prompt
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .flatten();
    options
        .map(|(action, legal)| Offer::new(action, legal, forms, names))
        .collect()
}

/// Describes an action in words.
pub fn in_words(action: &Value, forms: &[Form], names: &BySeat<String>) -> String {
    let of = |form: &Form| {
        Some([words(form.action)].into_iter().chain(fields_in_words(
            form.fields,
            action.get(form.action)?,
            names,
        )))
    };
    forms
        .iter()
        .find_map(of)
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}

fn fields_in_words(fields: &[Field], values: &Value, names: &BySeat<String>) -> Vec<String> {
    let of = |field: &Field| {
        let value = values.get(field.name)?;
        let several = value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice);
        let several = several.iter().map(|one| text(one, field.kind, names));
        Some(
            [words(field.name)]
                .into_iter()
                .chain(several)
                .collect::<Vec<_>>()
                .join(" "),
        )
    };
    fields.iter().filter_map(of).collect()
}

impl Offer {
    fn new(action: &str, legal: &Value, forms: &[Form], names: &BySeat<String>) -> Self {
        let form = forms.iter().find(|form| form.action == action);
        let fields = form.map_or(&[][..], |form| form.fields).iter();
        let inputs: Vec<Input> = fields
            .filter_map(|field| Some(Input::new(field, legal.get(field.name)?, names)))
            .collect();
        let decided = inputs
            .iter()
            .filter_map(Input::decided)
            .map(|choice| choice.text.clone());
        let title = [words(action)]
            .into_iter()
            .chain(decided)
            .collect::<Vec<_>>()
            .join(" ");
        Self {
            action: action.to_owned(),
            title,
            help: form.map_or("", |form| form.help),
            inputs,
        }
    }
}

impl Input {
    fn new(field: &Field, legal: &Value, names: &BySeat<String>) -> Self {
        let choices = |legal: &Value| {
            let choice = |value: &Value| Choice {
                value: value.clone(),
                text: text(value, field.kind, names),
            };
            legal.as_array().into_iter().flatten().map(choice).collect()
        };
        let values = match field.kind {
            FieldKind::Each => legal
                .as_array()
                .into_iter()
                .flatten()
                .map(choices)
                .collect(),
            FieldKind::List
            | FieldKind::Index
            | FieldKind::Player
            | FieldKind::Place(_)
            | FieldKind::Text(_) => vec![choices(legal)],
        };
        Self {
            name: field.name.to_owned(),
            title: words(match (field.title, field.kind) {
                ("", FieldKind::Player) => "player",
                ("", _) => field.name,
                (title, _) => title,
            }),
            kind: field.kind,
            values,
        }
    }

    /// Returns the only possible value; `None` if there are several.
    pub fn decided(&self) -> Option<&Choice> {
        match (self.kind, self.values.as_slice()) {
            (
                FieldKind::List | FieldKind::Index | FieldKind::Player | FieldKind::Place(_),
                [values],
            ) if values.len() == 1 => values.first(),
            _ => None,
        }
    }
}

/// Describes a value in words: players by name, and places in a row counted from 1.
fn text(value: &Value, kind: FieldKind, names: &BySeat<String>) -> String {
    if let (FieldKind::Place(_) | FieldKind::Index, Some(place)) = (kind, value.as_u64()) {
        return (place + 1).to_string();
    }
    let seat = value
        .as_u64()
        .filter(|_| matches!(kind, FieldKind::Player))
        .and_then(|seat| u8::try_from(seat).ok());
    seat.and_then(|seat| names.get(Seat(seat)).cloned())
        .unwrap_or_else(|| scalar(value))
}

/// Formats a value that has no parts.
pub fn scalar(value: &Value) -> String {
    match value {
        Value::Null => "–".into(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Converts a wire name to words.
pub fn words(name: &str) -> String {
    name.replace('_', " ")
}
