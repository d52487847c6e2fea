//! Sentences that describe events: those of the referee with players' names filled in, or sentences made from the event's JSON.

use arena_engine::seat::BySeat;
use serde_json::Value;

/// The character before a seat's number in a sentence. Both are replaced by the player's name.
const SEAT_MARK: char = '@';

/// Replaces each `@` with the number of a seat by the name of that seat.
pub fn with_names(sentence: &str, names: &BySeat<String>) -> String {
    let mut parts = sentence.split(SEAT_MARK);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.chars().take_while(char::is_ascii_digit).count();
        let seat: Option<usize> = part[..digits].parse().ok();
        match seat.and_then(|seat| names.iter().nth(seat)) {
            Some(name) => text += &format!("{name}{}", &part[digits..]),
            None => text += &format!("{SEAT_MARK}{part}"),
        }
    }
    text
}

/// Describes an event by its kind and its fields, as in `bid: seat 1, amount 3`.
pub fn of_event(event: &Value) -> String {
    let Some((kind, fields)) = event.as_object().and_then(|event| event.iter().next()) else {
        return event.to_string();
    };
    let fields = fields.as_object().into_iter().flatten();
    let fields: Vec<String> = fields
        .map(|(name, value)| format!("{name} {}", shown(value)))
        .collect();
    match fields.as_slice() {
        [] => kind.clone(),
        _ => format!("{kind}: {}", fields.join(", ")),
    }
}

fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn seats_become_names() {
        let names = BySeat::new(2, |seat| ["ann", "bob"][seat.index()].to_owned());
        let named = |sentence| with_names(sentence, &names);
        assert_eq!(named("@0 bids 3; @1 passes."), "ann bids 3; bob passes.");
        assert_eq!(named("@7 or a@b"), "@7 or a@b");
    }

    #[test]
    fn an_event_without_a_sentence_describes_itself() {
        assert_eq!(
            of_event(&json!({"bid": {"amount": 3, "suit": "red"}})),
            "bid: amount 3, suit red"
        );
        assert_eq!(of_event(&json!({"end": {}})), "end");
        assert_eq!(of_event(&json!([1])), "[1]");
    }
}
