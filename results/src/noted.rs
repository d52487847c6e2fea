//! Sums of the numbers in bots' notes, such as tokens or costs.

use std::collections::BTreeMap;

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use serde_json::{Map, Value};

/// Maximum number of sums per bot; further numbers are ignored.
const MAX_SUMS: usize = 8;
/// Maximum length of a number's name, in bytes; numbers with longer names are ignored.
const MAX_NAME_BYTES: usize = 20;

/// Sum of each number, by name.
pub type Sums = BTreeMap<String, f64>;

/// Returns the sums of the numbers in notes that are JSON objects, by bot. Reads only notes of bots with network access, because other bots
/// play too many matches to read all their notes.
pub fn sums(ledger: &Ledger) -> Result<BTreeMap<String, Sums>, LedgerError> {
    let bots = ledger
        .spec()
        .bots
        .iter()
        .filter(|bot| bot.program().is_some_and(|program| program.network));
    let mut all: BTreeMap<_, Sums> = bots.map(|bot| (bot.name.clone(), Sums::new())).collect();
    if all.is_empty() {
        return Ok(all);
    }
    ledger.each(|played| {
        for note in &played.notes {
            let sums = played
                .bots
                .get(note.seat.index())
                .and_then(|bot| all.get_mut(bot));
            sums.into_iter()
                .for_each(|sums| add(sums, serde_json::from_str(&note.text).unwrap_or_default()));
        }
        Ok::<_, LedgerError>(())
    })?;
    all.retain(|_, sums| !sums.is_empty());
    Ok(all)
}

fn add(sums: &mut Sums, fields: Map<String, Value>) {
    for (name, value) in fields {
        let is_summed =
            name.len() <= MAX_NAME_BYTES && (sums.len() < MAX_SUMS || sums.contains_key(&name));
        if let Some(number) = value.as_f64().filter(|_| is_summed) {
            *sums.entry(name).or_default() += number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_summed_and_a_flood_of_names_is_not() {
        let mut sums = Sums::new();
        for note in [
            r#"{"tokens":3,"cost":0.5,"why":"x","nested":{"a":1}}"#,
            r#"{"tokens":4}"#,
        ] {
            add(&mut sums, serde_json::from_str(note).unwrap());
        }
        assert_eq!(sums, [("cost".into(), 0.5), ("tokens".into(), 7.0)].into());
        let flood: Map<String, Value> = (0..1_000)
            .map(|number| (format!("n{number}"), number.into()))
            .collect();
        add(&mut sums, flood);
        add(
            &mut sums,
            [("n".repeat(MAX_NAME_BYTES + 1), 1.into())]
                .into_iter()
                .collect(),
        );
        assert_eq!((sums.len(), sums["tokens"]), (MAX_SUMS, 7.0));
    }
}
