//! The stored form of a match: a short row with its result, which suffices for standings, ratings and all statistics, and the match itself
//! as compressed JSON. The game record within the match is opaque.

use std::io;

use arena_engine::chance::Seed;
use arena_engine::fault::Cause;
use arena_engine::seat::Seat;
use arena_engine::table;
use arena_tournament::deals::{Scored, SeatResult};
use arena_tournament::played::{Played, Times};
use arena_tournament::spec::Spec;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe;

use crate::error::LedgerError;
use crate::file::FILE;
use crate::replay::game;

/// Returns the sort key of a match: the indices of its bots in seat order. The order of the bytes is the order of the bots.
pub fn key(bots: &[usize]) -> Vec<u8> {
    bots.iter()
        .flat_map(|bot| (*bot as u16).to_be_bytes())
        .collect()
}

/// Returns the indices of the bots in a key.
pub fn bots(key: &[u8]) -> Vec<usize> {
    key.chunks_exact(2)
        .map(|pair| usize::from(u16::from_be_bytes([pair[0], pair[1]])))
        .collect()
}

/// The causes of forfeits. A row stores the index of the cause plus one, or 0 if there is none.
const CAUSES: [Cause; 5] = [
    Cause::Time,
    Cause::Crash,
    Cause::Illegal,
    Cause::Protocol,
    Cause::Withdrawn,
];

/// Encodes the result of a match.
pub fn seats(played: &Played) -> Vec<u8> {
    let seats: Vec<Vec<i32>> = SeatResult::all(&played.verdict).iter().map(list).collect();
    // This fails only for a type that cannot be serialised.
    serde_json::to_vec(&(played.transcript(), seats)).expect("seats are numbers and lists")
}

/// Encodes the result of a seat as a list, which is shorter than an object.
fn list(seat: &SeatResult) -> Vec<i32> {
    let cause = CAUSES.iter().position(|cause| Some(*cause) == seat.fault);
    let cause = cause.map_or(0, |place| place as i32 + 1);
    let mut list = vec![seat.place.into(), seat.points, cause];
    list.extend(&seat.counts);
    list
}

/// Decodes the result of a seat.
fn seated(list: &[i32]) -> Option<SeatResult> {
    let [place, points, cause, counts @ ..] = list else {
        return None;
    };
    Some(SeatResult {
        place: (*place).try_into().ok()?,
        points: *points,
        fault: match usize::try_from(*cause).ok()? {
            0 => None,
            number => Some(*CAUSES.get(number - 1)?),
        },
        counts: counts.into(),
    })
}

/// A row of scores.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub deal: u32,
    /// The bots of the match; see [`key`].
    pub key: &'a [u8],
    /// The result of the match; see [`seats`].
    pub seats: &'a [u8],
    /// The number of the match's record.
    pub record: i64,
}

impl Row<'_> {
    /// Parses the row if `sum` is its checksum.
    pub fn scored(&self, sum: u32) -> Result<Scored, LedgerError> {
        let damaged = || LedgerError::Damaged(format!("a row of deal {}", self.deal));
        if sum != self.sum() {
            return Err(damaged());
        }
        let (transcript, seats): (u32, Vec<Vec<i32>>) =
            serde_json::from_slice(self.seats).map_err(|_| damaged())?;
        let seats: Option<Vec<SeatResult>> = seats.iter().map(|row| seated(row)).collect();
        Ok(Scored {
            deal: self.deal,
            bots: bots(self.key),
            seats: seats.ok_or_else(damaged)?,
            transcript,
        })
    }

    /// Returns the CRC-32 of the row, to detect changes by other programs.
    pub fn sum(&self) -> u32 {
        let mut sum = crc32fast::Hasher::new();
        sum.update(&self.deal.to_le_bytes());
        sum.update(self.key);
        sum.update(self.seats);
        sum.update(&self.record.to_le_bytes());
        sum.finalize()
    }
}

/// Compression level. Higher levels gain nothing on such short texts.
const COMPRESSION_LEVEL: i32 = 1;
/// Maximum size of a match. Bots cannot send anywhere near this much.
const MAX_MATCH_BYTES: usize = 1 << 30;
/// Maximum size of a tournament's description.
const MAX_ABOUT_BYTES: usize = 1 << 26;

/// Creates an entry from JSON.
pub fn of_json(text: &[u8]) -> Result<Vec<u8>, LedgerError> {
    let packed = Compressor::new(COMPRESSION_LEVEL).and_then(|mut with| pack(text, &mut with));
    packed.map_err(failed)
}

/// Returns the JSON of an entry.
pub fn json(entry: &[u8]) -> Option<Vec<u8>> {
    unpack(entry, &mut Decompressor::new().ok()?, MAX_ABOUT_BYTES)
}

/// Creates an entry from a text: the CRC-32 of the rest, and the compressed text.
fn pack(text: &[u8], with: &mut Compressor<'_>) -> io::Result<Vec<u8>> {
    let packed = with.compress(text)?;
    let mut entry = crc32fast::hash(&packed).to_le_bytes().to_vec();
    entry.extend(packed);
    Ok(entry)
}

/// Returns the text of an entry; `None` if it is damaged or longer than the limit.
fn unpack(entry: &[u8], with: &mut Decompressor<'_>, limit: usize) -> Option<Vec<u8>> {
    let (sum, packed) = entry.split_first_chunk()?;
    if crc32fast::hash(packed) != u32::from_le_bytes(*sum) {
        return None;
    }
    let length = zstd_safe::get_frame_content_size(packed).ok()??;
    let length = usize::try_from(length).ok()?.min(limit);
    with.decompress(packed, length).ok()
}

fn failed(error: io::Error) -> LedgerError {
    LedgerError::File(FILE.into(), error)
}

/// Number of sample matches in the compression dictionary.
const SAMPLES: u64 = 2;

/// Plays sample matches by the rules of a tournament. They serve as a dictionary, which halves the size of compressed matches. Whenever the
/// ledger is opened, the same matches are played. A change of these matches would make ledgers unreadable, so it requires a new format
/// version.
fn samples(spec: &Spec) -> Result<Vec<u8>, LedgerError> {
    let plan = &spec.plan;
    if table::is_loaded(&plan.game) {
        // A game that is a program may play differently, or be missing, and its stored matches must still be readable. So play no samples.
        return Ok(Vec::new());
    }
    let game = game(spec)?;
    let mut samples = Vec::new();
    for number in 0..SAMPLES {
        let dealt = game.rulebook.dealer(&plan.rules, plan.seats);
        let seed = Seed::try_from(number).expect("it is small");
        // If the rules cannot be played, there are no matches to store.
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

/// Creates the compressor for a tournament's matches.
pub fn writer(
    spec: &Spec,
) -> Result<impl FnMut(&Played) -> Result<Vec<u8>, LedgerError>, LedgerError> {
    let mut compressor =
        Compressor::with_dictionary(COMPRESSION_LEVEL, &samples(spec)?).map_err(failed)?;
    Ok(move |played: &Played| pack(&serde_json::to_vec(played)?, &mut compressor).map_err(failed))
}

/// A reader of the stored matches of a tournament.
pub struct Reader(Decompressor<'static>);

impl Reader {
    /// Creates a reader for the matches of this tournament.
    pub fn new(spec: &Spec) -> Result<Self, LedgerError> {
        let decompressor = Decompressor::with_dictionary(&samples(spec)?);
        Ok(Self(decompressor.map_err(failed)?))
    }

    /// Returns the match in an entry; `None` if it is invalid.
    pub fn read(&mut self, entry: &[u8]) -> Option<Played> {
        serde_json::from_slice(&unpack(entry, &mut self.0, MAX_MATCH_BYTES)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_engine::table::{self, Entry};
    use arena_tournament::sample;
    use serde_json::json;

    /// Returns a tournament of a game, and a match of it with random actions.
    fn drawn(game: &Entry) -> (Spec, Played) {
        let seats = *game.seats.start();
        let names = &["ann", "bob", "cem", "dan", "eve"][..seats];
        let mut spec = sample::tournament(names, seats, 1);
        let dealer = game.rulebook.dealer(&json!({}), seats).unwrap();
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

    /// Guards the format. If a checksum changes, older ledgers cannot be read, so raise `FORMAT`. The checksums are in the order of the
    /// games; append the checksum of a new game.
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
            // Most of these entries have a wrong checksum.
            let _ = reader.read(&changed);
            let sum = crc32fast::hash(changed.get(4..).unwrap_or_default());
            let changed = [&sum.to_le_bytes(), changed.get(4..).unwrap_or_default()].concat();
            let _ = reader.read(&changed);
        }
    }
}
