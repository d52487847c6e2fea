//! The stored form of a match: a short row with its result, enough for standings, ratings and all statistics, and the match itself as
//! compressed JSON. The record in it is the game's own, and is not looked into.

use std::io;

use arena_engine::chance::Seed;
use arena_engine::fault::Cause;
use arena_engine::seat::Seat;
use arena_tournament::deals::{Scored, Seated};
use arena_tournament::played::{Played, Times};
use arena_tournament::spec::Spec;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe;

use crate::error::LedgerError;
use crate::file::FILE;
use crate::replay::game;

/// Where a match stands among the rows: the bots in their seats, as indices. Compared as bytes, keys are in the order of
/// the bots.
pub fn key(bots: &[usize]) -> Vec<u8> {
    bots.iter()
        .flat_map(|bot| (*bot as u16).to_be_bytes())
        .collect()
}

/// The bots of a key.
pub fn bots(key: &[u8]) -> Vec<usize> {
    key.chunks_exact(2)
        .map(|pair| usize::from(u16::from_be_bytes([pair[0], pair[1]])))
        .collect()
}

/// The causes of forfeits, by the numbers that rows have for them: one more than their places here, and 0 for none.
const CAUSES: [Cause; 5] = [
    Cause::Time,
    Cause::Crash,
    Cause::Illegal,
    Cause::Protocol,
    Cause::Withdrawn,
];

/// The result of a match as bytes.
pub fn seats(played: &Played) -> Vec<u8> {
    let transcript = crc32fast::hash(played.record.as_str().as_bytes());
    let number = |cause: Option<Cause>| {
        let place = CAUSES.iter().position(|other| Some(*other) == cause);
        place.map_or(0, |place| place as i32 + 1)
    };
    let row = |seat: Seated| {
        let mut row = vec![seat.place.into(), seat.points, number(seat.fault)];
        row.extend(seat.counts);
        row
    };
    let seats = Seated::all(&played.verdict).into_iter().map(row);
    let seats: Vec<Vec<i32>> = seats.collect();
    // Only a type that cannot be written would fail.
    serde_json::to_vec(&(transcript, seats)).expect("seats are numbers and lists")
}

/// Reads a row, if its sum is right.
pub fn scored(
    deal: u32,
    key: &[u8],
    seats: &[u8],
    record: i64,
    sum: u32,
) -> Result<Scored, LedgerError> {
    let damaged = || LedgerError::Damaged(format!("a row of deal {deal}"));
    if sum != self::sum(deal, key, seats, record) {
        return Err(damaged());
    }
    let (transcript, rows): (u32, Vec<Vec<i32>>) =
        serde_json::from_slice(seats).map_err(|_| damaged())?;
    let seated = |row: &Vec<i32>| {
        let [place, points, fault, counts @ ..] = &**row else {
            return None;
        };
        Some(Seated {
            place: (*place).try_into().ok()?,
            points: *points,
            fault: match usize::try_from(*fault).ok()? {
                0 => None,
                number => Some(*CAUSES.get(number - 1)?),
            },
            counts: counts.into(),
        })
    };
    let seats: Option<Vec<Seated>> = rows.iter().map(seated).collect();
    Ok(Scored {
        deal,
        bots: bots(key),
        seats: seats.ok_or_else(damaged)?,
        transcript,
    })
}

/// The CRC-32 of a row, which shows whether it was changed by anything but this program.
pub fn sum(deal: u32, key: &[u8], seats: &[u8], record: i64) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&deal.to_le_bytes());
    sum.update(key);
    sum.update(seats);
    sum.update(&record.to_le_bytes());
    sum.finalize()
}

/// The level of compression; higher ones gain nothing on texts as short as these.
const LEVEL: i32 = 1;
/// The longest match, in bytes; nothing that a bot may send comes near it.
const LONGEST: usize = 1 << 30;

/// The entry that holds this JSON.
pub fn of_json(text: &[u8]) -> Result<Vec<u8>, LedgerError> {
    let packed = Compressor::new(LEVEL).and_then(|mut with| pack(text, &mut with));
    packed.map_err(failed)
}

/// The text of an entry that holds JSON.
pub fn json(entry: &[u8]) -> Option<Vec<u8>> {
    unpack(entry, &mut Decompressor::new().ok()?)
}

/// An entry: the CRC-32 of what follows, and the text, compressed.
fn pack(text: &[u8], with: &mut Compressor<'_>) -> io::Result<Vec<u8>> {
    let packed = with.compress(text)?;
    let mut entry = crc32fast::hash(&packed).to_le_bytes().to_vec();
    entry.extend(packed);
    Ok(entry)
}

fn unpack(entry: &[u8], with: &mut Decompressor<'_>) -> Option<Vec<u8>> {
    let (sum, packed) = entry.split_first_chunk()?;
    if crc32fast::hash(packed) != u32::from_le_bytes(*sum) {
        return None;
    }
    let length = zstd_safe::get_frame_content_size(packed).ok()??;
    let length = usize::try_from(length).ok()?.min(LONGEST);
    with.decompress(packed, length).ok()
}

fn failed(error: io::Error) -> LedgerError {
    LedgerError::File(FILE.into(), error)
}

/// The number of sample matches that others are compressed with.
const SAMPLES: u64 = 2;

/// Matches by the rules of a tournament, as JSON: those of its ledger are compressed to half with what they have in common with these.
/// They are played again whenever the ledger is opened. A change of them makes ledgers unreadable, so it must raise the format.
fn samples(spec: &Spec) -> Result<Vec<u8>, LedgerError> {
    let (game, plan) = (game(spec)?, &spec.plan);
    let mut samples = Vec::new();
    for number in 0..SAMPLES {
        let dealt = game.dealer(&plan.rules, plan.seats);
        let seed = Seed::try_from(number).expect("it is small");
        // By rules that cannot be played there are no matches to store.
        let Ok(mut table) = dealt.and_then(|dealer| dealer.deal(seed)) else {
            break;
        };
        for seat in Seat::all(plan.seats) {
            table.seat(seat, &game.random, None);
        }
        table.bots_play();
        samples.extend(serde_json::to_vec(&Played {
            deal: 1,
            bots: vec![String::new(); plan.seats],
            record: table.record_text(),
            verdict: table.verdict().expect("it is over").clone(),
            notes: Vec::new(),
            evidence: Vec::new(),
            voids: Vec::new(),
            times: Times::default(),
        })?);
    }
    Ok(samples)
}

/// Writes the entries of a tournament's finished matches.
pub fn writer(
    spec: &Spec,
) -> Result<impl FnMut(&Played) -> Result<Vec<u8>, LedgerError>, LedgerError> {
    let mut compressor = Compressor::with_dictionary(LEVEL, &samples(spec)?).map_err(failed)?;
    Ok(move |played: &Played| pack(&serde_json::to_vec(played)?, &mut compressor).map_err(failed))
}

/// Reads the entries of a tournament's matches.
pub struct Reader(Decompressor<'static>);

impl Reader {
    /// For the matches of this tournament.
    pub fn new(spec: &Spec) -> Result<Self, LedgerError> {
        let decompressor = Decompressor::with_dictionary(&samples(spec)?);
        Ok(Self(decompressor.map_err(failed)?))
    }

    /// The match in an entry; none if there is none.
    pub fn read(&mut self, entry: &[u8]) -> Option<Played> {
        serde_json::from_slice(&unpack(entry, &mut self.0)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_engine::table::{self, Entry};
    use arena_tournament::sample;
    use serde_json::json;

    /// A tournament of a game, and a match of it with actions that were drawn.
    fn drawn(game: &Entry) -> (Spec, Played) {
        let seats = *game.seats.start();
        let names = &["ann", "bob", "cem", "dan", "eve"][..seats];
        let mut spec = sample::tournament(names, seats, 1);
        let dealer = game.dealer(&json!({}), seats).unwrap();
        (spec.plan.game, spec.plan.rules) = (game.name.into(), dealer.rules().value());
        let mut table = dealer.deal(spec.deal_seed(1)).unwrap();
        for seat in Seat::all(seats) {
            assert!(table.seat(seat, &game.random, None));
        }
        table.bots_play();
        let verdict = table.verdict().unwrap().clone();
        let record = table.record_text();
        (
            spec,
            Played {
                record,
                ..sample::decided(1, names, verdict)
            },
        )
    }

    #[test]
    fn matches_of_all_games_come_back_and_are_small() {
        for game in table::games() {
            let (spec, played) = drawn(game);
            let entry = writer(&spec).unwrap()(&played).unwrap();
            let read = Reader::new(&spec).unwrap().read(&entry);
            assert_eq!(read.as_ref(), Some(&played), "{}", game.name);
            let (stored, whole) = (entry.len(), played.record.as_str().len());
            assert!(stored * 3 < whole, "{}: {stored} of {whole}", game.name);
        }
    }

    /// Guards the format: where a sum changes, older ledgers cannot be read, so raise it. The sums are in the order of the games; add
    /// that of a new one.
    #[test]
    fn matches_are_compressed_with_the_same_samples_as_ever() {
        let sums = [100_133_596, 2_223_753_962, 3_709_345_924, 3_541_846_893];
        for (game, sum) in table::games().iter().zip(sums) {
            let samples = samples(&drawn(game).0).unwrap();
            assert_eq!(crc32fast::hash(&samples), sum, "{}", game.name);
        }
    }

    #[test]
    fn nothing_that_is_read_panics() {
        let (spec, played) = sample::small();
        let mut reader = Reader::new(&spec).unwrap();
        let mut chance = Seed::try_from(3).unwrap().stream("bytes", 0);
        let bytes = writer(&spec).unwrap()(&played[0]).unwrap();
        for _ in 0..20_000 {
            let mut changed = bytes.clone();
            for _ in 0..=chance.below(3) {
                let at = chance.below(changed.len() as u32) as usize;
                changed[at] = chance.below(256) as u8;
            }
            changed.truncate(chance.below(changed.len() as u32 + 1) as usize);
            // The sum of most is wrong.
            let _ = reader.read(&changed);
            let sum = crc32fast::hash(changed.get(4..).unwrap_or_default());
            let changed = [&sum.to_le_bytes(), changed.get(4..).unwrap_or_default()].concat();
            let _ = reader.read(&changed);
        }
    }
}
