//! A reader of the JSON Schemas that the arena prints: whether a value follows one, and the fields that one has.
//!
//! It knows the keywords that these schemas hold, and fails on any other. Other than the standard it takes no field that is not
//! declared.

use serde_json::{Map, Value};

/// A schema with its definitions.
pub struct Schema(Value);

/// A field of a schema.
#[derive(Debug)]
pub struct Field {
    /// Its path: `standings[].rank`; `*` stands for any name.
    pub path: String,
    /// Its type in words.
    pub kind: String,
    /// Its description, with those of the words that it takes.
    pub meaning: String,
}

/// The keywords that say nothing of a value.
const REMARKS: &[&str] = &["$schema", "$defs", "title", "description", "format"];

impl Schema {
    /// Reads a schema.
    pub fn new(text: &str) -> Self {
        Self(serde_json::from_str(text).unwrap())
    }

    /// What is wrong with a value, with its place.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.fits(&self.0, value, "$")
    }

    /// What the whole is.
    pub fn about(&self) -> &str {
        self.0["description"].as_str().unwrap()
    }

    /// All fields, each before those in it.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        self.collect(&self.0, "", &mut fields);
        fields
    }

    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(place) => self.0.pointer(place.trim_start_matches('#')).unwrap(),
            None => schema,
        }
    }

    fn fits(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let Some(schema) = schema.as_object() else { return Ok(()) };
        self.declared(schema, value, at)?;
        schema.iter().try_for_each(|(keyword, rule)| self.follows(keyword, rule, schema, value, at))
    }

    /// That every field of an object is declared.
    fn declared(&self, schema: &Map<String, Value>, value: &Value, at: &str) -> Result<(), String> {
        let (Some(fields), Some(known)) = (value.as_object(), schema.get("properties")) else { return Ok(()) };
        let choices = ["oneOf", "anyOf"].iter().filter_map(|kind| schema.get(*kind)?.as_array()).flatten();
        let known: Vec<&Value> = choices.map(|choice| &self.resolve(choice)["properties"]).chain([known]).collect();
        match fields.keys().find(|field| known.iter().all(|known| known.get(*field).is_none())) {
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
        let that = |fits: bool| if fits { Ok(()) } else { Err(format!("{at}: {value} is against {keyword} {rule}")) };
        let list = value.as_array();
        match keyword {
            "$ref" => self.fits(self.resolve(&Value::Object(schema.clone())), value, at),
            "type" => match rule {
                Value::Array(kinds) => that(kinds.iter().any(|kind| is(kind, value))),
                kind => that(is(kind, value)),
            },
            "const" => that(value == rule),
            "enum" => that(rule.as_array().unwrap().contains(value)),
            "minimum" => that(value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap())),
            "maximum" => that(value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap())),
            "minItems" => that(list.is_none_or(|list| list.len() as u64 >= rule.as_u64().unwrap())),
            "maxItems" => that(list.is_none_or(|list| list.len() as u64 <= rule.as_u64().unwrap())),
            "items" => list.into_iter().flatten().try_for_each(|item| self.fits(rule, item, &format!("{at}[]"))),
            "properties" => value.as_object().into_iter().flatten().try_for_each(|(name, field)| {
                rule.get(name).map_or(Ok(()), |rule| self.fits(rule, field, &format!("{at}.{name}")))
            }),
            "additionalProperties" if !rule.is_boolean() => {
                let own = |name: &String| schema.get("properties").is_some_and(|known| known.get(name).is_some());
                let others = value.as_object().into_iter().flatten().filter(|(name, _)| !own(name));
                others.into_iter().try_for_each(|(name, field)| self.fits(rule, field, &format!("{at}.{name}")))
            }
            "propertyNames" => value
                .as_object()
                .into_iter()
                .flatten()
                .try_for_each(|(name, _)| self.fits(rule, &name.as_str().into(), &format!("{at}.{name}"))),
            "required" => {
                let missing = rule.as_array().unwrap().iter().find(|name| value.get(name.as_str().unwrap()).is_none());
                missing.map_or(Ok(()), |name| Err(format!("{at}: {name} is missing")))
            }
            "oneOf" | "anyOf" => {
                let choices = rule.as_array().unwrap();
                // What is declared beside the choices is not part of them.
                let part = |choice: &Value| without(value, schema, self.resolve(choice));
                let tried = choices.iter().map(|choice| self.fits(choice, &part(choice), at));
                let wrong: Vec<String> = tried.filter_map(Result::err).collect();
                that(wrong.len() < choices.len()).map_err(|why| format!("{why}: {}", wrong.join(" / ")))
            }
            "additionalProperties" => Ok(()),
            keyword if REMARKS.contains(&keyword) => Ok(()),
            keyword => panic!("{at}: the keyword {keyword} is not known here"),
        }
    }

    fn collect(&self, schema: &Value, path: &str, fields: &mut Vec<Field>) {
        let schema = self.resolve(schema);
        for kind in ["oneOf", "anyOf"] {
            schema[kind].as_array().into_iter().flatten().for_each(|choice| self.collect(choice, path, fields));
        }
        if schema["items"].is_object() {
            self.collect(&schema["items"], &format!("{path}[]"), fields);
        }
        let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let required = schema["required"].as_array().is_some_and(|all| all.contains(&name.as_str().into()));
            let kind = self.kind(field) + if required { "" } else { ", or left out" };
            let path = join(name);
            // What a choice with one field means stands at the choice.
            let meaning = match self.meaning(field) {
                own if own.is_empty() => schema["description"].as_str().unwrap_or_default().to_owned(),
                own => own,
            };
            let meaning = meaning.replace('\n', " ");
            fields.push(Field { path: path.clone(), kind, meaning });
            self.collect(field, &path, fields);
        }
        if schema["additionalProperties"].is_object() {
            self.collect(&schema["additionalProperties"], &join("*"), fields);
        }
    }

    /// The type of a field, in words.
    fn kind(&self, schema: &Value) -> String {
        let schema = self.resolve(schema);
        let choices = ["oneOf", "anyOf"].iter().filter_map(|kind| schema[*kind].as_array()).flatten();
        let mut kinds: Vec<String> = choices.map(|choice| self.kind(choice)).collect();
        kinds.extend(schema["const"].as_str().map(|word| format!("`\"{word}\"`")));
        kinds.extend(schema["enum"].as_array().into_iter().flatten().map(|word| format!("`{word}`")));
        if kinds.is_empty() {
            let types = schema["type"].as_array().map_or(std::slice::from_ref(&schema["type"]), Vec::as_slice);
            kinds = types.iter().filter_map(Value::as_str).map(|kind| self.plain(kind, schema)).collect();
        }
        kinds.dedup();
        if kinds.is_empty() { "any".into() } else { kinds.join(" or ") }
    }

    fn plain(&self, kind: &str, schema: &Value) -> String {
        match kind {
            "array" => match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
                (Some(least), Some(most)) if least == most => {
                    format!("list of {least}: {}", self.kind(&schema["items"]))
                }
                _ => format!("list: {}", self.kind(&schema["items"])),
            },
            "object" if schema["additionalProperties"].is_object() => {
                format!("object of {}", self.kind(&schema["additionalProperties"]))
            }
            "integer" | "number" => match (&schema["minimum"], &schema["maximum"]) {
                (Value::Number(least), Value::Number(most)) => format!("{kind} {least} … {most}"),
                (Value::Number(least), _) => format!("{kind} ≥ {least}"),
                _ => kind.to_owned(),
            },
            kind => kind.to_owned(),
        }
    }

    /// What a field means, and the words that it takes.
    fn meaning(&self, field: &Value) -> String {
        let schema = self.resolve(field);
        let own = field["description"].as_str().or(schema["description"].as_str()).unwrap_or_default();
        let words = self.words(schema);
        if words.is_empty() { own.to_owned() } else { format!("{own} {}", words.join(" ")) }
    }

    fn words(&self, schema: &Value) -> Vec<String> {
        let choices = ["oneOf", "anyOf"].iter().filter_map(|kind| schema[*kind].as_array()).flatten();
        let word = |choice: &Value| {
            let choice = self.resolve(choice);
            let word =
                choice["const"].as_str().map(|word| format!("`{word}`: {}", choice["description"].as_str().unwrap()));
            word.map_or_else(|| self.words(choice), |word| vec![word])
        };
        choices.flat_map(word).collect()
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

/// A value without the fields that a schema declares by itself, and a choice in it does not.
fn without(value: &Value, schema: &Map<String, Value>, choice: &Value) -> Value {
    let Some(own) = schema.get("properties") else { return value.clone() };
    let Some(fields) = value.as_object() else { return value.clone() };
    let stays = |name: &String| own.get(name).is_none() || choice["properties"].get(name).is_some();
    fields.iter().filter(|(name, _)| stays(name)).map(|(name, field)| (name.clone(), field.clone())).collect()
}
