//! Full export: one line of JSON per match, with its true events.

use arena_engine::chance::Seed;
use arena_engine::fault::{Cause, Fault};
use arena_engine::outcome::{Ended, Score};
use arena_engine::seat::{BySeat, Seat};
use arena_engine::table::Json;
use serde::Serialize;

use super::{ExportError, Replayed, With};
use arena_tournament::played::{Note, Times};

/// Line of the export, for one match.
#[derive(Serialize)]
struct MatchLine<'a> {
    id: &'a str,
    game: &'a str,
    rules_version: u32,
    rules: &'a Json,
    seed: Seed,
    deal: u32,
    seats: &'a [String],
    events: Vec<Json>,
    outcome: OutcomeLine<'a>,
    faults: Vec<FaultLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<&'a Times>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<&'a [Note]>,
}

#[derive(Serialize)]
struct OutcomeLine<'a> {
    seats: &'a BySeat<Score>,
    ended: Ended,
}

#[derive(Serialize)]
struct FaultLine<'a> {
    seat: Seat,
    bot: &'a str,
    cause: Cause,
    detail: String,
}

/// Formats a match as a line of JSON.
pub(super) fn line(replayed: &Replayed<'_>, with: With) -> Result<Vec<u8>, ExportError> {
    let Replayed {
        id,
        played,
        table,
        record,
        verdict,
        ..
    } = replayed;
    let line = MatchLine {
        id,
        game: &record.game,
        rules_version: record.rules_version,
        rules: &record.rules,
        seed: record.seed,
        deal: played.deal,
        seats: &played.bots,
        events: table.events(),
        outcome: OutcomeLine {
            seats: &verdict.outcome.seats,
            ended: verdict.ended,
        },
        faults: failed(&verdict.faults, &played.bots),
        times: with.times.then_some(&played.times),
        notes: with.notes.then_some(&played.notes),
    };
    let mut text = serde_json::to_vec(&line)?;
    text.push(b'\n');
    Ok(text)
}

fn failed<'a>(faults: &'a BySeat<Option<Fault>>, bots: &'a [String]) -> Vec<FaultLine<'a>> {
    let of = |(seat, fault): (Seat, &'a Option<Fault>)| {
        let fault = fault.as_ref()?;
        let bot = bots.get(seat.index()).map_or("", String::as_str);
        Some(FaultLine {
            seat,
            bot,
            cause: fault.cause(),
            detail: fault.to_string(),
        })
    };
    faults.seats().filter_map(of).collect()
}
