//! The view of a table as lines of text, for whatever game: its fields by name, with the names of the seats.

use arena_engine::form::Players;
use arena_engine::seat::{BySeat, Seat};
use serde_json::{Map, Value};

use arena_runner::offer::scalar;

/// The players of a match: their names, and the fields of views that concern them.
pub struct Table {
    pub names: BySeat<String>,
    pub players: Players,
}

/// The lines of a view.
pub fn lines(view: &Value, table: &Table) -> Vec<String> {
    // Whose view it is, its reader knows.
    let fields = || {
        view.as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| *name != "seat")
    };
    let width = fields()
        .map(|(name, _)| name.len())
        .max()
        .unwrap_or_default();
    let mut lines = Vec::new();
    for (name, value) in fields() {
        for (number, row) in rows(name, value, table).into_iter().enumerate() {
            let label = if number == 0 {
                name.replace('_', " ")
            } else {
                String::new()
            };
            lines.push(format!("  {label:width$}  {row}").trim_end().to_owned());
        }
    }
    lines
}

/// A field of a view: one line, or one for each of its parts.
fn rows(name: &str, value: &Value, table: &Table) -> Vec<String> {
    let Value::Array(parts) = value else {
        return vec![inline(name, value, table)];
    };
    let names = &table.names;
    let width = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or_default();
    if table.players.by_seat.contains(&name) && parts.len() == names.len() {
        if parts.iter().all(Value::is_number) {
            let each = names
                .iter()
                .zip(parts)
                .map(|(seat, part)| format!("{seat} {part}"));
            return vec![each.collect::<Vec<_>>().join(", ")];
        }
        let of_seat = |(seat, part): (&String, &Value)| {
            let label = |number| if number == 0 { seat.as_str() } else { "" };
            let rows = rows("", part, table).into_iter().enumerate();
            rows.map(|(number, row)| format!("{:width$}  {row}", label(number)))
                .collect::<Vec<_>>()
        };
        return names.iter().zip(parts).flat_map(of_seat).collect();
    }
    if parts.iter().any(Value::is_object) {
        return parts.iter().map(|part| inline("", part, table)).collect();
    }
    vec![inline(name, value, table)]
}

/// A value in one line.
fn inline(name: &str, value: &Value, table: &Table) -> String {
    match value {
        Value::Array(parts) if parts.is_empty() => "none".into(),
        Value::Array(parts) => parts
            .iter()
            .map(|part| inline(name, part, table))
            .collect::<Vec<_>>()
            .join(" "),
        Value::Object(fields) => row(fields).unwrap_or_else(|| {
            let field = |(name, value): (&String, &Value)| {
                let inline = inline(name, value, table);
                let colon = if value.is_object() { ":" } else { "" };
                format!("{}{colon} {inline}", name.replace('_', " "))
                    .trim_end()
                    .to_owned()
            };
            fields.iter().map(field).collect::<Vec<_>>().join(", ")
        }),
        _ => with_name(name, value, table),
    }
}

/// Two lists, of which the second holds places in the first: the first, with what is in no such place in brackets.
fn row(fields: &Map<String, Value>) -> Option<String> {
    let lists: Vec<&Vec<Value>> = fields.values().map_while(Value::as_array).collect();
    let [all, places] = lists[..] else {
        return None;
    };
    let places: Vec<u64> = places.iter().map(Value::as_u64).collect::<Option<_>>()?;
    let is_row = fields.len() == 2
        && !all.iter().any(Value::is_number)
        && places.iter().all(|at| *at < all.len() as u64);
    let one = |(value, at): (&Value, u64)| {
        let value = scalar(value);
        if places.contains(&at) {
            value
        } else {
            format!("[{value}]")
        }
    };
    is_row.then(|| all.iter().zip(0..).map(one).collect::<Vec<_>>().join(" "))
}

/// A value without parts; a seat with the name of who sits there.
fn with_name(field: &str, value: &Value, table: &Table) -> String {
    let seat = value
        .as_u64()
        .filter(|_| table.players.seat.contains(&field))
        .and_then(|seat| u8::try_from(seat).ok());
    match seat.and_then(|seat| table.names.get(Seat(seat))) {
        Some(name) => format!("{value} ({name})"),
        None => scalar(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_view_is_told_by_its_fields() {
        let names = BySeat::new(2, |seat| ["me", "rival"][seat.index()].to_owned());
        let table = Table {
            names,
            players: Players {
                seat: &["first"],
                by_seat: &["codes", "guesses", "points"],
            },
        };
        let row = |panels: Value, standing: Value| json!({"panels": panels, "standing": standing});
        let codes = json!([
            row(json!(["D1", "L4"]), json!([0])),
            row(json!(["D?", "L?"]), json!([0, 1]))
        ]);
        let guesses =
            json!([[{"code": [1, 2], "pins": {"black": 0, "white": 1}}, {"code": [2, 1]}], []]);
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
        assert_eq!(lines(&view, &table), expected);
    }
}
