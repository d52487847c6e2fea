//! Bodies of ledgers of format 3, in which a fault was its kind and its sentence.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Result;
use serde_json::value::{RawValue, to_raw_value};

/// The fields of an object, their values as they were written.
type Fields<'a> = BTreeMap<&'a str, Box<RawValue>>;

/// Rewrites the text of a body as it is written today.
pub fn upgrade_body(text: &[u8]) -> Result<Vec<u8>> {
    let mut body: Fields<'_> = serde_json::from_slice(text)?;
    change(&mut body, "verdict", upgrade_verdict)?;
    change(&mut body, "record", |record| {
        let record: String = serde_json::from_str(record)?;
        to_raw_value(&upgrade_record(&record)?)
    })?;
    serde_json::to_vec(&body)
}

fn upgrade_verdict(verdict: &str) -> Result<Box<RawValue>> {
    let mut verdict: Fields<'_> = serde_json::from_str(verdict)?;
    change(&mut verdict, "faults", |faults| {
        let faults: Vec<Option<Box<RawValue>>> = serde_json::from_str(faults)?;
        let faults = faults.into_iter().map(|fault| fault.map(|earlier| Earlier { earlier }));
        to_raw_value(&faults.collect::<Vec<_>>())
    })?;
    to_raw_value(&verdict)
}

fn upgrade_record(record: &str) -> Result<String> {
    let mut record: Fields<'_> = serde_json::from_str(record)?;
    change(&mut record, "replies", |replies| {
        let mut replies: Vec<(u8, Box<RawValue>)> = serde_json::from_str(replies)?;
        for (_, reply) in &mut replies {
            if reply.get().starts_with("{\"failed\"") {
                let failed: BTreeMap<String, Box<RawValue>> = serde_json::from_str(reply.get())?;
                let failed = failed.into_iter().map(|(key, fault)| (key, Earlier { earlier: fault }));
                *reply = to_raw_value(&failed.collect::<BTreeMap<_, _>>())?;
            }
        }
        to_raw_value(&replies)
    })?;
    serde_json::to_string(&record)
}

/// A fault of which no more is known than what the old ledger keeps.
#[derive(Serialize)]
struct Earlier {
    earlier: Box<RawValue>,
}

/// Changes one field, if it is there.
fn change(fields: &mut Fields<'_>, name: &str, with: impl FnOnce(&str) -> Result<Box<RawValue>>) -> Result<()> {
    if let Some(value) = fields.get_mut(name) {
        *value = with(value.get())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use arena_engine::fault::Cause;
    use arena_engine::games::coda::Coda;
    use arena_engine::seat::Seat;

    use super::*;
    use arena_tournament::played::Played;
    use crate::replay::replay;

    /// A match in which a bot crashed at its first turn, written by the last version with that format.
    const BODY: &str = include_str!("v3_body.json");

    #[test]
    fn a_body_of_format_3_can_be_read_and_replayed() {
        let body = upgrade_body(BODY.as_bytes()).unwrap();
        let played: Played = serde_json::from_slice(&body).unwrap();
        let fault = played.verdict.faults[Seat(1)].clone().unwrap();
        assert_eq!((fault.cause(), fault.to_string()), (Cause::Crash, "exited with code 3".into()));
        let finished = replay::<Coda>(&played).unwrap();
        assert_eq!(finished.verdict, played.verdict);
    }
}
