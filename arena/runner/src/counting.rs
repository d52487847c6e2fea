//! Counts the hidden possibilities that remain for a person, by the values that the forms offer.

use std::collections::BTreeMap;

use arena_engine::form::{FieldKind, Form};
use arena_engine::table::Knowledge;
use serde_json::{Value, json};

/// Maximum number of guesses that are split into values.
const MAX_GUESSES: usize = 5_000;
/// Maximum number of guesses with which the program tests if the order of values matters. If it misses that, fewer values are ruled out.
const MAX_TRIED: usize = 50;

/// Returns the guesses that may be right, with their probabilities. A guess with a list or text is split into one entry per value, each a
/// pair of the position and the value. Empty if there are too many guesses, or if the game cannot count.
pub fn possible(known: &mut dyn Knowledge, forms: &[Form]) -> Vec<(Value, f64)> {
    let guesses = known.guesses(MAX_GUESSES + 1);
    if guesses.len() > MAX_GUESSES {
        return Vec::new();
    }
    let guesses: Vec<Guess> = guesses
        .iter()
        .filter_map(|(guess, chance)| Guess::new(guess.value(), *chance, forms))
        .collect();
    let mut matters = |guess: &Guess| {
        let reversed = guess.with(guess.values.iter().rev().cloned().collect());
        known.chance(&reversed.to_string()) != Some(guess.chance)
    };
    let is_ordered = guesses.iter().take(MAX_TRIED).any(&mut matters);
    let mut all = BTreeMap::<String, (Value, f64)>::new();
    for guess in &guesses {
        for part in guess.parts(is_ordered) {
            all.entry(part.to_string()).or_insert((part, 0.0)).1 += guess.chance;
        }
    }
    all.into_values().collect()
}

/// A guess, with the values of its list or text.
struct Guess {
    action: Value,
    chance: f64,
    /// JSON pointer to the list or text within the guess, if it has one.
    at: Option<String>,
    values: Vec<Value>,
}

impl Guess {
    fn new(action: Value, chance: f64, forms: &[Form]) -> Option<Self> {
        let (name, fields) = action.as_object()?.iter().next()?;
        let form = forms.iter().find(|form| form.action == name)?;
        let listed = |kind| matches!(kind, FieldKind::Each | FieldKind::Text(_));
        let field = form
            .fields
            .iter()
            .find(|field| listed(field.kind) && fields.get(field.name).is_some());
        let values = match field.map(|field| &fields[field.name]) {
            Some(Value::Array(values)) => values.clone(),
            Some(Value::String(text)) => text.chars().map(|letter| json!(letter)).collect(),
            _ => Vec::new(),
        };
        let at = field.map(|field| format!("/{name}/{}", field.name));
        Some(Self {
            action,
            chance,
            at,
            values,
        })
    }

    /// Returns the action with its list or text replaced.
    fn with(&self, value: Value) -> Value {
        let mut action = self.action.clone();
        if let Some(place) = self.at.as_ref().and_then(|at| action.pointer_mut(at)) {
            *place = value;
        }
        action
    }

    /// Returns the action once for each value of its list or text. The value stands at its own position or, if order does not matter, at
    /// every position.
    fn parts(&self, is_ordered: bool) -> Vec<Value> {
        if self.values.is_empty() {
            return vec![self.action.clone()];
        }
        let places = 0..self.values.len();
        let all = places
            .clone()
            .flat_map(|from| places.clone().map(move |to| (from, to)));
        let kept = all.filter(|(from, to)| !is_ordered || from == to);
        kept.map(|(from, to)| self.with(json!([to, self.values[from]])))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use arena_engine::game::Game;
    use arena_engine::games::code_777::Code777;
    use arena_engine::games::crack_the_code::CrackTheCode;
    use arena_engine::seat::Seat;

    use super::*;

    fn possible_after<G: Game>(seats: usize, events: &[Value]) -> Vec<(Value, f64)> {
        let mut known = G::deduction(&G::Rules::default(), seats, Seat(0)).unwrap();
        events
            .iter()
            .for_each(|event| known.see(&serde_json::from_value(event.clone()).unwrap()));
        possible(&mut known, G::FORMS)
    }

    #[test]
    fn a_code_is_taken_apart_place_by_place() {
        let event = json!({"guessed": {"seat": 0, "code": [1, 1, 2, 2, 3], "pins": {"black": 1, "white": 0}}});
        let parts = possible_after::<CrackTheCode>(2, &[event]);
        let chance = |place: usize, colour: u8| {
            let part = json!({"guess": {"code": [place, colour]}});
            parts
                .iter()
                .find(|(other, _)| *other == part)
                .map_or(0.0, |(_, chance)| *chance)
        };
        assert_eq!(
            [chance(0, 2), chance(2, 1), chance(4, 1)],
            [0.0; 3],
            "a colour of the guess is right where it was, or nowhere"
        );
        assert!(chance(0, 1) > 0.0 && chance(4, 3) > 0.0 && chance(0, 4) > 0.0);
        let sum: f64 = (1..=8).map(|colour| chance(0, colour)).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn where_order_does_not_matter_a_value_that_can_be_can_stand_at_any_place() {
        let dealt = json!({"dealt": {"seat": 0, "rack": null}});
        let others = json!({"dealt": {"seat": 1, "rack": ["N4", "N4", "N4"]}});
        let parts = possible_after::<Code777>(2, &[dealt, others]);
        let at = |place: u8, number: u8| {
            parts
                .iter()
                .any(|(part, _)| *part == json!({"declare": {"numbers": [place, number]}}))
        };
        assert!(
            (0..3).all(|place| at(place, 1) && at(place, 7)),
            "{parts:?}"
        );
    }
}
