//! JSON Schemas as Markdown: a table with every field, its type and its meaning.

use serde_json::Value;

/// The head of the page with the JSON of all commands.
pub(super) const HEAD: &str = "# JSON

Most commands print their results as JSON with `--json`: one object, or one object per line where noted. This page lists every field. It is the
output of `arena schema --markdown`; `arena schema --of COMMAND` prints the same as a JSON Schema (2020-12), from which types can be generated. Both are
generated from the types in the program, and tests check real outputs against them.

- **`version`** is in every object that is printed alone, and is the same number for all commands. It rises when a field is removed, or changes its name, type or
  meaning. Fields may be added without that: ignore those you do not know.
- A field marked *optional* may be absent; every other field is present, if only as `null`.
- In paths, `[]` is an element of a list, and `*` any name. Integers are below 2^53. Bots have the names of the tournament file; matches have ids such as
  `d1/a/b`: the deal, then the bots in order of their seats.
- Scores are between 0 and 1: the half points won over those that could be won. Points are those of the game's rules page. Elo is logistic unless noted.
- Intervals are two ends, of 95 % unless noted: see [what the numbers mean](../results/STATISTICS.md).
- Prompts, actions and events are the game's: see [the protocol](../protocol/PROTOCOL.md), the rules pages, and `arena schema GAME`.
- Errors are never JSON. They are sentences on standard error, and the exit code is not 0. Some commands also exit with 1 for what they found, such as `arena check`
  with a failed step; their JSON is complete then.

`arena export` writes whole matches and tables for statistics; [another page](../results/EXPORT.md) describes them.
";

/// The table of a schema's fields, each before those in it.
pub(super) fn table(schema: &Value) -> String {
    let mut rows = "| field | type | meaning |\n|---|---|---|\n".to_owned();
    Root(schema).collect(schema, "", &mut rows);
    rows
}

/// A schema with the definitions that its parts refer to.
struct Root<'a>(&'a Value);

impl Root<'_> {
    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let place = schema["$ref"]
            .as_str()
            .map(|place| place.trim_start_matches('#'));
        place
            .and_then(|place| self.0.pointer(place))
            .unwrap_or(schema)
    }

    fn collect(&self, schema: &Value, path: &str, rows: &mut String) {
        let schema = self.resolve(schema);
        choices(schema).for_each(|choice| self.collect(choice, path, rows));
        if schema["items"].is_object() {
            self.collect(&schema["items"], &format!("{path}[]"), rows);
        }
        let join = |name: &str| {
            if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path}.{name}")
            }
        };
        let required = |name: &str| {
            schema["required"]
                .as_array()
                .is_some_and(|all| all.iter().any(|one| one == name))
        };
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let (path, kind) = (join(name), self.kind(field));
            let optional = if required(name) { "" } else { ", optional" };
            // The meaning of a choice with one field stands at the choice.
            let choice = schema["description"].as_str().unwrap_or_default();
            let meaning = Some(self.meaning(field))
                .filter(|own| !own.is_empty())
                .unwrap_or_else(|| choice.to_owned());
            let meaning = meaning.replace('\n', " ").replace('|', "\\|");
            *rows += &format!("| `{path}` | {kind}{optional} | {meaning} |\n");
            self.collect(field, &path, rows);
        }
        if schema["additionalProperties"].is_object() {
            self.collect(&schema["additionalProperties"], &join("*"), rows);
        }
    }

    /// The type of a value, in words.
    fn kind(&self, schema: &Value) -> String {
        let schema = self.resolve(schema);
        let mut kinds: Vec<String> = choices(schema).map(|choice| self.kind(choice)).collect();
        kinds.extend(schema["const"].as_str().map(|word| format!("`\"{word}\"`")));
        kinds.extend(list(&schema["enum"]).map(|word| format!("`{word}`")));
        if kinds.is_empty() {
            let names = schema["type"]
                .as_array()
                .map_or(std::slice::from_ref(&schema["type"]), Vec::as_slice);
            kinds = names
                .iter()
                .filter_map(Value::as_str)
                .map(|name| self.plain(name, schema))
                .collect();
        }
        kinds.dedup();
        if kinds.is_empty() {
            "any".into()
        } else {
            kinds.join(" or ")
        }
    }

    fn plain(&self, name: &str, schema: &Value) -> String {
        match name {
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
                (Value::Number(least), Value::Number(most)) => format!("{name} {least} … {most}"),
                (Value::Number(least), _) => format!("{name} ≥ {least}"),
                _ => name.to_owned(),
            },
            name => name.to_owned(),
        }
    }

    /// The meaning of a field, with those of the words that it takes.
    fn meaning(&self, field: &Value) -> String {
        let schema = self.resolve(field);
        let own = field["description"]
            .as_str()
            .or(schema["description"].as_str());
        own.map(str::to_owned)
            .into_iter()
            .chain(self.words(schema))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn words(&self, schema: &Value) -> Vec<String> {
        let word = |choice: &Value| match self.resolve(choice) {
            choice if choice["const"].is_string() => {
                let meaning = choice["description"].as_str().unwrap_or_default();
                vec![format!(
                    "`{}`: {meaning}",
                    choice["const"].as_str().unwrap_or_default()
                )]
            }
            choice => self.words(choice),
        };
        choices(schema).flat_map(word).collect()
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The alternatives of a schema.
fn choices(schema: &Value) -> impl Iterator<Item = &Value> {
    list(&schema["oneOf"]).chain(list(&schema["anyOf"]))
}
