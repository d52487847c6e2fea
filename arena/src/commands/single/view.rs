//! The view of a table as lines of text, for whatever game: its fields by name, with the names of the seats.

use arena_engine::seat::{BySeat, Seat};
use serde_json::{Map, Value};

/// The fields that have a value for each seat.
const BY_SEAT: &[&str] = &["codes", "guesses", "points", "racks", "wins", "wrong"];

/// The lines of a view.
pub fn lines(view: &Value, names: &BySeat<String>) -> Vec<String> {
    // Whose view it is, its reader knows.
    let fields = || view.as_object().into_iter().flatten().filter(|(name, _)| *name != "seat");
    let width = fields().map(|(name, _)| name.len()).max().unwrap_or_default();
    let mut lines = Vec::new();
    for (name, value) in fields() {
        for (number, row) in rows(name, value, names).into_iter().enumerate() {
            let label = if number == 0 { name.replace('_', " ") } else { String::new() };
            lines.push(format!("  {label:width$}  {row}").trim_end().to_owned());
        }
    }
    lines
}

/// A field of a view: one line, or one for each of its parts.
fn rows(name: &str, value: &Value, names: &BySeat<String>) -> Vec<String> {
    let Value::Array(parts) = value else { return vec![inline(name, value, names)] };
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    if BY_SEAT.contains(&name) && parts.len() == names.len() {
        if parts.iter().all(Value::is_number) {
            let each = names.iter().zip(parts).map(|(seat, part)| format!("{seat} {part}"));
            return vec![each.collect::<Vec<_>>().join(", ")];
        }
        let of_seat = |(seat, part): (&String, &Value)| {
            let label = |number| if number == 0 { seat.as_str() } else { "" };
            let rows = rows("", part, names).into_iter().enumerate();
            rows.map(|(number, row)| format!("{:width$}  {row}", label(number))).collect::<Vec<_>>()
        };
        return names.iter().zip(parts).flat_map(of_seat).collect();
    }
    if parts.iter().any(Value::is_object) {
        return parts.iter().map(|part| inline("", part, names)).collect();
    }
    vec![inline(name, value, names)]
}

/// A value, or an action, in one line.
pub fn inline(name: &str, value: &Value, names: &BySeat<String>) -> String {
    match value {
        Value::Array(parts) if parts.is_empty() => "none".into(),
        Value::Array(parts) => parts.iter().map(|part| inline(name, part, names)).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => row_of_panels(fields).unwrap_or_else(|| {
            let field = |(name, value): (&String, &Value)| {
                let inline = inline(name, value, names);
                let colon = if value.is_object() { ":" } else { "" };
                format!("{}{colon} {inline}", name.replace('_', " ")).trim_end().to_owned()
            };
            fields.iter().map(field).collect::<Vec<_>>().join(", ")
        }),
        _ => with_name(name, value, names),
    }
}

/// A row of panels of which some still stand: the others are shown in brackets.
fn row_of_panels(fields: &Map<String, Value>) -> Option<String> {
    let [panels, standing] = ["panels", "standing"].map(|name| fields.get(name).and_then(Value::as_array));
    let (panels, standing) = (panels?, standing?);
    let panel = |(at, panel): (usize, &Value)| {
        let panel = scalar(panel);
        if standing.iter().any(|one| one.as_u64() == Some(at as u64)) { panel } else { format!("[{panel}]") }
    };
    Some(panels.iter().enumerate().map(panel).collect::<Vec<_>>().join(" "))
}

/// A value without parts; a seat with the name of who sits there.
pub fn with_name(field: &str, value: &Value, names: &BySeat<String>) -> String {
    let is_seat = ["seat", "first", "master", "solving"].contains(&field);
    let seat = value.as_u64().filter(|_| is_seat).and_then(|seat| u8::try_from(seat).ok());
    match seat.and_then(|seat| names.get(Seat(seat))) {
        Some(name) => format!("{value} ({name})"),
        None => scalar(value),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_view_is_told_by_its_fields() {
        let names = BySeat::new(2, |seat| ["me", "rival"][seat.index()].to_owned());
        let row = |panels: Value, standing: Value| json!({"panels": panels, "standing": standing});
        let codes = json!([row(json!(["D1", "L4"]), json!([0])), row(json!(["D?", "L?"]), json!([0, 1]))]);
        let guesses = json!([[{"code": [1, 2], "pins": {"black": 0, "white": 1}}, {"code": [2, 1]}], []]);
        let view = json!({
            "seat": 0, "codes": codes, "guesses": guesses, "points": [3, 0], "aside": null, "first": 1, "last_chance": false,
        });
        let expected = [
            "  aside        –",
            "  codes        me     D1 [L4]",
            "               rival  D? L?",
            "  first        1 (rival)",
            "  guesses      me     code 1 2, pins: black 0, white 1",
            "                      code 2 1",
            "               rival  none",
            "  last chance  no",
            "  points       me 3, rival 0",
        ];
        assert_eq!(lines(&view, &names), expected);
    }
}
