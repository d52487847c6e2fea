//! The options of a prompt for people, wherever they are asked: as the game declares them, with all values in words.

use arena_engine::form::{Field, FieldKind, Form};
use arena_engine::seat::{BySeat, Seat};
use serde::Serialize;
use serde_json::Value;

/// An option.
#[derive(Clone, Debug, Serialize)]
pub struct Offer {
    pub action: String,
    /// What it is called: the action, with all that is already decided.
    pub title: String,
    pub help: &'static str,
    pub inputs: Vec<Input>,
}

/// A field that is to be filled in.
#[derive(Clone, Debug, Serialize)]
pub struct Input {
    pub name: String,
    pub title: String,
    pub kind: FieldKind,
    /// The values that are offered: one list, or of [`FieldKind::Each`] one for each value.
    pub values: Vec<Vec<Choice>>,
    /// What a [`FieldKind::Group`] consists of.
    pub inputs: Vec<Input>,
}

/// A value that may be chosen.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    pub value: Value,
    pub text: String,
}

/// The options of a prompt: of each action, with a list of legal values in place of each value.
pub fn offers(prompt: &Value, forms: &[Form], names: &BySeat<String>) -> Vec<Offer> {
    let options = prompt.as_array().into_iter().flatten().filter_map(Value::as_object).flatten();
    options.map(|(action, legal)| Offer::new(action, legal, forms, names)).collect()
}

/// An action in words.
pub fn in_words(action: &Value, offers: &[Offer]) -> String {
    let Some((name, values)) = action.as_object().and_then(|action| action.iter().next()) else { return String::new() };
    let offer = offers
        .iter()
        .find(|offer| offer.action == *name && offer.inputs.iter().all(|input| input.allows(&values[&input.name])));
    let Some(offer) = offer else { return words(name) };
    let open = offer.inputs.iter().filter(|input| input.decided().is_none());
    let open = open.map(|input| input.in_words(&values[&input.name]));
    [offer.title.clone()].into_iter().chain(open).collect::<Vec<_>>().join(", ")
}

impl Offer {
    fn new(action: &str, legal: &Value, forms: &[Form], names: &BySeat<String>) -> Self {
        let form = forms.iter().find(|form| form.action == action);
        let inputs = inputs(form.map_or(&[], |form| form.fields), legal, names);
        let decided = inputs.iter().filter_map(Input::decided).map(|choice| choice.text.clone());
        let title = [words(action)].into_iter().chain(decided).collect::<Vec<_>>().join(" ");
        Self { action: action.to_owned(), title, help: form.map_or("", |form| form.help), inputs }
    }
}

/// The fields that a prompt offers, in the order in which they are declared.
fn inputs(fields: &[Field], legal: &Value, names: &BySeat<String>) -> Vec<Input> {
    fields.iter().filter_map(|field| Some(Input::new(field, legal.get(field.name)?, names))).collect()
}

impl Input {
    fn new(field: &Field, legal: &Value, names: &BySeat<String>) -> Self {
        let choices = |legal: &Value| {
            let choice = |value: &Value| Choice { value: value.clone(), text: text(value, field.kind, names) };
            legal.as_array().into_iter().flatten().map(choice).collect()
        };
        let (values, inner) = match field.kind {
            FieldKind::Group(fields) => (Vec::new(), inputs(fields, legal, names)),
            FieldKind::Each => (legal.as_array().into_iter().flatten().map(choices).collect(), Vec::new()),
            FieldKind::List | FieldKind::Player | FieldKind::Place(_) | FieldKind::Text(_) => {
                (vec![choices(legal)], Vec::new())
            }
        };
        Self { name: field.name.to_owned(), title: words(field.name), kind: field.kind, values, inputs: inner }
    }

    /// The only value that it can have.
    pub fn decided(&self) -> Option<&Choice> {
        match (self.kind, self.values.as_slice()) {
            (FieldKind::List | FieldKind::Player | FieldKind::Place(_), [values]) if values.len() == 1 => {
                values.first()
            }
            _ => None,
        }
    }

    fn allows(&self, value: &Value) -> bool {
        match self.kind {
            FieldKind::List | FieldKind::Player | FieldKind::Place(_) => {
                self.values.iter().flatten().any(|choice| choice.value == *value)
            }
            FieldKind::Each | FieldKind::Text(_) | FieldKind::Group(_) => true,
        }
    }

    fn in_words(&self, value: &Value) -> String {
        let known = |value: &Value| {
            let choice = self.values.iter().flatten().find(|choice| choice.value == *value);
            choice.map_or_else(|| scalar(value), |choice| choice.text.clone())
        };
        let value = match (value, self.kind) {
            (Value::Object(_), _) => {
                return self
                    .inputs
                    .iter()
                    .map(|input| input.in_words(&value[&input.name]))
                    .collect::<Vec<_>>()
                    .join(", ");
            }
            (Value::Array(values), _) => values.iter().map(known).collect::<Vec<_>>().join(" "),
            (value, FieldKind::Player) => return known(value),
            (value, _) => known(value),
        };
        format!("{} {value}", self.title)
    }
}

/// A value in words; a player by its name.
fn text(value: &Value, kind: FieldKind, names: &BySeat<String>) -> String {
    let seat = value.as_u64().filter(|_| matches!(kind, FieldKind::Player)).and_then(|seat| u8::try_from(seat).ok());
    seat.and_then(|seat| names.get(Seat(seat)).cloned()).unwrap_or_else(|| scalar(value))
}

/// A value without parts.
pub fn scalar(value: &Value) -> String {
    match value {
        Value::Null => "–".into(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A name of the wire in words.
pub fn words(name: &str) -> String {
    name.replace('_', " ")
}
