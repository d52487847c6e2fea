//! Validates values against the JSON Schemas that the arena prints.
//!
//! Only the keywords used in these schemas are supported; any other fails. Unlike the standard, validation rejects undeclared fields.

use serde_json::{Map, Value};

/// A schema with its definitions.
pub struct Schema(Value);

/// Keywords that do not constrain a value, and text formats, which are not checked.
const REMARKS: &[&str] = &[
    "$schema",
    "$defs",
    "title",
    "description",
    "default",
    "format",
    "pattern",
];

impl Schema {
    /// Parses a schema.
    pub fn new(text: &str) -> Self {
        Self(serde_json::from_str(text).unwrap())
    }

    /// Validates a value. The error describes the problem and its location.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.fits(&self.0, value, "$")
    }

    /// Validates a value against the schema of a top-level field.
    pub fn check_part(&self, field: &str, value: &Value) -> Result<(), String> {
        self.fits(&self.0["properties"][field], value, "$")
    }

    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(place) => self.0.pointer(place.trim_start_matches('#')).unwrap(),
            None => schema,
        }
    }

    fn fits(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let Some(schema) = schema.as_object() else {
            return Ok(());
        };
        self.declared(schema, value, at)?;
        schema
            .iter()
            .try_for_each(|(keyword, rule)| self.follows(keyword, rule, schema, value, at))
    }

    /// Checks that every field of an object is declared.
    fn declared(&self, schema: &Map<String, Value>, value: &Value, at: &str) -> Result<(), String> {
        let (Some(fields), Some(known)) = (value.as_object(), schema.get("properties")) else {
            return Ok(());
        };
        let choices = ["oneOf", "anyOf"]
            .iter()
            .filter_map(|kind| schema.get(*kind)?.as_array())
            .flatten();
        let known: Vec<&Value> = choices
            .map(|choice| &self.resolve(choice)["properties"])
            .chain([known])
            .collect();
        match fields
            .keys()
            .find(|field| known.iter().all(|known| known.get(*field).is_none()))
        {
            Some(field) if schema.get("additionalProperties").is_none() => {
                Err(format!("{at}: {field} is not declared"))
            }
            _ => Ok(()),
        }
    }

    fn follows(
        &self,
        keyword: &str,
        rule: &Value,
        schema: &Map<String, Value>,
        value: &Value,
        at: &str,
    ) -> Result<(), String> {
        let that = |fits: bool| {
            if fits {
                Ok(())
            } else {
                Err(format!("{at}: {value} is against {keyword} {rule}"))
            }
        };
        let list = value.as_array();
        match keyword {
            "$ref" => self.fits(self.resolve(&Value::Object(schema.clone())), value, at),
            "type" => match rule {
                Value::Array(kinds) => that(kinds.iter().any(|kind| is(kind, value))),
                kind => that(is(kind, value)),
            },
            "const" => that(value == rule),
            "enum" => that(rule.as_array().unwrap().contains(value)),
            "minimum" => that(
                value
                    .as_f64()
                    .is_none_or(|number| number >= rule.as_f64().unwrap()),
            ),
            "maximum" => that(
                value
                    .as_f64()
                    .is_none_or(|number| number <= rule.as_f64().unwrap()),
            ),
            "minItems" => that(list.is_none_or(|list| list.len() as u64 >= rule.as_u64().unwrap())),
            "maxItems" => that(list.is_none_or(|list| list.len() as u64 <= rule.as_u64().unwrap())),
            "uniqueItems" => {
                let twice =
                    |list: &Vec<Value>| (1..list.len()).any(|nth| list[..nth].contains(&list[nth]));
                that(!rule.as_bool().unwrap() || !list.is_some_and(twice))
            }
            "items" => list
                .into_iter()
                .flatten()
                .try_for_each(|item| self.fits(rule, item, &format!("{at}[]"))),
            "properties" => {
                value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .try_for_each(|(name, field)| {
                        rule.get(name).map_or(Ok(()), |rule| {
                            self.fits(rule, field, &format!("{at}.{name}"))
                        })
                    })
            }
            "additionalProperties" if !rule.is_boolean() => {
                let own = |name: &String| {
                    schema
                        .get("properties")
                        .is_some_and(|known| known.get(name).is_some())
                };
                let others = value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .filter(|(name, _)| !own(name));
                others
                    .into_iter()
                    .try_for_each(|(name, field)| self.fits(rule, field, &format!("{at}.{name}")))
            }
            "propertyNames" => value
                .as_object()
                .into_iter()
                .flatten()
                .try_for_each(|(name, _)| {
                    self.fits(rule, &name.as_str().into(), &format!("{at}.{name}"))
                }),
            "required" => {
                let missing = rule
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|name| value.get(name.as_str().unwrap()).is_none());
                missing.map_or(Ok(()), |name| Err(format!("{at}: {name} is missing")))
            }
            "oneOf" | "anyOf" => {
                let choices = rule.as_array().unwrap();
                // Fields declared next to the choices do not belong to the choices.
                let part = |choice: &Value| without(value, schema, self.resolve(choice));
                let tried = choices
                    .iter()
                    .map(|choice| self.fits(choice, &part(choice), at));
                let wrong: Vec<String> = tried.filter_map(Result::err).collect();
                that(wrong.len() < choices.len())
                    .map_err(|why| format!("{why}: {}", wrong.join(" / ")))
            }
            "additionalProperties" => Ok(()),
            keyword if REMARKS.contains(&keyword) => Ok(()),
            keyword => panic!("{at}: the keyword {keyword} is not known here"),
        }
    }
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        kind => panic!("{kind} is no type"),
    }
}

/// Returns the value without the fields that the schema itself declares but the choice does not.
fn without(value: &Value, schema: &Map<String, Value>, choice: &Value) -> Value {
    let Some(own) = schema.get("properties") else {
        return value.clone();
    };
    let Some(fields) = value.as_object() else {
        return value.clone();
    };
    let stays = |name: &String| own.get(name).is_none() || choice["properties"].get(name).is_some();
    fields
        .iter()
        .filter(|(name, _)| stays(name))
        .map(|(name, field)| (name.clone(), field.clone()))
        .collect()
}
