//! Parses actions from JSON text, and explains errors.

use serde_json::Value;

use super::by_name::ByName;
use super::flaw::flaw;
use crate::game::Vocabulary;

/// The error text of the JSON parser for a number that it cannot represent.
const OUT_OF_RANGE: &str = "number out of range";
/// The fallback explanation of an error for which there is no better one.
const OTHER_FORM: &str = "the action does not have the form of its kind";

/// Parses an action, matching fields by name only.
///
/// # Errors
/// An explanation in one sentence.
pub fn read<Action: Vocabulary>(text: &str) -> Result<Action, String> {
    match serde_json::from_str::<ByName<Action>>(text) {
        Ok(ByName(action)) => Ok(action),
        // Speed does not matter here: the seat forfeits with this action.
        Err(error) => Err(explain::<Action>(text, &error.to_string())),
    }
}

fn explain<Action: Vocabulary>(text: &str, error: &str) -> String {
    let value = match serde_json::from_str::<Value>(text) {
        Ok(value) => value,
        Err(error) if error.to_string().starts_with(OUT_OF_RANGE) => {
            return "a number in it is too large".into();
        }
        Err(_) => return "it is not JSON".into(),
    };
    let error = error
        .rsplit_once(" at line ")
        .map_or(error, |(error, _)| error);
    flaw::<Action>("the action", &value)
        .or_else(|| repeated_key(error))
        .unwrap_or_else(|| {
            if speaks_rust(error) {
                OTHER_FORM.to_owned()
            } else {
                error.to_owned()
            }
        })
}

/// Turns serde's duplicate-field error into a sentence.
fn repeated_key(error: &str) -> Option<String> {
    let key = error.strip_prefix("duplicate field `")?.strip_suffix('`')?;
    Some(format!("the key {key} appears twice"))
}

/// Returns `true` for error texts that mention Rust types.
fn speaks_rust(error: &str) -> bool {
    ["invalid ", "unknown ", "missing ", "expected "]
        .iter()
        .any(|word| error.starts_with(word))
}
