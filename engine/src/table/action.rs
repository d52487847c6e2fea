//! Reading an action from JSON text, and saying what is wrong with it.

use serde_json::Value;

use super::by_name::ByName;
use super::flaw::flaw;
use crate::game::Vocabulary;

/// The error of a reader of JSON at a number that it cannot hold.
const OUT_OF_RANGE: &str = "number out of range";
/// The sentence for an action of which nothing more is known.
const OTHER_FORM: &str = "the action does not have the form of its kind";

/// Reads an action by the names of its values.
///
/// # Errors
/// What is wrong with it, in a sentence.
pub fn read<Action: Vocabulary>(text: &str) -> Result<Action, String> {
    match serde_json::from_str::<ByName<Action>>(text) {
        Ok(ByName(action)) => Ok(action),
        // This may take its time: it is the seat's last action in this match.
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

/// Returns a sentence for the error of a key that stands twice in an object.
fn repeated_key(error: &str) -> Option<String> {
    let key = error.strip_prefix("duplicate field `")?.strip_suffix('`')?;
    Some(format!("the key {key} appears twice"))
}

/// Returns true for errors in words of the program's own types.
fn speaks_rust(error: &str) -> bool {
    ["invalid ", "unknown ", "missing ", "expected "]
        .iter()
        .any(|word| error.starts_with(word))
}
