//! Advice on illegal actions, based on the prompt that they answer.

use arena_engine::table::Json;
use serde_json::{Map, Value};

/// Maximum length of a quoted action, in characters.
const MAX_QUOTE_CHARS: usize = 120;
/// Fix for lists in place of objects.
const PHP: &str = "; [] is a list, an empty object is {} (in PHP: new stdClass)";

/// Returns the action in a line that answers a turn, or `None` if it cannot be read.
pub fn action(line: &str) -> Option<Value> {
    serde_json::from_str::<Value>(line)
        .ok()?
        .get("action")
        .cloned()
}

/// Describes what an action lacks, and the smallest legal answer.
pub fn help(prompt: &Json, action: &Value) -> Option<String> {
    let options: Vec<Map<String, Value>> = serde_json::from_str(prompt.as_str()).ok()?;
    let kind = |option: &Map<String, Value>| option.keys().next().cloned();
    let written = action.as_object().and_then(kind);
    let meant = options.iter().filter(|option| kind(option) == written);
    let fields = written.as_ref().and_then(|kind| action.get(kind));
    let flaws = |option: &Map<String, Value>| flaws(option.values().next(), fields);
    let nearest = meant.min_by_key(|option| flaws(option).len());
    let (flaw, option) = match (nearest, &written) {
        (Some(option), _) => (flaws(option).into_iter().next()?, option),
        (None, Some(kind)) => {
            let mut kinds: Vec<&String> = options.iter().flat_map(Map::keys).collect();
            kinds.dedup();
            let kinds: Vec<String> = kinds.into_iter().map(|kind| format!("{kind:?}")).collect();
            (
                format!("{kind:?} is not offered, but {}", kinds.join(", ")),
                options.first()?,
            )
        }
        (None, None) => (
            "the action must be an object with exactly one key".into(),
            options.first()?,
        ),
    };
    let right = smallest(&Value::Object(option.clone()));
    let php = if has_empty_list(action) { PHP } else { "" };
    let text = action.to_string();
    let more = if text.chars().nth(MAX_QUOTE_CHARS).is_some() {
        "…"
    } else {
        ""
    };
    let text: String = text.chars().take(MAX_QUOTE_CHARS).collect();
    Some(format!(
        "{flaw}: it wrote {text}{more}; a right answer is, for example, {right}{php}"
    ))
}

/// Returns the flaws in the fields of an action, compared with an option of its kind.
fn flaws(offered: Option<&Value>, written: Option<&Value>) -> Vec<String> {
    let (Some(offered), Some(written)) = (offered.and_then(Value::as_object), written) else {
        return Vec::new();
    };
    let Some(written) = written.as_object() else {
        return vec!["its values must be in an object".into()];
    };
    let missing = offered.keys().filter(|key| !written.contains_key(*key));
    let mut flaws: Vec<String> = missing.map(|key| format!("{key:?} is missing")).collect();
    flaws.extend(offered.iter().filter_map(|(key, legal)| {
        let value = written.get(key)?;
        (!is_offered(legal, value)).then(|| format!("{key:?} has a value that is not offered"))
    }));
    flaws
}

/// Returns `true` if a value is in the list of legal ones. For a list of lists, the value must hold one item from each. A list of long
/// texts holds only samples, so any text of the same length is accepted.
fn is_offered(legal: &Value, value: &Value) -> bool {
    let Some(legal) = legal.as_array() else {
        return false;
    };
    let is_list = legal.first().is_some_and(Value::is_array);
    match (value, legal.first()) {
        (Value::Array(values), _) if is_list => {
            let mut pairs = legal.iter().zip(values);
            values.len() == legal.len() && pairs.all(|(legal, value)| is_offered(legal, value))
        }
        (Value::String(text), Some(Value::String(sample))) if text.len() > 2 => {
            text.len() == sample.len() || legal.contains(value)
        }
        _ => legal.contains(value),
    }
}

/// Returns the option with the first value of each list.
fn smallest(option: &Value) -> Value {
    match option {
        Value::Array(values) if values.first().is_some_and(Value::is_array) => {
            values.iter().map(smallest).collect()
        }
        Value::Array(values) => values.first().cloned().unwrap_or_default(),
        Value::Object(fields) => {
            let each = fields
                .iter()
                .map(|(key, value)| (key.clone(), smallest(value)));
            Value::Object(each.collect())
        }
        other => other.clone(),
    }
}

fn has_empty_list(action: &Value) -> bool {
    match action {
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.values().any(has_empty_list),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_right_answer_stands_beside_what_was_written() {
        let attack = r#"[{"attack":{"seat":[1],"position":[0,2],"face":["0","1"]}},{"stop":{}}]"#;
        let right = r#"{"attack":{"face":"0","position":0,"seat":1}}"#;
        for (prompt, written, flaw, right) in [
            (
                attack,
                r#"{"attack":[1,0,"0"]}"#,
                "its values must be in an object",
                right,
            ),
            (
                attack,
                r#"{"attack":{"seat":1,"position":0}}"#,
                "\"face\" is missing",
                right,
            ),
            (
                attack,
                r#"{"attack":{"seat":1,"position":0,"face":1}}"#,
                "\"face\" has a value that is not",
                right,
            ),
            (
                attack,
                r#"{"attack":{"seat":1,"position":1,"face":"1"}}"#,
                "\"position\" has a value",
                right,
            ),
            (
                attack,
                r#"{"stop":[]}"#,
                "its values must be in an object: it wrote {\"stop\":[]};",
                r#"{"stop":{}}; [] is a list"#,
            ),
            (
                attack,
                r#"{"draw":{}}"#,
                "\"draw\" is not offered, but \"attack\", \"stop\"",
                right,
            ),
            (
                attack,
                r#""stop""#,
                "the action must be an object with exactly one key",
                right,
            ),
            (
                r#"[{"guess":{"code":[[1,2],[1,2]]}}]"#,
                r#"{"guess":{"code":[1,3]}}"#,
                "\"code\" has a value",
                r#"{"guess":{"code":[1,1]}}"#,
            ),
        ] {
            let action = serde_json::from_str(written).unwrap();
            let said = help(&serde_json::from_str(prompt).unwrap(), &action).unwrap();
            assert!(
                said.starts_with(flaw) && said.contains(&format!("for example, {right}")),
                "{written}: {said}"
            );
        }
        let legal =
            serde_json::from_str(r#"{"attack":{"seat":1,"position":2,"face":"1"}}"#).unwrap();
        assert_eq!(help(&serde_json::from_str(attack).unwrap(), &legal), None);
    }
}
