//! Exports for other programs: every match with its true events as JSON lines, and every seat's result as CSV.

use std::io::{self, Write};

use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_engine::outcome::{Cause, Ended, Fault, Score};
use arena_engine::seat::{BySeat, Seat};
use serde::Serialize;

use crate::csv;
use crate::ledger::{Ledger, LedgerError};
use crate::played::{Note, Played, Times, id};
use crate::replay::{ReplayError, replay};
use crate::scored::Scored;
use crate::wdl;

/// Why an export fails.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The program does not have the game.
    #[error("this program does not know the game {0:?}")]
    Game(String),
    /// A match does not replay.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A line cannot be written as JSON.
    #[error("match {id} cannot be written: {error}")]
    Json {
        /// The match.
        id: String,
        /// What is wrong.
        error: serde_json::Error,
    },
    /// The output takes no more.
    #[error("cannot write the export: {0}")]
    Write(#[from] io::Error),
}

/// What else to put in each line; both differ from one run of a tournament to the next.
#[derive(Clone, Copy, Debug, Default)]
pub struct With {
    /// How long matches and moves took.
    pub times: bool,
    /// What bots noted on their moves.
    pub notes: bool,
}

/// Writes one JSON object a line for each match, in order of deals and bots, with all that happened, replayed from its
/// record. Without extras, the same matches give the same bytes.
pub fn jsonl(ledger: &Ledger, with: With, out: &mut dyn Write) -> Result<(), ExportError> {
    let game = &ledger.tournament().game;
    let lines = Lines { ledger, with, out };
    games::visit(game, lines).unwrap_or_else(|| Err(ExportError::Game(game.clone())))
}

/// Writes one row for each seat of each match, in order of deals and bots.
pub fn csv(ledger: &Ledger, out: &mut dyn Write) -> Result<(), ExportError> {
    let game = &ledger.tournament().game;
    games::visit(game, Rows { ledger, out }).unwrap_or_else(|| Err(ExportError::Game(game.clone())))
}

/// A match in a line of the export.
#[derive(Serialize)]
struct Line<'a, Rules, Event> {
    id: &'a str,
    game: &'a str,
    rules_version: u32,
    rules: &'a Rules,
    seed: Seed,
    deal: u32,
    seats: &'a [String],
    events: &'a [Event],
    outcome: Ending<'a>,
    faults: Vec<Failed<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<&'a Times>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<&'a [Note]>,
}

#[derive(Serialize)]
struct Ending<'a> {
    seats: &'a BySeat<Score>,
    ended: Ended,
}

#[derive(Serialize)]
struct Failed<'a> {
    seat: Seat,
    bot: &'a str,
    cause: Cause,
    detail: &'a str,
}

struct Lines<'a> {
    ledger: &'a Ledger,
    with: With,
    out: &'a mut dyn Write,
}

impl Visitor for Lines<'_> {
    type Out = Result<(), ExportError>;
    fn visit<G: Game>(self) -> Self::Out {
        self.ledger.each(|played| write_line::<G>(&played, self.with, self.out))
    }
}

fn write_line<G: Game>(played: &Played, with: With, out: &mut dyn Write) -> Result<(), ExportError> {
    let finished = replay::<G>(played)?;
    let line = Line {
        id: &played.id(),
        game: &finished.record.game,
        rules_version: finished.record.rules_version,
        rules: &finished.record.rules,
        seed: finished.record.seed,
        deal: played.deal,
        seats: &played.bots,
        events: &finished.events,
        outcome: Ending { seats: &finished.verdict.outcome.seats, ended: finished.verdict.ended },
        faults: failed(&finished.verdict.faults, &played.bots),
        times: with.times.then_some(&played.times),
        notes: with.notes.then_some(&played.notes),
    };
    let mut text = serde_json::to_vec(&line).map_err(|error| ExportError::Json { id: played.id(), error })?;
    text.push(b'\n');
    Ok(out.write_all(&text)?)
}

fn failed<'a>(faults: &'a BySeat<Option<Fault>>, bots: &'a [String]) -> Vec<Failed<'a>> {
    let of = |(seat, fault): (Seat, &'a Option<Fault>)| {
        let Fault { cause, detail } = fault.as_ref()?;
        let bot = bots.get(seat.index()).map_or("", String::as_str);
        Some(Failed { seat, bot, cause: *cause, detail })
    };
    faults.seats().filter_map(of).collect()
}

struct Rows<'a> {
    ledger: &'a Ledger,
    out: &'a mut dyn Write,
}

impl Visitor for Rows<'_> {
    type Out = Result<(), ExportError>;
    fn visit<G: Game>(self) -> Self::Out {
        let sources: Vec<&str> = G::SCORING.iter().map(|source| source.name).collect();
        let mut header = vec!["id", "deal", "seat", "bot", "place", "points"];
        header.extend(&sources);
        header.extend(["result", "fault"]);
        self.out.write_all(csv::line(header.iter().map(|name| (*name).into())).as_bytes())?;
        let names: Vec<&str> = self.ledger.tournament().bots.iter().map(|bot| bot.name.as_str()).collect();
        self.ledger.scores(|scored| write_rows(&scored, &names, self.out))
    }
}

fn write_rows(scored: &Scored, names: &[&str], out: &mut dyn Write) -> Result<(), ExportError> {
    let bots: Vec<&str> = scored.bots.iter().map(|bot| names[*bot]).collect();
    let id = id(scored.deal, &bots);
    for (seat, (score, bot)) in scored.seats.iter().zip(bots).enumerate() {
        let mut cells = vec![
            csv::text(&id),
            scored.deal.to_string(),
            seat.to_string(),
            csv::text(bot),
            score.place.to_string(),
            score.points.to_string(),
        ];
        cells.extend(score.counts.iter().map(i32::to_string));
        cells.push(wdl::in_match(&scored.seats, seat).to_string());
        cells.push(score.fault.map(|cause| cause.to_string()).unwrap_or_default());
        out.write_all(csv::line(cells).as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::sample;

    fn ledger(folder: &std::path::Path, change: impl Fn(&mut Played)) -> Ledger {
        let (tournament, mut played) = sample::small();
        played.iter_mut().for_each(change);
        let mut ledger = Ledger::create(folder, &tournament, "").unwrap();
        played.iter().rev().for_each(|one| ledger.append(std::slice::from_ref(one)).unwrap());
        ledger
    }

    fn lines(with: With, change: impl Fn(&mut Played)) -> Result<String, ExportError> {
        let folder = tempfile::tempdir().unwrap();
        let mut out = Vec::new();
        jsonl(&ledger(folder.path(), change), with, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn the_same_matches_give_the_same_bytes_whatever_the_clock_said() {
        let first = lines(With::default(), |_| {}).unwrap();
        let again = lines(With::default(), |played| played.times.wall_us += u64::from(played.deal)).unwrap();
        assert_eq!(first, again);
        let with = With { times: true, notes: true };
        assert_ne!(lines(with, |_| {}).unwrap(), lines(with, |played| played.times.wall_us += 1).unwrap());
    }

    #[test]
    fn lines_hold_what_happened() {
        let all = lines(With::default(), |_| {}).unwrap();
        let lines: Vec<Value> = all.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[2]["id"], "d1/ann/bob");
        assert_eq!(lines[2]["seats"], serde_json::json!(["ann", "bob"]));
        assert_eq!(lines[2]["outcome"]["ended"], "forfeit");
        let fault = serde_json::json!({"seat": 1, "bot": "bob", "cause": "crash", "detail": "it ended with status 1"});
        assert_eq!(lines[2]["faults"], serde_json::json!([fault]));
        assert!(lines[0]["events"].as_array().unwrap().len() > 10);
        assert!(lines[0].get("times").is_none() && lines[0].get("notes").is_none());
    }

    #[test]
    fn a_ledger_that_contradicts_a_record_is_told() {
        let error = lines(With::default(), |played| {
            if played.id() == "d0/bob/ann" {
                let verdict = serde_json::to_string(&played.verdict).unwrap();
                let wrong = verdict.replacen("\"hits\":", "\"hits\":9", 1);
                played.verdict = serde_json::from_str(&wrong).unwrap();
            }
        });
        let told = error.unwrap_err().to_string();
        assert!(told.starts_with("match d0/bob/ann: the record ends with seat 0 in place"), "{told}");
        let error = lines(With::default(), |played| played.record.truncate(30)).unwrap_err().to_string();
        assert!(error.starts_with("match d0/ann/bob: the record cannot be read"), "{error}");
    }

    #[test]
    fn rows_hold_every_seat() {
        let folder = tempfile::tempdir().unwrap();
        let mut out = Vec::new();
        csv(&ledger(folder.path(), |_| {}), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 9);
        assert_eq!(rows[0], "id,deal,seat,bot,place,points,hits,exposures,round_wins,bonus,result,fault");
        assert!(rows[5].starts_with("d1/ann/bob,1,0,ann,1,") && rows[5].ends_with(",win,"), "{}", rows[5]);
        assert!(rows[6].starts_with("d1/ann/bob,1,1,bob,2,") && rows[6].ends_with(",loss,crash"), "{}", rows[6]);
    }
}
