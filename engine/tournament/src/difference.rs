//! Lists the differences between two descriptions, key by key.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::entrant::Entrant;
use crate::spec::Spec;

/// The name of the current description in the output.
const NOW: &str = "now";

/// Returns a line for each key in which the current tournament differs from the one in the folder. The anchor, the limits, the isolation
/// and the local settings are not compared, because no result depends on them.
pub fn differences(folder: &Spec, now: &Spec) -> Vec<String> {
    differences_between([folder, now], ["in the folder", NOW])
}

/// Like [`differences`], for any two descriptions. `places` holds the words that name the two.
pub fn differences_between([first, second]: [&Spec; 2], places: [&str; 2]) -> Vec<String> {
    let mut lines = Vec::new();
    differ("", [&fields(first), &fields(second)], places, &mut lines);
    for old in &first.bots {
        let new = second.bots.iter().find(|new| new.name == old.name);
        new.into_iter()
            .for_each(|new| differ_in_bot(old, new, places, &mut lines));
    }
    differ_in_names([first.names(), second.names()], places, &mut lines);
    lines
}

/// Adds a line for the bots that only one side has, and a line if the common bots are in a different order.
fn differ_in_names(
    [old, new]: [Vec<String>; 2],
    [there, here]: [&str; 2],
    lines: &mut Vec<String>,
) {
    let parted = |these: &[String], others: &[String]| -> (Vec<String>, Vec<String>) {
        these
            .iter()
            .cloned()
            .partition(|name| others.contains(name))
    };
    let ((kept, gone), (stayed, added)) = (parted(&old, &new), parted(&new, &old));
    let only = |place| format!("only {place}");
    let [is_new, is_gone] = if here == NOW {
        ["new".into(), "gone".into()]
    } else {
        [only(here), only(there)]
    };
    for (names, what) in [(added, is_new), (gone, is_gone)] {
        let verb = if names.len() == 1 { "is" } else { "are" };
        lines.extend(
            (!names.is_empty()).then(|| format!("bots: {} {verb} {what}", names.join(", "))),
        );
    }
    if kept != stayed {
        lines.push("the order of the bots differs".into());
    }
}

/// Reduces the current description to the deals, rounds and bots of an earlier one that it may extend.
pub fn unextended(mut now: Spec, before: &Spec) -> Spec {
    now.plan.deals = before.plan.deals;
    if now.plan.format.name() == before.plan.format.name() {
        now.plan.format = before.plan.format.clone();
    }
    if now.names().starts_with(&before.names()) {
        now.bots.truncate(before.bots.len());
    }
    for (bot, old) in now.bots.iter_mut().zip(&before.bots) {
        bot.withdrawn = old.withdrawn;
    }
    now
}

/// Returns everything that is compared, except the bots, by key of the tournament file.
fn fields(spec: &Spec) -> Map<String, Value> {
    let (plan, clock) = (&spec.plan, &spec.conditions.clock);
    let all = json!({
        "name": spec.name, "game": plan.game, "rules_version": plan.rules_version, "rules": plan.rules,
        "format": plan.format.name(), "compare": plan.test, "tune": spec.tune, "seats": plan.seats, "deals": plan.deals, "seed": plan.seed,
        "seatings": spec.field().orders(),
        "move_ms": clock.move_ms, "bank_ms": clock.bank_ms, "increment_ms": clock.increment_ms, "start_ms": clock.start_ms,
    });
    let Value::Object(mut all) = all else {
        return Map::new();
    };
    all.extend(plan.format.options());
    all
}

/// Adds a line for each difference between two bots of the same name.
fn differ_in_bot(old: &Entrant, new: &Entrant, [there, here]: [&str; 2], lines: &mut Vec<String>) {
    let name = &old.name;
    let (was, is) = (old.bot.to_string(), new.bot.to_string());
    if was != is {
        lines.push(format!("bot {name}: {was} {there}, {is} {here}"));
        return;
    }
    for (old, new) in old
        .own_files()
        .zip(new.own_files())
        .filter(|(old, new)| old.sha256 != new.sha256)
    {
        let (was, is) = (short(&old.sha256), short(&new.sha256));
        lines.push(format!(
            "bot {name}: {} has changed (SHA-256 {was}… {there}, {is}… {here})",
            old.file
        ));
    }
    let (was, is) = (old.own_files().count(), new.own_files().count());
    if was != is {
        lines.push(format!(
            "bot {name}: its command names {was} files {there}, {is} {here}"
        ));
    }
    if old.clock != new.clock {
        lines.push(format!("bot {name}: it has another clock"));
    }
    match (old.withdrawn, new.withdrawn) {
        (old, new) if old == new => {}
        (None, _) => lines.push(format!("bot {name}: it is withdrawn {here}")),
        _ => lines.push(format!("bot {name}: it is withdrawn {there}")),
    }
}

/// Returns the first digits of a hash.
fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// Compares two objects entry by entry, and nested objects recursively.
fn differ(
    path: &str,
    [old, new]: [&Map<String, Value>; 2],
    places: [&str; 2],
    lines: &mut Vec<String>,
) {
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let [there, here] = places;
    for key in keys {
        match (old.get(key), new.get(key)) {
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                differ(&format!("{path}{key}."), [old, new], places, lines);
            }
            (old, new) if old == new => {}
            (old, new) => lines.push(format!(
                "{path}{key}: {} {there}, {} {here}",
                shown(old),
                shown(new)
            )),
        }
    }
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None => "nothing".into(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}
