//! Smaller form of a replay for pages, in which steps share what does not change.

use serde_json::{Value, json};

use super::Replay;

/// Returns a smaller form of a replay, in which steps share what does not change. If nothing in an event is hidden from a seat, the seat's
/// copy is left out. If a list of a view only grew, only its new items are kept: `grown` holds the path of each such list within the view,
/// and the items. The script's `unpacked` reverses this.
pub fn packed(replay: &Replay) -> serde_json::Result<Value> {
    let mut all = serde_json::to_value(replay)?;
    let mut views = vec![json!({}); replay.bots.len()];
    for frame in all["frames"].as_array_mut().into_iter().flatten() {
        let shared = frame["all"].take();
        let seats = frame["seats"].as_array_mut().into_iter().flatten();
        for (seen, view) in seats.zip(&mut views) {
            let Some(seen) = seen.as_object_mut() else {
                continue;
            };
            seen.retain(|key, value| {
                key == "view" || shared.get(key).is_none_or(|same| same != value)
            });
            let mut grown = Vec::new();
            if let Some(Value::Object(changed)) = seen.get_mut("view") {
                changed.retain(|name, now| {
                    let mut added = Vec::new();
                    let is_grown = view.get(name).is_some_and(|before| {
                        growth(before, now, &mut vec![json!(name)], &mut added)
                    });
                    view[name.as_str()] = now.clone();
                    grown.extend(added.into_iter().filter(|_| is_grown));
                    !is_grown
                });
            }
            if !grown.is_empty() {
                seen.insert("grown".into(), Value::Array(grown));
            }
        }
        frame["all"] = shared;
    }
    Ok(all)
}

/// Returns true if a value differs from the one before only by new items at the ends of lists. Adds these items with the paths of their
/// lists.
fn growth(before: &Value, now: &Value, path: &mut Vec<Value>, added: &mut Vec<Value>) -> bool {
    let mut within = |key: Value, before: &Value, now: &Value| {
        path.push(key);
        let is_growth = growth(before, now, path, added);
        path.pop();
        is_growth
    };
    match (before, now) {
        (Value::Array(before), Value::Array(now)) if before.len() == now.len() => {
            let mut items = before.iter().zip(now).enumerate();
            items.all(|(nth, (before, now))| within(json!(nth), before, now))
        }
        (Value::Array(before), Value::Array(now)) if now.starts_with(before) => {
            added.push(json!([path, now[before.len()..]]));
            true
        }
        (Value::Object(before), Value::Object(now)) if before.len() == now.len() => {
            now.iter().all(|(key, now)| {
                before
                    .get(key)
                    .is_some_and(|before| within(json!(key), before, now))
            })
        }
        _ => before == now,
    }
}
