//! What a person can know by counting, value by value, as forms show it.

use std::collections::BTreeMap;

use arena_engine::deduction::Deduction;
use arena_engine::form::{FieldKind, Form};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The most guesses that are taken apart.
const MOST: usize = 5_000;
/// The guesses by which it is found if order matters. If it seems not to matter, less is ruled out.
const TRIED: usize = 50;

/// The guesses that may be right, with their chances; a guess with a list or text as several, each with one value of it, as the pair
/// of its place and the value. None if they are too many, or nothing is counted.
pub fn possible<E, A>(known: &mut dyn Deduction<E, A>, forms: &[Form]) -> Vec<(Value, f64)>
where
    A: Serialize + DeserializeOwned,
{
    let guesses = known.guesses(MOST + 1);
    if guesses.len() > MOST {
        return Vec::new();
    }
    let guesses: Vec<Guess> = guesses.iter().filter_map(|(guess, chance)| Guess::new(json!(guess), *chance, forms)).collect();
    let mut matters = |guess: &Guess| {
        let reversed = guess.with(guess.values.iter().rev().cloned().collect());
        let reversed = serde_json::from_value(reversed).ok();
        reversed.and_then(|reversed| known.chance(&reversed)) != Some(guess.chance)
    };
    let is_ordered = guesses.iter().take(TRIED).any(&mut matters);
    let mut all = BTreeMap::<String, (Value, f64)>::new();
    for guess in &guesses {
        for part in guess.parts(is_ordered) {
            all.entry(part.to_string()).or_insert((part, 0.0)).1 += guess.chance;
        }
    }
    all.into_values().collect()
}

/// A guess, and the values of the list or text in it.
struct Guess {
    action: Value,
    chance: f64,
    /// Where the list or text stands, if there is one.
    at: Option<String>,
    values: Vec<Value>,
}

impl Guess {
    fn new(action: Value, chance: f64, forms: &[Form]) -> Option<Self> {
        let (name, fields) = action.as_object()?.iter().next()?;
        let form = forms.iter().find(|form| form.action == name)?;
        let listed = |kind| matches!(kind, FieldKind::Each | FieldKind::Text(_));
        let field = form.fields.iter().find(|field| listed(field.kind) && fields.get(field.name).is_some());
        let values = match field.map(|field| &fields[field.name]) {
            Some(Value::Array(values)) => values.clone(),
            Some(Value::String(text)) => text.chars().map(|letter| json!(letter)).collect(),
            _ => Vec::new(),
        };
        let at = field.map(|field| format!("/{name}/{}", field.name));
        Some(Self { action, chance, at, values })
    }

    /// The same with another list or text.
    fn with(&self, value: Value) -> Value {
        let mut action = self.action.clone();
        if let Some(place) = self.at.as_ref().and_then(|at| action.pointer_mut(at)) {
            *place = value;
        }
        action
    }

    /// It once for each value of its list or text, at its place or, if order does not matter, at all places.
    fn parts(&self, is_ordered: bool) -> Vec<Value> {
        if self.values.is_empty() {
            return vec![self.action.clone()];
        }
        let places = 0..self.values.len();
        let all = places.clone().flat_map(|from| places.clone().map(move |to| (from, to)));
        let kept = all.filter(|(from, to)| !is_ordered || from == to);
        kept.map(|(from, to)| self.with(json!([to, self.values[from]]))).collect()
    }
}
