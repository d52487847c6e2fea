//! Compares the form of a value with its schema, and explains the difference in terms of JSON.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Maximum length of a quoted value, in characters.
const MAX_QUOTED_CHARS: usize = 40;

/// Explains how the form of a value differs from that of a `T`, such as `"attack" needs an object with the keys seat, position, face`.
/// Returns `None` if the form is right and the error must lie elsewhere.
pub fn flaw<T: JsonSchema>(name: &str, value: &Value) -> Option<String> {
    let settings = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    flaw_by(
        settings
            .into_generator()
            .into_root_schema_for::<T>()
            .as_value(),
        name,
        value,
    )
}

fn flaw_by(schema: &Value, name: &str, value: &Value) -> Option<String> {
    let needs = |wanted: &str, found: &str| Some(format!("{name} needs {wanted}, not {found}"));
    if value.is_null() && allows_null(schema) {
        return None;
    }
    if let Some(words) = words(schema) {
        let wanted = || needs(&format!("one of {}", words.join(", ")), &shown(value));
        return if words.contains(&value.to_string()) {
            None
        } else {
            wanted()
        };
    }
    if let Some(kinds) = schema["oneOf"].as_array() {
        return kind(kinds, name, value);
    }
    match schema["type"]
        .as_str()
        .or_else(|| schema["type"][0].as_str())
    {
        Some("object") => fields(schema, name, value),
        Some("array") => match value.as_array() {
            Some(items) if fits(items.len(), schema, ["minItems", "maxItems"]) => items
                .iter()
                .find_map(|item| flaw_by(&schema["items"], &format!("each value of {name}"), item)),
            _ => needs(&list(schema), &shown(value)),
        },
        Some("integer") if !is_whole(value, schema) => needs(&number(schema), &shown(value)),
        Some("string") if !value.is_string() => needs("a text in quotes", &shown(value)),
        _ => None,
    }
}

/// Checks an object whose single key names the kind of the value.
fn kind(kinds: &[Value], name: &str, value: &Value) -> Option<String> {
    fn key(kind: &Value) -> &str {
        kind["required"][0].as_str().unwrap_or_default()
    }
    let names: Vec<&str> = kinds.iter().map(key).collect();
    let wanted = match &names[..] {
        [only] => format!("{name} needs an object with the key {only}"),
        _ => format!(
            "{name} needs an object with one key of these: {}",
            names.join(", ")
        ),
    };
    let fields = value.as_object().filter(|fields| fields.len() == 1);
    let Some((found, inner)) = fields.and_then(|fields| fields.iter().next()) else {
        return Some(format!("{wanted}; not {}", shown(value)));
    };
    match kinds.iter().find(|kind| key(kind) == found) {
        Some(kind) => flaw_by(&kind["properties"][found], &format!("\"{found}\""), inner),
        None => Some(format!(
            "{wanted}; not {}",
            shown(&Value::from(found.as_str()))
        )),
    }
}

/// Checks an object with fixed keys.
fn fields(schema: &Value, name: &str, value: &Value) -> Option<String> {
    let none = Map::new();
    let known = schema["properties"].as_object().unwrap_or(&none);
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let Some(fields) = value.as_object() else {
        let optional = known
            .keys()
            .map(String::as_str)
            .filter(|key| !required.contains(key));
        let keys: Vec<&str> = required.iter().copied().chain(optional).collect();
        return Some(match &keys[..] {
            [] => format!("{name} needs an empty object, {{}}, not {}", shown(value)),
            [only] => format!(
                "{name} needs an object with the key {only}, not {}",
                shown(value)
            ),
            _ => format!(
                "{name} needs an object with the keys {}, not {}",
                keys.join(", "),
                shown(value)
            ),
        });
    };
    if let Some(missing) = required.iter().find(|key| !fields.contains_key(**key)) {
        return Some(format!("{name} lacks the key {missing}"));
    }
    fields
        .iter()
        .filter(|(key, _)| known.contains_key(*key))
        .find_map(|(key, value)| {
            flaw_by(
                &schema["properties"][key],
                &format!("{key} in {name}"),
                value,
            )
        })
}

/// Returns the strings that a schema allows, as JSON; `None` if the schema does not list them.
fn words(schema: &Value) -> Option<Vec<String>> {
    if let Some(words) = schema["enum"].as_array() {
        return Some(words.iter().map(Value::to_string).collect());
    }
    let constant = |kind: &Value| kind.get("const").map(Value::to_string);
    schema["oneOf"].as_array()?.iter().map(constant).collect()
}

fn allows_null(schema: &Value) -> bool {
    schema["type"]
        .as_array()
        .is_some_and(|types| types.iter().any(|kind| kind == "null"))
}

fn is_whole(value: &Value, schema: &Value) -> bool {
    let at_least = |least: &Value| {
        least
            .as_i64()
            .is_none_or(|least| value.as_i64().is_none_or(|value| value >= least))
    };
    let at_most = |most: &Value| {
        most.as_u64()
            .is_none_or(|most| value.as_u64().is_none_or(|value| value <= most))
    };
    (value.is_u64() || value.is_i64())
        && at_least(&schema["minimum"])
        && at_most(&schema["maximum"])
}

fn fits(length: usize, schema: &Value, [least, most]: [&str; 2]) -> bool {
    schema[least]
        .as_u64()
        .is_none_or(|least| length as u64 >= least)
        && schema[most]
            .as_u64()
            .is_none_or(|most| length as u64 <= most)
}

/// Describes a list in words.
fn list(schema: &Value) -> String {
    match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
        (Some(least), Some(most)) if least == most => format!("a list of {most} values"),
        (_, Some(most)) => format!("a list of at most {most} values"),
        _ => "a list".into(),
    }
}

/// Describes an integer in words. Bounds that only reflect the size of the integer type are not mentioned.
fn number(schema: &Value) -> String {
    match (
        schema["format"].as_str(),
        &schema["minimum"],
        schema["maximum"].as_u64(),
    ) {
        (Some("uint8" | "uint16"), ..) => "a whole number, one of those offered".into(),
        (_, least, Some(most)) => format!("a whole number from {least} to {most}"),
        _ => "a whole number".into(),
    }
}

/// Returns the JSON text of a value, truncated if it is long.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    let more = if text.chars().nth(MAX_QUOTED_CHARS).is_some() {
        "…"
    } else {
        ""
    };
    text.chars().take(MAX_QUOTED_CHARS).collect::<String>() + more
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::{
        coda::Coda, code_777::Code777, crack_the_code::CrackTheCode, digit_code::DigitCode,
    };

    fn check<G: Game>(action: &str, sentence: &str) {
        let value = serde_json::from_str(action).unwrap();
        assert_eq!(
            flaw::<G::Action>("the action", &value).unwrap_or_default(),
            sentence,
            "{action}"
        );
    }

    #[test]
    fn what_is_wrong_is_said_in_the_words_of_json() {
        let kinds = "the action needs an object with one key of these: set_up, place_dashes, place, draw, attack, stop, expose";
        check::<Coda>("7", &format!("{kinds}; not 7"));
        check::<Coda>(
            r#"{"stop":{},"place":{}}"#,
            &format!(r#"{kinds}; not {{"place":{{}},"stop":{{}}}}"#),
        );
        check::<Coda>(
            r#"{"guess":{"code":[1]}}"#,
            &format!(r#"{kinds}; not "guess""#),
        );
        check::<Coda>(
            r#"{"attack":[1,0,"0"]}"#,
            r#""attack" needs an object with the keys seat, position, face, not [1,0,"0"]"#,
        );
        check::<Coda>(
            r#"{"stop":[]}"#,
            r#""stop" needs an empty object, {}, not []"#,
        );
        check::<Coda>(
            r#"{"attack":{"seat":1,"position":0}}"#,
            r#""attack" lacks the key face"#,
        );
        check::<Coda>(
            r#"{"attack":{"seat":1,"position":300,"face":"0"}}"#,
            r#"position in "attack" needs a whole number, one of those offered, not 300"#,
        );
        check::<Coda>(
            r#"{"attack":{"seat":1,"position":0,"face":0}}"#,
            r#"face in "attack" needs a text in quotes, not 0"#,
        );
        check::<Coda>(
            r#"{"draw":{"colour":"red"}}"#,
            r#"colour in "draw" needs one of "dark", "light", not "red""#,
        );
        check::<Coda>(r#"{"place_dashes":{"dark":null}}"#, "");
        check::<Code777>(
            r#"{"declare":{"numbers":[1,2]}}"#,
            r#""numbers" needs a list of 3 values, not [1,2]"#,
        );
        check::<Code777>(
            r#"{"declare":{"numbers":[1,2,"3"]}}"#,
            r#"each value of "numbers" needs a whole number, one of those offered, not "3""#,
        );
        check::<Code777>(
            r#"{"declare":[1,2,3]}"#,
            r#""declare" needs an object with one key of these: numbers, cards; not [1,2,3]"#,
        );
        check::<CrackTheCode>(
            r#"{"guess":{"code":"11223"}}"#,
            r#"code in "guess" needs a list of at most 8 values, not "11223""#,
        );
        check::<DigitCode>(
            r#"{"ask_larger":{"pair":"TY"}}"#,
            r#"pair in "ask_larger" needs one of "TU", "UV", "WX", "XY", "TW", "UX", "VY", not "TY""#,
        );
    }
}
