//! Reads complete matches that the arena exported as JSON Lines.

use serde::Deserialize;

use super::lines::Lines;
use super::names::Identity;
use super::pool::{Game, Pool, Seat};

/// Maximum size of a match, in bytes.
const MAX_MATCH_BYTES: usize = 16 << 20;

/// Fields of an exported match that are read.
#[derive(Deserialize)]
struct Match {
    deal: u32,
    seats: Vec<String>,
    outcome: Outcome,
    faults: Vec<Fault>,
}

#[derive(Deserialize)]
struct Outcome {
    seats: Vec<Score>,
}

#[derive(Deserialize)]
struct Score {
    place: u8,
}

#[derive(Deserialize)]
struct Fault {
    seat: usize,
}

/// Reads all matches of a file into the pool, as deals of a series.
pub fn read(lines: &mut Lines, series: u32, pool: &mut Pool) -> Result<(), String> {
    let mut text = Vec::new();
    while let Some((begins, ends)) = lines.next()? {
        if begins {
            text.clear();
        }
        text.extend_from_slice(lines.piece());
        if text.len() > MAX_MATCH_BYTES {
            return Err(lines.wrong_at(lines.line(), "the line has more than 16 MiB"));
        }
        if ends && !text.trim_ascii().is_empty() {
            add(lines, &text, series, pool)?;
        }
    }
    Ok(())
}

fn add(lines: &Lines, text: &[u8], series: u32, pool: &mut Pool) -> Result<(), String> {
    let wrong = |what: &str| lines.wrong_at(lines.line(), what);
    let read: serde_json::Result<Match> = serde_json::from_slice(text);
    let played =
        read.map_err(|error| wrong(&format!("not a match as `arena export` writes it: {error}")))?;
    let count = played.seats.len();
    if count < 2 || count > usize::from(u8::MAX) || played.outcome.seats.len() != count {
        return Err(wrong(
            "the numbers of bots and of results differ, or are below 2",
        ));
    }
    let bot = |name: &String| pool.bot(Identity::of_name(name)).map_err(|why| wrong(&why));
    let bots: Vec<u32> = played.seats.iter().map(bot).collect::<Result<_, _>>()?;
    let seat = |(seat, score): (usize, &Score)| Seat {
        place: score.place,
        has_failed: played.faults.iter().any(|fault| fault.seat == seat),
        points: 0,
    };
    let seats: Vec<Seat> = played.outcome.seats.iter().enumerate().map(seat).collect();
    let game = Game {
        series,
        deal: played.deal,
        round: None,
        which: 0,
        day: None,
        bots: &bots,
        seats: &seats,
    };
    pool.add(&game).map_err(|why| wrong(&why))
}
